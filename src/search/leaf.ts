import type { FieldMask } from '../index/fields.ts'
import type { IndexView } from '../index/text_index.ts'
import { gatherPhrase } from './phrase.ts'
import { gather, type Members, NOWHERE, type Occurrences, unite } from './postings.ts'
import { docFrequency, inverseDocFreq, type Scored, scoreWord } from './score.ts'
import type { Weights } from './weights.ts'

/** Terms that stand together: a word is a pattern of one element. */
export interface Pattern {
  /** The terms of each element. */
  readonly elements: readonly Members[]
  /** Place of each element, ascending from 0. */
  readonly offsets: readonly number[]
  readonly slop: number
}

export type Match = 'word' | 'near' | 'phrase' | 'adjacent' | 'part'

/** One word, phrase or the like of a question: where it is found and what that is worth. */
export interface Leaf {
  readonly label: string
  readonly match: Match
  /** Any of them; what is found by two counts once. */
  readonly patterns: readonly Pattern[]
  readonly fields: FieldMask
  readonly occurrences: Occurrences
  readonly idf: number
  /** BM25's k1 for this leaf, above 0. */
  readonly saturation: number
  /** What its scores are multiplied with. */
  readonly factor: number
  /** Scores, the factor included. */
  readonly scored: Scored
}

export interface LeafInput extends Pick<Leaf, 'label' | 'match' | 'patterns' | 'fields'> {
  /** It counts as found in at least so many notes. */
  readonly least?: number | undefined
}

export function leafOf(view: IndexView, weights: Weights, input: LeafInput): Leaf {
  let occurrences = NOWHERE
  for (const pattern of input.patterns)
    occurrences = unite(occurrences, gatherPattern(view, pattern, input.fields), 'greater')
  const idf = inverseDocFreq(Math.max(input.least ?? 0, docFrequency(occurrences)), view.docCount)
  const scored = scoreWord(view, occurrences, idf, weights)
  const { label, match, patterns, fields } = input
  return {
    label,
    match,
    patterns,
    fields,
    occurrences,
    idf,
    saturation: weights.saturation,
    factor: 1,
    scored,
  }
}

export function wordPattern(members: Members): Pattern {
  return { elements: [members], offsets: [0], slop: 0 }
}

/** The same with its scores multiplied. */
export function times(leaf: Leaf, factor: number): Leaf {
  const scores = leaf.scored.scores.map((score) => score * factor)
  return { ...leaf, factor: leaf.factor * factor, scored: { docs: leaf.scored.docs, scores } }
}

function gatherPattern(view: IndexView, pattern: Pattern, fields: FieldMask): Occurrences {
  const [only, ...more] = pattern.elements
  if (only === undefined) return NOWHERE
  return more.length === 0 ? gather(view, only, fields) : gatherPhrase(view, pattern, fields)
}
