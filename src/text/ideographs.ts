import { CONTINUES, classOf, UNSTABLE } from './char_class.ts'
import { surfaceForm } from './normal.ts'
import type { TokenTarget } from './token.ts'

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
  target: TokenTarget,
): number {
  let at = position
  for (let start = from; start < to; at++) {
    const end = clusterEnd(text, start, to)
    const first = formOf(text, start, end)
    if (first === PLAIN) target.piece(start, end, at)
    else if (first.length > 0) target.term(first, start, end, at)
    if (end < to) emitPair(text, { start, end, stop: clusterEnd(text, end, to), first, at }, target)
    start = end
  }
  return at
}

interface Pair {
  readonly start: number
  /** Of the first character. */
  readonly end: number
  /** Of the second one. */
  readonly stop: number
  readonly first: string
  readonly at: number
}

function emitPair(text: string, { start, end, stop, first, at }: Pair, target: TokenTarget): void {
  const second = formOf(text, end, stop)
  if (first === PLAIN && second === PLAIN) {
    target.piece(start, stop, at)
    return
  }
  if (first === '' || second === '') return
  const left = first === PLAIN ? text.slice(start, end) : first
  target.term(left + (second === PLAIN ? text.slice(end, stop) : second), start, stop, at)
}

/** A character with its combining marks: voiced kana and syllables may come decomposed. */
function clusterEnd(text: string, from: number, to: number): number {
  const unit = text.charCodeAt(from)
  let at = from + (unit >= 0xd800 && unit < 0xdc00 && text.codePointAt(from)! > 0xffff ? 2 : 1)
  // Bounded, so that a pile of marks stays one short token.
  const limit = Math.min(to, from + 8)
  while (at < limit && (classOf(text.codePointAt(at)!) & CONTINUES) !== 0)
    at += text.codePointAt(at)! > 0xffff ? 2 : 1
  return Math.min(at, to)
}

/** Instead of a form: one unit that is its own form. */
const PLAIN = '='

function formOf(text: string, start: number, end: number): string {
  return end - start === 1 && (classOf(text.charCodeAt(start)) & UNSTABLE) === 0
    ? PLAIN
    : surfaceForm(text.slice(start, end))
}
