import { VALUE_GAP } from '../index/analyse.ts'
import { FIELDS, fieldMask } from '../index/fields.ts'
import { FOLD_BIT } from '../index/segment.ts'
import type { TextRange } from '../note/note.ts'
import { lowerCase } from '../text/lower_case.ts'
import { scanTokens } from '../text/tokenize.ts'
import type { Matched, TextPattern } from './matched.ts'
import type { PassageNote } from './passages.ts'
import { countTogether } from './phrase.ts'
import { regionsOf } from './regions.ts'
import type { Span, WindowOptions } from './windows.ts'

/**
 * What matched in a note's body, in order: found by splitting it into words once more, as for the index. Where letters
 * tell which parts may be worth showing, only those are split; else a very long note is looked through piece by piece,
 * up to the first that has anything.
 * @param options how large the parts are that will be shown, and how many
 */
export function findSpans(note: PassageNote, matched: Matched, options: WindowOptions): Span[] {
  const search = searchIn(note.text, matched, (pattern) => scopeOf(pattern, note))
  if (search === null) return []
  const { patterns } = search
  const regions = regionsOf(note.text, note.bodyStart, patterns, options)
  const spans = regions === null ? [] : spansIn(search, regions)
  if (spans.length > 0) return spans
  for (let start = note.bodyStart; start < note.text.length; ) {
    const end = pieceEnd(note.text, start)
    const inPiece = spansIn(search, [{ start, end }])
    if (inPiece.length > 0) return inPiece
    start = end
  }
  return []
}

/** What matched in the properties, in order. @param block the part of the text that they stand in */
export function findPropertySpans(text: string, block: TextRange, matched: Matched): Span[] {
  const search = searchIn(
    text,
    matched,
    ({ fields }) =>
      () =>
        (fields & IN_PROPERTIES) !== 0,
  )
  return search === null ? [] : spansIn(search, [block])
}

function searchIn(
  text: string,
  matched: Matched,
  scope: (pattern: TextPattern) => (range: TextRange) => boolean,
): Search | null {
  const patterns = matched.patterns()
  const wanted = wantedIn(patterns, matched.languages)
  return wanted.terms.size === 0 ? null : { text, patterns, wanted, scopes: patterns.map(scope) }
}

/** UTF-16 units: splitting as many into words takes some milliseconds. */
const PIECE = 1 << 18

function pieceEnd(text: string, start: number): number {
  if (start + PIECE >= text.length) return text.length
  const lineEnd = text.lastIndexOf('\n', start + PIECE)
  return lineEnd > start ? lineEnd + 1 : start + PIECE
}

interface Search {
  readonly text: string
  readonly patterns: readonly TextPattern[]
  readonly wanted: WantedTerms
  readonly scopes: readonly ((range: TextRange) => boolean)[]
}

function spansIn({ text, patterns, wanted, scopes }: Search, ranges: readonly TextRange[]): Span[] {
  const found = patterns.map((): Found[] => [])
  let base = 0
  for (const range of ranges) {
    const words = text.slice(range.start, range.end)
    const take = (term: string, start: number, end: number, position: number) => {
      for (const { pattern, element } of wanted.terms.get(term) ?? NOTHING)
        found[pattern]!.push({
          element,
          position: base + position,
          start: range.start + start,
          end: range.start + end,
        })
    }
    const used = scanTokens(words, {
      piece(start, end, position) {
        if (wanted.shapes.has(shapeOf(lowerCase(words.charCodeAt(start)), end - start)))
          take(words.slice(start, end).toLowerCase(), start, end, position)
      },
      term: take,
    })
    base += used + VALUE_GAP
  }
  const spans = patterns.flatMap((pattern, i) =>
    together(found[i]!, pattern)
      .filter(scopes[i]!)
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
}

const NOTHING: readonly Wanted[] = []
const BODY = 1 << FIELDS.indexOf('body')
const HEADINGS = 1 << FIELDS.indexOf('headings')
const IN_PROPERTIES = fieldMask(['aliases', 'tags', 'frontmatter'])

/** Headings are part of the body; a word that was asked for in headings alone is shown there alone. */
function scopeOf({ fields }: TextPattern, { headings }: PassageNote): (range: TextRange) => boolean {
  if (fields & BODY) return () => true
  if ((fields & HEADINGS) === 0) return () => false
  return ({ start, end }) => headings.some(({ range }) => range.start <= start && end <= range.end)
}

interface WantedTerms {
  readonly terms: ReadonlyMap<string, Wanted[]>
  /** First unit and length of each: what most words of a note fail, before they are strings. */
  readonly shapes: ReadonlySet<number>
}

function shapeOf(firstUnit: number, length: number): number {
  return (firstUnit << 8) | length
}

/** A question's hits are mostly in few languages: what is sought in each is put together once. */
function wantedIn(patterns: readonly TextPattern[], noteLanguages: number): WantedTerms {
  let byLanguages = known.get(patterns)
  if (byLanguages === undefined) known.set(patterns, (byLanguages = new Map()))
  let wanted = byLanguages.get(noteLanguages)
  if (wanted === undefined) {
    const terms = wantedTerms(patterns, noteLanguages)
    const shapes = new Set([...terms.keys()].map((term) => shapeOf(term.charCodeAt(0), term.length)))
    byLanguages.set(noteLanguages, (wanted = { terms, shapes }))
  }
  return wanted
}

const known = new WeakMap<readonly TextPattern[], Map<number, WantedTerms>>()

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
