import { distance } from 'fastest-levenshtein'
import type { VaultPath } from '../note/path.ts'
import { fold } from '../text/fold.ts'
import { adjacentSwaps } from '../text/swaps.ts'

export interface HeadingFact {
  readonly text: string
  /** From 1. */
  readonly line: number
}

interface WithHeadings {
  readonly path: VaultPath
  /** The same array for as long as the note is unchanged: what is derived from it is kept beside it. */
  readonly headings: readonly HeadingFact[]
}

export interface HeadingHit<N extends WithHeadings> {
  readonly note: N
  readonly heading: HeadingFact
  /** 0 to 1: how much of the heading the query is; halved where a typo was forgiven. */
  readonly quality: number
}

/**
 * Each note's best heading in which every word of the query begins a word.
 * @param forgiving where no note has such a heading, forgive one or two typos a word (ten times as slow)
 */
export function headingHits<N extends WithHeadings>(
  query: string,
  notes: Iterable<N>,
  { forgiving }: { forgiving: boolean },
): HeadingHit<N>[] {
  const words = wordsOf(searchable(query))
  if (words.length === 0) return []
  const all = [...notes]
  const hits = look(words, all, {
    mayFit: (text) => words.every((word) => text.includes(word)),
    fits: beginsIn,
  })
  if (hits.length > 0 || !forgiving) return hits
  const swaps = new Map(words.map((word) => [word, adjacentSwaps(word)]))
  return look(words, all, {
    mayFit: () => true,
    fits: (word, text) => nearIn(word, text, swaps.get(word) ?? []),
  })
}

/** Does ahead of the first question what it would otherwise do. */
export function prepareHeadings(headings: readonly HeadingFact[]): void {
  searchableHeadings(headings)
}

interface Manner {
  /** A quick look at all headings of a note at once. */
  readonly mayFit: (text: string) => boolean
  /** 0 to 1. */
  readonly fits: (word: string, text: string) => number
}

function look<N extends WithHeadings>(words: readonly string[], notes: readonly N[], manner: Manner) {
  const hits: HeadingHit<N>[] = []
  for (const note of notes) {
    if (note.headings.length === 0) continue
    const text = searchableHeadings(note.headings)
    if (!manner.mayFit(text)) continue
    let best: HeadingHit<N> | null = null
    for (const [i, line] of text.split('\n').entries()) {
      const quality = qualityOf(words, line, manner.fits)
      const heading = note.headings[i]
      if (heading !== undefined && quality > (best?.quality ?? 0)) best = { note, heading, quality }
    }
    if (best !== null) hits.push(best)
  }
  return hits
}

const known = new WeakMap<readonly HeadingFact[], string>()

/** A line for each heading. */
function searchableHeadings(headings: readonly HeadingFact[]): string {
  const before = known.get(headings)
  if (before !== undefined) return before
  const text = headings.map((heading) => searchable(heading.text.replaceAll('\n', ' '))).join('\n')
  known.set(headings, text)
  return text
}

function searchable(text: string): string {
  return fold(text.normalize('NFKC').toLowerCase())
}

function wordsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
}

function qualityOf(words: readonly string[], text: string, fits: Manner['fits']): number {
  let least = 1
  let matched = 0
  for (const word of words) {
    const fit = fits(word, text)
    if (fit === 0) return 0
    least = Math.min(least, fit)
    matched += word.length
  }
  return least * Math.min(1, matched / Math.max(1, text.length))
}

function beginsIn(word: string, text: string): number {
  // Scripts without blanks between words have no beginnings to look for.
  const anywhere = (word.codePointAt(0) ?? 0) > 0x0dff
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (anywhere || at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '')) return 1
  }
  return 0
}

function nearIn(word: string, text: string, swapped: readonly string[]): number {
  if (beginsIn(word, text) > 0) return 1
  const allowed = word.length < 4 ? 0 : word.length < 8 ? 1 : 2
  if (allowed === 0) return 0
  const near = wordsOf(text).some(
    (own) =>
      (Math.abs(own.length - word.length) <= allowed && distance(word, own) <= allowed) ||
      swapped.includes(own),
  )
  return near ? 0.5 : 0
}
