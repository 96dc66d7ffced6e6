import type { TextRange } from '../note/note.ts'

/**
 * What to show around a place of a text: about `context` units on each side (a wide place gets less), trimmed, cut
 * where a sentence or a line ends if that keeps half of the room, else between words, never inside a character.
 * @param within the part of the text that may be shown
 */
export function widen(text: string, within: TextRange, place: TextRange, context: number): TextRange {
  const room = Math.max(0, context - Math.floor((place.end - place.start) / 2))
  const start = startNear(text, Math.max(within.start, place.start - room), place.start, within.start)
  const end = endNear(text, Math.min(within.end, place.end + room), place.end, within.end)
  return trimmed(text, { start, end })
}

/** Looks from `wanted` towards `place` for a good first character. */
function startNear(text: string, wanted: number, place: number, lowest: number): number {
  if (wanted <= lowest) return lowest
  const half = wanted + Math.ceil((place - wanted) / 2)
  for (let at = wanted; at <= half; at++) if (isSentenceStart(text, at)) return at
  const latest = Math.min(place, wanted + LONGEST_WORD)
  for (let at = wanted; at <= latest; at++) if (at === place || isBlank(text, at - 1)) return at
  return borderBefore(text, latest === place ? place : wanted, lowest)
}

/** Looks from `wanted` back towards `place` for a good end. */
function endNear(text: string, wanted: number, place: number, highest: number): number {
  if (wanted >= highest) return highest
  const half = wanted - Math.ceil((wanted - place) / 2)
  for (let at = wanted; at >= half; at--) if (isSentenceStart(text, at)) return at
  const earliest = Math.max(place, wanted - LONGEST_WORD)
  for (let at = wanted; at >= earliest; at--) if (at === place || isBlank(text, at)) return at
  return borderAfter(text, earliest === place ? place : wanted, highest)
}

const LONGEST_WORD = 32
const BLANK = /\s/
const ENDS_SENTENCE = /[.!?…]/
const ENDS_SENTENCE_ANYWHERE = /[。！？｡\n]/

function isSentenceStart(text: string, at: number): boolean {
  const before = text[at - 1]
  if (before === undefined || ENDS_SENTENCE_ANYWHERE.test(before)) return true
  return BLANK.test(before) && ENDS_SENTENCE.test(text[at - 2] ?? '')
}

function isBlank(text: string, at: number): boolean {
  return BLANK.test(text[at] ?? ' ')
}

/** Marks, joiners and the second half of a pair belong to what stands before them. */
const GOES_ON = /[\u200d\ufe0e\ufe0f\udc00-\udfff]|\p{M}/u

function isBorder(text: string, at: number): boolean {
  const next = text[at]
  return next === undefined || !(GOES_ON.test(next) || isLowSurrogate(next) || text[at - 1] === '\u200d')
}

function isLowSurrogate(unit: string): boolean {
  return unit >= '\udc00' && unit <= '\udfff'
}

function borderBefore(text: string, at: number, lowest: number): number {
  let border = at
  while (border > lowest && !isBorder(text, border)) border--
  return border
}

function borderAfter(text: string, at: number, highest: number): number {
  let border = at
  while (border < highest && !isBorder(text, border)) border++
  return border
}

function trimmed(text: string, { start, end }: TextRange): TextRange {
  let from = start
  let to = end
  while (from < to && isBlank(text, from)) from++
  while (to > from && isBlank(text, to - 1)) to--
  return { start: from, end: to }
}
