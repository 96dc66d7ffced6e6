import { VaultError } from '../errors.ts'
import { lineStop } from './lines.ts'
import type { ParsedNote, Task } from './note.ts'
import { parseNote } from './parse.ts'
import { applySplices, insertion, type Splice } from './splice.ts'

export interface TaskOptions {
  /**
   * `YYYY-MM-DD`, where the vault's tasks carry the day they were done: written when the status becomes `x` and taken
   * away when it is no longer. Without it exactly one character changes.
   */
  readonly stampDone?: string
}

/**
 * Sets the marker of the task on a line (from 1).
 * @param status one character: a blank, `x`, `/`, …
 * @throws VaultError `target_not_found` (no task there; `details.nearest` has the lines of some), `bad_argument`
 */
export function setTask(text: string, line: number, status: string, options: TaskOptions = {}): string {
  requireMarker(status)
  const parsed = parseNote(text)
  const task = parsed.tasks.find((candidate) => candidate.line === line)
  if (task === undefined) throw noTask(parsed, line)
  const marker = { start: task.statusAt, end: task.statusAt + task.status.length }
  return applySplices(text, [{ range: marker, text: status }, ...stamps(text, task, status, options)])
}

/** @throws VaultError `bad_argument` for what no task's brackets can hold */
export function requireMarker(status: string): void {
  if ([...status].length === 1 && !/[\]\r\n\t]/.test(status)) return
  throw new VaultError('bad_argument', `${JSON.stringify(status)} is no task marker.`, {
    hint: 'Send one character: " " for open, "x" for done, "/" for in progress.',
  })
}

function stamps(text: string, task: Task, status: string, { stampDone }: TaskOptions): Splice[] {
  if (stampDone === undefined || task.status === status) return []
  const stop = lineStop(text, task.statusAt)
  const rest = text.slice(task.statusAt, stop)
  if (/^[xX]$/.test(status)) return task.dates.done === undefined ? [stampAt(task, rest, stampDone)] : []
  const stamped = /[ \t]*(?:✅\ufe0f?[ \t]*\d{4}-\d\d-\d\d|[[(](?:completion|done)::[^\])]*[\])])/iu.exec(
    rest,
  )
  if (stamped === null) return []
  const start = task.statusAt + stamped.index
  return [{ range: { start, end: start + stamped[0].length }, text: '' }]
}

/** Behind the text, but before a block id, which ends its line; in the manner of the line's other dates. */
function stampAt(task: Task, rest: string, date: string): Splice {
  const content = rest.replace(/[ \t]+\^[A-Za-z0-9-]+[ \t]*$/, '').trimEnd()
  const bracketed = /\[(?:due|scheduled|start|created)::/i.test(rest)
  return insertion(task.statusAt + content.length, bracketed ? ` [completion:: ${date}]` : ` ✅ ${date}`)
}

function noTask({ tasks }: ParsedNote, line: number): VaultError {
  const near = [...tasks]
    .sort((a, b) => Math.abs(a.line - line) - Math.abs(b.line - line))
    .slice(0, 5)
    .map((task) => task.line)
    .sort((a, b) => a - b)
  return new VaultError('target_not_found', `Line ${line} is no task.`, {
    hint:
      near.length === 0
        ? 'The note has no tasks: one is a list item like `- [ ] text`.'
        : `Tasks stand in line${near.length > 1 ? 's' : ''} ${near.join(', ')}.`,
    details: { nearest: near },
  })
}
