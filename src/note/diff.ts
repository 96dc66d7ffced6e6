import { type StructuredPatchHunk, structuredPatch } from 'diff'
import { visible } from '../text/visible.ts'
import { lineNumberAt, lineStart, nextLine } from './lines.ts'

export interface TextDiff {
  /** A unified diff; `''` where the texts are equal. */
  readonly diff: string
  /** Lines that were changed, added or removed; a line that took another's place counts once. */
  readonly changedLines: number
}

/** Unchanged lines shown around a change. */
const CONTEXT = 3

/** Edits beyond which the search for the shortest diff stops: its cost grows with their square. */
const MAX_EDITS = 400

/** Characters shown of one line. */
const MAX_WIDTH = 400

/**
 * What a change did to a text, for people and programs.
 * @param options.maxLines lines of the answer at most, headers and the word about what was cut included
 */
export function unifiedDiff(
  before: string,
  after: string,
  { path, maxLines = 40 }: { path: string; maxLines?: number },
): TextDiff {
  if (before === after) return { diff: '', changedLines: 0 }
  const hunks = hunksOf(before, after)
  const name = visible(path)
  const lines = [`--- a/${name}`, `+++ b/${name}`]
  for (const hunk of hunks) {
    lines.push(header(hunk))
    // A spread of a hundred thousand lines would overflow the stack.
    for (const line of hunk.lines) lines.push(line)
  }
  return {
    diff: cut(lines, maxLines),
    changedLines: hunks.reduce((sum, hunk) => sum + changesIn(hunk.lines), 0),
  }
}

function hunksOf(before: string, after: string): StructuredPatchHunk[] {
  const { start, endBefore, endAfter } = changedSpan(before, after)
  const old = before.slice(start, endBefore)
  const now = after.slice(start, endAfter)
  const offset = lineNumberAt(before, start) - 1
  const patch = structuredPatch('', '', old, now, undefined, undefined, {
    context: CONTEXT,
    maxEditLength: MAX_EDITS,
  })
  const hunks = patch?.hunks ?? [wholeHunk(old, now)]
  return hunks.map((hunk) => ({
    ...hunk,
    oldStart: hunk.oldStart + offset,
    newStart: hunk.newStart + offset,
  }))
}

/** The lines between the first and the last difference, with some around them. */
function changedSpan(before: string, after: string): { start: number; endBefore: number; endAfter: number } {
  const shorter = Math.min(before.length, after.length)
  let same = 0
  while (same < shorter && before.charCodeAt(same) === after.charCodeAt(same)) same++
  let start = lineStart(before, same)
  for (let i = 0; i < CONTEXT && start > 0; i++) start = lineStart(before, start - 1)
  let tail = 0
  while (
    tail < shorter - same &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  )
    tail++
  let end = before.length - tail
  for (let i = 0; i <= CONTEXT; i++) end = nextLine(before, end)
  return { start, endBefore: end, endAfter: after.length - (before.length - end) }
}

/** Everything old out, everything new in: for changes too large to be matched line by line. */
function wholeHunk(old: string, now: string): StructuredPatchHunk {
  const split = (text: string, sign: string) => {
    const rows = text.split('\n')
    const complete = rows.at(-1) === ''
    if (complete) rows.pop()
    const signed = rows.map((row) => sign + row)
    return complete ? signed : [...signed, '\\ No newline at end of file']
  }
  const removed = split(old, '-')
  const added = split(now, '+')
  return {
    oldStart: 1,
    oldLines: removed.filter((row) => row.startsWith('-')).length,
    newStart: 1,
    newLines: added.filter((row) => row.startsWith('+')).length,
    lines: [...removed, ...added],
  }
}

function header({ oldStart, oldLines, newStart, newLines }: StructuredPatchHunk): string {
  // By the format's rule an empty side names the line before it.
  const old = oldLines === 0 ? oldStart - 1 : oldStart
  const now = newLines === 0 ? newStart - 1 : newStart
  return `@@ -${old},${oldLines} +${now},${newLines} @@`
}

/** Runs of `-` and `+` lines: as many changes as the longer side has lines. */
function changesIn(lines: readonly string[]): number {
  let changes = 0
  let removed = 0
  let added = 0
  for (const line of [...lines, ' ']) {
    if (line.startsWith('-')) removed++
    else if (line.startsWith('+')) added++
    else if (!line.startsWith('\\')) {
      changes += Math.max(removed, added)
      removed = added = 0
    }
  }
  return changes
}

/** Long lines are cut to the part in which they differ from the line they replace. */
function shownLines(lines: readonly string[]): string[] {
  const twins = twinsOf(lines)
  return lines.map((line, i) =>
    line.length > MAX_WIDTH ? excerpt(line, firstDifference(line, lines[twins.get(i) ?? -1])) : line,
  )
}

/** Pairs the first removed line of a run with the first added one after it, and so on. */
function twinsOf(lines: readonly string[]): Map<number, number> {
  const twins = new Map<number, number>()
  let removed: number[] = []
  let next = 0
  lines.forEach((line, i) => {
    if (line.startsWith('-')) {
      if (next > 0) removed = []
      next = 0
      removed.push(i)
    } else if (line.startsWith('+')) {
      const twin = removed[next++]
      if (twin === undefined) return
      twins.set(i, twin)
      twins.set(twin, i)
    } else if (line.startsWith(' ')) {
      removed = []
      next = 0
    }
  })
  return twins
}

function firstDifference(line: string, other: string | undefined): number {
  if (other === undefined) return 1
  let at = 1
  while (at < line.length && line.charCodeAt(at) === other.charCodeAt(at)) at++
  return at
}

function excerpt(line: string, around: number): string {
  const from = Math.max(1, Math.min(around - MAX_WIDTH / 4, line.length - MAX_WIDTH))
  const part = line.slice(from, from + MAX_WIDTH).toWellFormed()
  return `${line[0]}${from > 1 ? '…' : ''}${part}… (${line.length - 1} characters)`
}

function cut(lines: readonly string[], maxLines: number): string {
  if (lines.length <= maxLines) return `${shownLines(lines).join('\n')}\n`
  const kept = lines.slice(0, Math.max(0, maxLines - 1))
  return `${[...shownLines(kept), `… ${lines.length - kept.length} more lines of this diff are not shown`].join('\n')}\n`
}
