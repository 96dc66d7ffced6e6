import { FIELD_BITS, FIELD_OF_KEY, FIELDS, type FieldName } from '../index/fields.ts'
import type { IndexView } from '../index/text_index.ts'
import type { Evaluated } from './evaluate.ts'
import type { Leaf, Match } from './leaf.ts'
import { fieldLength, weigher } from './score.ts'
import { indexIn } from './sets.ts'
import type { Weights } from './weights.ts'

/** What one word does for a note by standing in one field. */
export interface Contribution {
  readonly word: string
  readonly match: Match
  readonly field: FieldName
  /** Natural log, above 0; the rarer the word the higher. */
  readonly idf: number
  /** Occurrences; other forms of the word count a little less than one each. */
  readonly tf: number
  /** Words in the field, and their mean over the notes that have it. */
  readonly length: number
  readonly mean_length: number
  readonly boost: number
  /** What the word's score is multiplied with: near words, extras, and words of the question that are missing. */
  readonly factor: number
  readonly score: number
}

/**
 * Takes a note's score apart. The word's score in the note is `idf × mass / (k1 + mass)` over the mass of all fields;
 * each field gets the part that its own mass is of it.
 * @param at.factor what the whole score was multiplied with
 * @returns contributions whose scores add up to the note's score
 */
export function explain(
  view: IndexView,
  weights: Weights,
  evaluated: Evaluated,
  { doc, factor }: { readonly doc: number; readonly factor: number },
): Contribution[] {
  return contributions({ view, weights, doc }, evaluated, factor)
}

interface Place {
  readonly view: IndexView
  readonly weights: Weights
  readonly doc: number
}

function contributions(
  place: Place,
  { scored: all, leaves, parts, share, extras, node }: Evaluated,
  factor: number,
): Contribution[] {
  if (indexIn(all.docs, place.doc) < 0) return []
  const hit = [...leaves, ...parts].filter(({ scored }) => indexIn(scored.docs, place.doc) >= 0).length
  const inner = share === null ? factor : factor * share(hit)
  return [
    ...leaves.flatMap((leaf) => ofLeaf(place, leaf, inner)),
    ...parts.flatMap((part) => contributions(place, part, inner)),
    ...(node.kind === 'clause' ? extras.flatMap((extra) => ofLeaf(place, extra, factor)) : []),
  ]
}

function ofLeaf({ view, weights, doc }: Place, leaf: Leaf, outer: number): Contribution[] {
  if (indexIn(leaf.scored.docs, doc) < 0) return []
  const { keys, counts } = leaf.occurrences
  const weigh = weigher(view, weights)
  const fields: { key: number; tf: number; mass: number }[] = []
  for (let i = firstOf(keys, doc); i < keys.length && keys[i]! >>> FIELD_BITS === doc; i++)
    fields.push({ key: keys[i]!, tf: counts[i]!, mass: weigh(keys[i]!, counts[i]!) })
  const mass = fields.reduce((sum, field) => sum + field.mass, 0)
  const factor = leaf.factor * outer
  const whole = (factor * leaf.idf) / (leaf.saturation + mass)
  return fields.map(({ key, tf, mass: own }) => {
    const field = key & FIELD_OF_KEY
    const name = FIELDS[field]!
    return {
      word: leaf.label,
      match: leaf.match,
      field: name,
      idf: leaf.idf,
      tf,
      length: fieldLength(view, key),
      mean_length: view.meanLengths[field]!,
      boost: weights.boost[name],
      factor,
      score: whole * own,
    }
  })
}

function firstOf(keys: Uint32Array, doc: number): number {
  let from = 0
  let to = keys.length
  while (from < to) {
    const middle = (from + to) >>> 1
    if (keys[middle]! >>> FIELD_BITS < doc) from = middle + 1
    else to = middle
  }
  return from
}
