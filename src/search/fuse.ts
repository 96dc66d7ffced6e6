/** A candidate's score on one side; absent where that side did not look at it. */
export interface Sides {
  readonly lexical: number | null
  readonly semantic: number | null
}

/** Share of meaning in the fused score; measured on judged collections with a fitting model. */
const MEANING = 0.7

/**
 * Score fusion: each side's scores are put on one scale (zero mean, unit deviation over its candidates), then added.
 * What a side did not find counts as its worst candidate there; what has no vector yet is judged by its words alone.
 * @param hasVector may this candidate be judged by meaning?
 * @returns fused scores in the order of the candidates
 */
export function fuseScores(candidates: readonly Sides[], hasVector: (at: number) => boolean): number[] {
  const lexical = standardised(candidates.map((c) => c.lexical))
  const semantic = standardised(candidates.map((c) => c.semantic))
  return candidates.map((_, i) => {
    const words = lexical[i] as number
    return hasVector(i) ? (1 - MEANING) * words + MEANING * (semantic[i] as number) : words
  })
}

/** z-scores; absent values stand at the lowest one present. All equal: zeros. */
function standardised(scores: readonly (number | null)[]): number[] {
  const present = scores.filter((s) => s !== null)
  if (present.length === 0) return scores.map(() => 0)
  const lowest = Math.min(...present)
  const whole = scores.map((s) => s ?? lowest)
  const mean = whole.reduce((a, b) => a + b, 0) / whole.length
  const deviation = Math.sqrt(whole.reduce((sum, s) => sum + (s - mean) ** 2, 0) / whole.length)
  return whole.map((s) => (deviation === 0 ? 0 : (s - mean) / deviation))
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
