import { FIELD_BITS, FIELD_COUNT, FIELD_OF_KEY } from '../index/fields.ts'
import type { IndexView } from '../index/text_index.ts'
import { firstOf } from './first_of.ts'
import type { Occurrences } from './postings.ts'
import { byField, type Weights } from './weights.ts'

/** Notes (ascending numbers) and what each scores. */
export interface Scored {
  readonly docs: Uint32Array
  readonly scores: Float64Array
}

export const NONE: Scored = { docs: new Uint32Array(0), scores: new Float64Array(0) }

/**
 * Scores one word of the question in every note that has it.
 *
 * BM25F: occurrences are weighed by field (boost, and the field's own length against its mean), added up over the
 * fields, and only then saturated; so a word in title, heading and text is one good match rather than three, and a note
 * with all words of a question stands above one that has a single word everywhere.
 * @param idf from {@link inverseDocFreq}
 * @returns scores above 0 and below `idf`
 * @see Robertson, Zaragoza and Taylor, Simple BM25 Extension to Multiple Weighted Fields (2004)
 */
export function scoreWord(
  view: IndexView,
  { keys, counts }: Occurrences,
  idf: number,
  weights: Weights,
): Scored {
  const weigh = weigher(view, weights)
  const docs = new Uint32Array(keys.length)
  const scores = new Float64Array(keys.length)
  let n = 0
  for (let i = 0; i < keys.length; ) {
    const doc = keys[i]! >>> FIELD_BITS
    let mass = 0
    for (; i < keys.length && keys[i]! >>> FIELD_BITS === doc; i++) mass += weigh(keys[i]!, counts[i]!)
    docs[n] = doc
    scores[n++] = (idf * mass) / (weights.saturation + mass)
  }
  return { docs: firstOf(docs, n), scores: firstOf(scores, n) }
}

/**
 * How telling a word is: natural log, above 0, as in Lucene's BM25Similarity.
 * @param having living notes that have the word
 * @param all living notes
 */
export function inverseDocFreq(having: number, all: number): number {
  return Math.log(1 + (all - having + 0.5) / (having + 0.5))
}

/** How many different notes some occurrences are in. */
export function docFrequency({ keys }: Occurrences): number {
  let count = 0
  let last = -1
  for (let i = 0; i < keys.length; i++) {
    const doc = keys[i]! >>> FIELD_BITS
    if (doc !== last) count++
    last = doc
  }
  return count
}

/** Words in a field of a note, by posting key. */
export function fieldLength(view: IndexView, key: number): number {
  const doc = key >>> FIELD_BITS
  const { segment, base } = view.segments[segmentOf(view, doc)]!
  return segment.fieldLengths[(doc - base) * FIELD_COUNT + (key & FIELD_OF_KEY)]!
}

/** Which segment a numbered note is in. */
export function segmentOf({ segments }: IndexView, doc: number): number {
  let from = 0
  let to = segments.length - 1
  while (from < to) {
    const middle = (from + to + 1) >>> 1
    if (segments[middle]!.base <= doc) from = middle
    else to = middle - 1
  }
  return from
}

/**
 * What `count` occurrences in one field of one note weigh before saturation. Keys have to come in ascending order.
 * @returns a function of posting key and count
 */
export function weigher(view: IndexView, weights: Weights): (key: number, count: number) => number {
  const boost = byField(weights.boost)
  const norm = byField(weights.lengthNorm)
  const { segments, meanLengths } = view
  let s = 0
  return (key, count) => {
    const doc = key >>> FIELD_BITS
    const field = key & FIELD_OF_KEY
    while (s + 1 < segments.length && segments[s + 1]!.base <= doc) s++
    const { segment, base } = segments[s]!
    const length = segment.fieldLengths[(doc - base) * FIELD_COUNT + field]!
    const b = norm[field]!
    return (boost[field]! * count) / (1 - b + (b * length) / meanLengths[field]!)
  }
}
