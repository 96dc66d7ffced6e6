import type { TextRange } from '../note/note.ts'
import type { TextPattern } from './matched.ts'
import { bestWindows, type Span, type WindowOptions } from './windows.ts'

/**
 * Which parts of a text are worth splitting into words to find its best passages. A look at the letters alone, a
 * hundred times cheaper than splitting everything; it may take a part for better than it is, so one more comes back
 * than will be shown.
 * @returns ascending ranges that do not overlap, or null where only reading all of it will do
 */
export function regionsOf(
  text: string,
  from: number,
  patterns: readonly TextPattern[],
  { width, max }: WindowOptions,
): TextRange[] | null {
  if (text.length - from <= SHORT) return null
  const lower = text.toLowerCase()
  // Some capitals are longer in lower case: then places in one text are no places in the other.
  if (lower.length !== text.length) return null
  const spans: Span[] = []
  for (const [pattern, { elements, weight }] of patterns.entries()) {
    const places = placesOf(lower, from, elements)
    if (places === null) return null
    for (const { start, end } of places) spans.push({ start, end, pattern, weight })
  }
  if (spans.length === 0) return null
  spans.sort((a, b) => a.start - b.start)
  return around(text, from, bestWindows(spans, { width, max: max + 1 }), width / 2)
}

/** UTF-16 units: shorter texts are read whole. */
const SHORT = 1500
const MOST_SPELLINGS = 256
const MOST_PLACES = 64

/** Where a pattern may stand; of a phrase the places of its longest word. Null: too many spellings to look for. */
function placesOf(lower: string, from: number, elements: TextPattern['elements']): TextRange[] | null {
  const { terms, beginnings } = soughtIn(elements)
  if (terms.size > MOST_SPELLINGS) return null
  const places: TextRange[] = []
  for (const beginning of beginnings) {
    let at = lower.indexOf(beginning, from)
    for (let seen = 0; at >= 0 && seen < MOST_PLACES; at = lower.indexOf(beginning, at + beginning.length)) {
      const end = wordAt(lower, at, beginning, terms)
      if (end === 0) continue
      places.push({ start: at, end })
      seen++
    }
  }
  return places
}

/** The same for every note that a question is shown in. */
function soughtIn(elements: TextPattern['elements']): Sought {
  let sought = known.get(elements)
  if (sought === undefined) {
    const terms = elements.reduce((a, b) => (shortestIn(b) > shortestIn(a) ? b : a))
    known.set(elements, (sought = { terms, beginnings: beginningsOf(terms) }))
  }
  return sought
}

interface Sought {
  readonly terms: ReadonlyMap<string, number>
  readonly beginnings: readonly string[]
}

const known = new WeakMap<TextPattern['elements'], Sought>()

/** The terms that no other term is the beginning of: whoever finds these finds all. */
function beginningsOf(terms: ReadonlyMap<string, number>): string[] {
  const kept: string[] = []
  for (const term of [...terms.keys()].sort()) {
    const last = kept.at(-1)
    if (last === undefined || !term.startsWith(last)) kept.push(term)
  }
  return kept
}

/** The end of the term that begins here, or 0 where small Latin letters before or after make it another word. */
function wordAt(lower: string, at: number, beginning: string, terms: ReadonlyMap<string, number>): number {
  let end = at + beginning.length
  if (isLetter(lower.charCodeAt(at)) && isLetter(lower.charCodeAt(at - 1))) return 0
  if (!isLetter(lower.charCodeAt(end - 1))) return end
  while (isLetter(lower.charCodeAt(end))) end++
  return end === at + beginning.length || lower.charCodeAt(end) > 127 || terms.has(lower.slice(at, end))
    ? end
    : 0
}

function isLetter(unit: number): boolean {
  return unit >= 0x61 && unit <= 0x7a
}

function shortestIn(terms: ReadonlyMap<string, number>): number {
  let least = Number.POSITIVE_INFINITY
  for (const term of terms.keys()) least = Math.min(least, term.length)
  return least
}

function around(text: string, from: number, windows: readonly TextRange[], room: number): TextRange[] {
  const regions: { start: number; end: number }[] = []
  for (const window of [...windows].sort((a, b) => a.start - b.start)) {
    const start = wordStart(text, Math.max(from, window.start - room), from)
    const end = wordEnd(text, window.end + room)
    const last = regions.at(-1)
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end)
    else regions.push({ start, end })
  }
  return regions
}

/** As far as a border is moved so that it falls between words, or where there is no blank, beside a whole character. */
const MARGIN = 64
const BLANK = /\s/

function wordStart(text: string, at: number, lowest: number): number {
  for (let i = at; i > Math.max(lowest, at - MARGIN); i--) if (BLANK.test(text[i - 1]!)) return i
  return at > lowest && isLowSurrogate(text, at) ? at - 1 : at
}

function wordEnd(text: string, at: number): number {
  if (at >= text.length) return text.length
  for (let i = at; i < Math.min(text.length, at + MARGIN); i++) if (BLANK.test(text[i]!)) return i
  return isLowSurrogate(text, at) ? at + 1 : at
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit < 0xe000
}
