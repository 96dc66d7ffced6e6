import { CONTINUES, classOf, UNSTABLE } from './char_class.ts'
import { surfaceForm } from './normal.ts'
import type { TokenSink } from './token.ts'

/**
 * Emits a run of ideographs, kana or Hangul: each character, and the pair that it begins with the next one.
 * Pairs are the standard unit where words have no blanks between them; single characters answer queries of one.
 * @returns the next free position
 */
export function emitIdeographs(
  text: string,
  from: number,
  to: number,
  position: number,
  sink: TokenSink,
): number {
  let start = from
  let end = clusterEnd(text, start, to)
  let term = clusterTerm(text, start, end)
  let at = position
  while (start < to) {
    if (term.length > 0) sink(term, start, end, at)
    if (end >= to) return at + 1
    const nextEnd = clusterEnd(text, end, to)
    const next = clusterTerm(text, end, nextEnd)
    if (term.length > 0 && next.length > 0) sink(term + next, start, nextEnd, at)
    start = end
    end = nextEnd
    term = next
    at++
  }
  return at
}

/** A character with its combining marks: voiced kana and syllables may come decomposed. */
function clusterEnd(text: string, from: number, to: number): number {
  let at = from + (text.codePointAt(from)! > 0xffff ? 2 : 1)
  // Bounded, so that a pile of marks stays one short token.
  const limit = Math.min(to, from + 8)
  while (at < limit && (classOf(text.codePointAt(at)!) & CONTINUES) !== 0)
    at += text.codePointAt(at)! > 0xffff ? 2 : 1
  return Math.min(at, to)
}

function clusterTerm(text: string, start: number, end: number): string {
  const cluster = text.slice(start, end)
  return end - start === 1 && (classOf(text.charCodeAt(start)) & UNSTABLE) === 0
    ? cluster
    : surfaceForm(cluster)
}
