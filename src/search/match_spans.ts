import { FIELDS } from '../index/fields.ts'
import { FOLD_BIT } from '../index/segment.ts'
import type { TextRange } from '../note/note.ts'
import { tokenize } from '../text/tokenize.ts'
import type { Matched, TextPattern } from './matched.ts'
import type { PassageNote } from './passages.ts'
import { countTogether } from './phrase.ts'

/** A place of a note that matched; UTF-16 units of the note. */
export interface Span extends TextRange {
  /** Which of the question's patterns. */
  readonly pattern: number
  readonly weight: number
}

/**
 * What matched in a note's body, in order: found by splitting it into words once more, as for the index. A very long
 * note is looked through piece by piece, up to the first piece that has anything.
 */
export function findSpans(note: PassageNote, matched: Matched): Span[] {
  const patterns = matched.patterns()
  const wanted = wantedTerms(patterns, matched.languages)
  if (wanted.size === 0) return []
  const scopes = patterns.map((pattern) => scopeOf(pattern, note))
  for (let start = note.bodyStart; start < note.text.length; ) {
    const end = pieceEnd(note.text, start)
    const found = findIn(note.text.slice(start, end), start, wanted)
    const spans = patterns.flatMap((pattern, i) =>
      together(found.get(i) ?? [], pattern)
        .filter(scopes[i]!)
        .map((range): Span => ({ start: range.start, end: range.end, pattern: i, weight: pattern.weight })),
    )
    if (spans.length > 0) return spans.sort((a, b) => a.start - b.start || a.end - b.end)
    start = end
  }
  return []
}

/** UTF-16 units: splitting as many into words takes some milliseconds. */
const PIECE = 1 << 18

function pieceEnd(text: string, start: number): number {
  if (start + PIECE >= text.length) return text.length
  const lineEnd = text.lastIndexOf('\n', start + PIECE)
  return lineEnd > start ? lineEnd + 1 : start + PIECE
}

function findIn(text: string, base: number, wanted: ReadonlyMap<string, Wanted[]>): Map<number, Found[]> {
  const found = new Map<number, Found[]>()
  tokenize(text, (term, start, end, position) => {
    for (const { pattern, element } of wanted.get(term) ?? NOTHING) {
      const list = found.get(pattern)
      const one = { element, position, start: base + start, end: base + end }
      if (list === undefined) found.set(pattern, [one])
      else list.push(one)
    }
  })
  return found
}

interface Found extends TextRange {
  readonly element: number
  readonly position: number
}

interface Wanted {
  readonly pattern: number
  readonly element: number
}

const NOTHING: readonly Wanted[] = []
const BODY = 1 << FIELDS.indexOf('body')
const HEADINGS = 1 << FIELDS.indexOf('headings')

/** Headings are part of the body; a word that was asked for in headings alone is shown there alone. */
function scopeOf({ fields }: TextPattern, { headings }: PassageNote): (range: TextRange) => boolean {
  if (fields & BODY) return () => true
  if ((fields & HEADINGS) === 0) return () => false
  return ({ start, end }) => headings.some(({ range }) => range.start <= start && end <= range.end)
}

/** @param noteLanguages a stem counts in notes of its language alone */
function wantedTerms(patterns: readonly TextPattern[], noteLanguages: number): Map<string, Wanted[]> {
  const wanted = new Map<string, Wanted[]>()
  for (const [pattern, { elements }] of patterns.entries())
    for (const [element, terms] of elements.entries())
      for (const [term, languages] of terms) {
        if ((languages & FOLD_BIT) === 0 && (languages & noteLanguages) === 0) continue
        const list = wanted.get(term)
        if (list === undefined) wanted.set(term, [{ pattern, element }])
        else list.push({ pattern, element })
      }
  return wanted
}

/** Of the words of a phrase, those that stand where the phrase has them. */
function together(found: readonly Found[], { elements, offsets, slop }: TextPattern): readonly Found[] {
  if (elements.length === 1) return found
  const reach = offsets.at(-1)! + slop
  const places = elements.map((_, e) =>
    found.filter(({ element }) => element === e).map(({ position }) => position),
  )
  return found.filter(({ element, position }) => {
    const near = places.map((list, e) =>
      e === element
        ? [position - offsets[e]!]
        : within(list, position - reach, position + reach).map((place) => place - offsets[e]!),
    )
    return countTogether(near, slop) > 0
  })
}

/** Those of ascending numbers that lie from `low` to `high`. */
function within(numbers: readonly number[], low: number, high: number): number[] {
  let from = 0
  let to = numbers.length
  while (from < to) {
    const middle = (from + to) >>> 1
    if (numbers[middle]! < low) from = middle + 1
    else to = middle
  }
  let end = from
  while (end < numbers.length && numbers[end]! <= high) end++
  return numbers.slice(from, end)
}
