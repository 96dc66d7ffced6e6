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

/** Everything in a note's body that matched, in order: found by splitting it into words once more, as for the index. */
export function findSpans(note: PassageNote, matched: Matched): Span[] {
  const patterns = matched.patterns().map((pattern) => ({ pattern, scope: scopeOf(pattern, note) }))
  const wanted = wantedTerms(patterns.map(({ pattern }) => pattern))
  if (wanted.size === 0) return []
  const found: Found[][] = patterns.map(() => [])
  tokenize(note.text.slice(note.bodyStart), (term, start, end, position) => {
    for (const { pattern, element, languages } of wanted.get(term) ?? NOTHING) {
      if ((languages & FOLD_BIT) === 0 && (languages & matched.languages) === 0) continue
      found[pattern]!.push({ element, position, start: start + note.bodyStart, end: end + note.bodyStart })
    }
  })
  const spans = patterns.flatMap(({ pattern, scope }, i) =>
    together(found[i]!, pattern)
      .filter(scope)
      .map(({ start, end }): Span => ({ start, end, pattern: i, weight: pattern.weight })),
  )
  return spans.sort((a, b) => a.start - b.start || a.end - b.end)
}

interface Found extends TextRange {
  readonly element: number
  readonly position: number
}

interface Wanted {
  readonly pattern: number
  readonly element: number
  readonly languages: number
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

function wantedTerms(patterns: readonly TextPattern[]): Map<string, Wanted[]> {
  const wanted = new Map<string, Wanted[]>()
  for (const [pattern, { elements }] of patterns.entries())
    for (const [element, terms] of elements.entries())
      for (const [term, languages] of terms) {
        const list = wanted.get(term)
        if (list === undefined) wanted.set(term, [{ pattern, element, languages }])
        else list.push({ pattern, element, languages })
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
