import type { TextRange } from './note.ts'

/** One change of a text: `range` (UTF-16 units of the old text) becomes `text`. */
export interface Splice {
  readonly range: TextRange
  readonly text: string
}

/** Makes several changes at once; they must not overlap. Those at one offset keep their order. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  const ordered = [...splices].sort((a, b) => a.range.start - b.range.start || a.range.end - b.range.end)
  const parts: string[] = []
  let at = 0
  for (const { range, text: inserted } of ordered) {
    if (range.start < at) throw new RangeError('changes of a text overlap')
    parts.push(text.slice(at, range.start), inserted)
    at = range.end
  }
  parts.push(text.slice(at))
  return parts.join('')
}

/** Puts `inserted` at `at`. */
export function insertion(at: number, inserted: string): Splice {
  return { range: { start: at, end: at }, text: inserted }
}
