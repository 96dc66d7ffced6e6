import { VaultError } from '../errors.ts'
import { lineStart, lineStarts, lineStop, withEol } from './lines.ts'
import { contentOf, type PatchContext, type PatchEdit } from './patch_request.ts'

/**
 * Changes lines by number, the property block's included; nothing is added but the line ends.
 * @returns the change, and others with a blank line more, for where the first would reach beyond its lines
 * @throws VaultError `bad_argument`, `target_not_found`
 */
export function patchLines({ text, parsed, request }: PatchContext): PatchEdit[] {
  const { eol } = parsed
  const { start, end, stop } = linesNamed(text, request.target)
  if (request.operation === 'rename') {
    throw new VaultError('bad_argument', 'Lines have no name.', {
      hint: 'Use replace with the new lines as content.',
    })
  }
  if (request.operation === 'delete') return [taken(text, { start, end })]
  const content = withEol(contentOf(request), eol)
  const edit = (from: number, to: number, insert: string): PatchEdit => ({
    range: { start: from, end: to },
    insert,
    notes: [],
  })
  if (request.operation === 'replace') {
    if (content === '') return [taken(text, { start, end })]
    const ended = end > stop
    const line = content.endsWith('\n') ? content.slice(0, -eol.length) : content
    return spaced(
      start,
      (blank) => edit(start, end, blank.left + line + (ended ? eol : '') + blank.right),
      eol,
    )
  }
  if (content === '') return [edit(end, end, '')]
  const line = content.endsWith('\n') ? content : content + eol
  if (request.operation === 'prepend')
    return spaced(start, (blank) => edit(start, start, blank.left + line + blank.right), eol)
  if (end > stop) return spaced(end, (blank) => edit(end, end, blank.left + line + blank.right), eol)
  return spaced(end, (blank) => edit(end, end, eol + blank.left + content), eol)
}

function spaced(
  _: number,
  make: (blank: { left: string; right: string }) => PatchEdit,
  eol: string,
): PatchEdit[] {
  return [
    make({ left: '', right: '' }),
    make({ left: '', right: eol }),
    make({ left: eol, right: '' }),
    make({ left: eol, right: eol }),
  ]
}

/** Whole lines; at the end of the note the line end before them goes where they had none. */
function taken(text: string, { start, end }: { start: number; end: number }): PatchEdit {
  const open = end === text.length && !text.endsWith('\n') && lineStart(text, start) > 0
  const from = open ? lineStop(text, start - 1) : start
  return { range: { start: from, end }, insert: '', notes: [] }
}

interface NamedLines {
  readonly start: number
  /** Before the last line's line end. */
  readonly stop: number
  /** After it. */
  readonly end: number
}

function linesNamed(text: string, target: string): NamedLines {
  const named = /^\s*(\d{1,9})\s*(?:-\s*(\d{1,9})\s*)?$/.exec(target)
  const first = Number(named?.[1])
  const last = Number(named?.[2] ?? named?.[1])
  if (named === null || first < 1 || last < first) {
    throw new VaultError('bad_argument', `${JSON.stringify(target)} names no lines.`, {
      hint: 'Lines count from 1: "12" or "12-15".',
    })
  }
  const starts = lineStarts(text)
  const count = text.endsWith('\n') ? starts.length - 1 : starts.length
  if (last > count) {
    throw new VaultError('target_not_found', `The note has ${count} lines; there is no line ${last}.`, {
      hint: `Name lines from 1 to ${count}.`,
      details: { lines: count },
    })
  }
  const start = starts[first - 1]!
  const end = starts[last] ?? text.length
  return {
    start: first === 1 && text.charCodeAt(0) === 0xfeff ? 1 : start,
    end,
    stop: lineStop(text, starts[last - 1]!),
  }
}
