import { FIELDS, type FieldName } from '../index/fields.ts'

/** What ranking can be tuned by. The scoring itself is in `score.ts`. */
export interface Weights {
  /** How much one occurrence in a field counts, relative to one in the body. */
  readonly boost: Readonly<Record<FieldName, number>>
  /** 0 to 1: how far an occurrence counts less in a field that is longer than usual (BM25's b). */
  readonly lengthNorm: Readonly<Record<FieldName, number>>
  /** How soon further occurrences of a word stop to matter (BM25's k1). */
  readonly saturation: number
  /**
   * The same for the pairs of a long run of ideographs: neighbouring pairs come together in any case, so that one
   * that is repeated says less than a repeated word does.
   */
  readonly pairSaturation: number
  /** Occurrences of a word's other forms, relative to the word as it was typed. */
  readonly folded: number
  readonly stemmed: number
  /** Words that merely begin with what was typed before `*`. */
  readonly prefixed: number
  /** Score of a near word by its distance (1, 2), relative to an exact one. */
  readonly near: readonly [number, number]
  /** 0 to 1: how far a note that lacks some of the words loses by that beyond their own score. */
  readonly coordination: number
  /** Score of two neighbouring pairs of ideographs that stand together, relative to a word. */
  readonly adjacentPairs: number
  /** Score of a compound's single parts, relative to a word. */
  readonly parts: number
}

export const WEIGHTS: Weights = {
  boost: { title: 5, aliases: 5, headings: 3, tags: 4, frontmatter: 2, body: 1 },
  lengthNorm: { title: 0.5, aliases: 0.3, headings: 0.75, tags: 0.3, frontmatter: 0.5, body: 0.75 },
  saturation: 1.3,
  pairSaturation: 0.8,
  folded: 0.95,
  stemmed: 0.7,
  prefixed: 0.8,
  near: [0.6, 0.4],
  coordination: 0.1,
  adjacentPairs: 0.05,
  parts: 0.5,
}

/** The weights of the fields in the order of `FIELDS`, for inner loops. */
export function byField(weights: Readonly<Record<FieldName, number>>): Float64Array {
  return Float64Array.from(FIELDS, (name) => weights[name])
}
