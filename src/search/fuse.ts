/** A candidate's score on one side; absent where that side did not look at it. */
export interface Sides {
  readonly lexical: number | null
  readonly semantic: number | null
}

/** Share of meaning in the fused score where words see no difference; measured on judged collections with a fitting model. */
const MEANING = 0.74
/** How much of it words take when one note stands out alone: a name, a number, a rare word. */
const STANDING_OUT = 0.3

/**
 * Where the best note has less than this share of what all words together could score, words lose weight: it has but a
 * name or a small word of the question, as when that is in another language than the notes.
 */
const FEW_WORDS = 0.12

export interface Meaning {
  /**
   * May this candidate be judged by meaning? One that has no vector is judged by its words alone: it is taken to mean
   * what others with as many of the words mean.
   */
  readonly hasVector: (at: number) => boolean
  /** The cosine that a note has by chance: the mean over all of them. */
  readonly background: number
  /** The keyword score of a note that had every word; 0 where nothing was asked for by words. */
  readonly ceiling: number
}

/**
 * Score fusion: each side's scores as shares of its best one, words counted from nothing, cosines from what is there by
 * chance; then added. A side that sees little difference between its candidates so has little to say, and words have
 * the more to say the further their best note stands above the second.
 * @returns fused scores in the order of the candidates, at most 1
 */
export function fuseScores(
  candidates: readonly Sides[],
  { hasVector, background, ceiling }: Meaning,
): number[] {
  const words = shares(candidates.map((c) => c.lexical ?? 0))
  const meaning = shares(candidates.map((c) => (c.semantic === null ? 0 : c.semantic - background)))
  const weight = MEANING - STANDING_OUT * leadOf(words)
  const best = candidates.reduce((most, { lexical }) => Math.max(most, lexical ?? 0), 0)
  const trust = ceiling > 0 ? Math.min(1, best / ceiling / FEW_WORDS) : 1
  const usual = slope(words, meaning, hasVector)
  return candidates.map((_, i) => {
    const share = words[i] as number
    const means = hasVector(i) ? (meaning[i] as number) : share * usual
    return trust * (1 - weight) * share + weight * means
  })
}

/** How much meaning goes with so much of the words, among candidates that are judged by both (least squares); 0 to 1. */
function slope(
  words: readonly number[],
  meaning: readonly number[],
  hasVector: (at: number) => boolean,
): number {
  let product = 0
  let square = 0
  for (const [i, share] of words.entries()) {
    if (!hasVector(i)) continue
    product += share * (meaning[i] as number)
    square += share * share
  }
  return square === 0 ? 1 : Math.min(1, Math.max(0, product / square))
}

/** How far the best of these shares stands above the second, 0 to 1. */
function leadOf(shares: readonly number[]): number {
  let first = 0
  let second = 0
  for (const share of shares) {
    if (share > first) [first, second] = [share, first]
    else if (share > second) second = share
  }
  return first - second
}

/** Scores in parts of the highest; zeros where none is above 0. */
function shares(scores: readonly number[]): number[] {
  const best = scores.reduce((most, s) => Math.max(most, s), 0)
  return scores.map((s) => (best === 0 ? 0 : s / best))
}

/** Cormack et al. (2009). */
const K = 60
/** Keyword ranks count a little more, as the peers measured. */
const KEYWORD_WEIGHT = 1.15

/** Reciprocal rank fusion. @returns fused scores in the order of the candidates */
export function fuseRanks(candidates: readonly Sides[]): number[] {
  const words = reciprocal(candidates.map((c) => c.lexical))
  const meaning = reciprocal(candidates.map((c) => c.semantic))
  return candidates.map((_, i) => KEYWORD_WEIGHT * (words[i] as number) + (meaning[i] as number))
}

function reciprocal(scores: readonly (number | null)[]): number[] {
  const out = scores.map(() => 0)
  const order = scores
    .flatMap((s, at) => (s === null ? [] : [{ s, at }]))
    .sort((a, b) => b.s - a.s || a.at - b.at)
  for (const [rank, { at }] of order.entries()) out[at] = 1 / (K + rank + 1)
  return out
}

/**
 * The peer's blend of a reranked keyword search: both sides scaled to 0–1 over the candidates.
 * @param alpha weight of words: 0 is meaning alone, 1 words alone
 */
export function blend(candidates: readonly Sides[], alpha: number): number[] {
  const words = scaled(candidates.map((c) => c.lexical))
  const meaning = scaled(candidates.map((c) => c.semantic))
  return candidates.map((_, i) => alpha * (words[i] as number) + (1 - alpha) * (meaning[i] as number))
}

function scaled(scores: readonly (number | null)[]): number[] {
  const present = scores.filter((s) => s !== null)
  if (present.length === 0) return scores.map(() => 0)
  const [low, high] = [Math.min(...present), Math.max(...present)]
  // The lowest that was found still stands above what was not found.
  return scores.map((s) => (s === null ? 0 : high === low ? 1 : 0.05 + (0.95 * (s - low)) / (high - low)))
}
