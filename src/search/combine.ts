import type { Scored } from './score.ts'
import { type Union, union } from './sets.ts'
import type { Weights } from './weights.ts'

/** How much of the sum of scores counts in a note that has `found` of the things asked for. */
export type Share = (found: number) => number

export interface Combined {
  readonly scored: Scored
  /** Null = all of the sum, everywhere. */
  readonly share: Share | null
}

export interface CombineOptions {
  /** Notes are numbered below this. */
  readonly span: number
  readonly weights: Weights
  /** Notes that have everything stand above all others, however often those have the rest. */
  readonly completeFirst?: boolean
}

/** Adds up what several words score; notes that have only some of them lose more than those words' own score. */
export function combine(sets: readonly Scored[], options: CombineOptions): Combined {
  const { span, weights, completeFirst = false } = options
  const { coordination } = weights
  const sum = union(sets, span)
  const asked = sets.length
  if (asked < 2) return { scored: sum, share: null }
  const share: Share = (found) => 1 - coordination * (1 - found / asked)
  const combined = { scored: shared(sum, share), share }
  if (!completeFirst) return combined
  const lowering = loweringOf(combined.scored, sum.found, asked)
  if (lowering === 1) return combined
  const lowered: Share = (found) => (found === asked ? share(found) : share(found) * lowering)
  return { scored: shared(sum, lowered), share: lowered }
}

/** A factor that puts the greater scores of one sort below the least of another. */
export function factorBelow(least: number, greatest: number): number {
  return greatest < least ? 1 : (least / greatest) * CLEARLY
}

const CLEARLY = 0.9

function loweringOf({ scores }: Scored, found: Uint16Array, asked: number): number {
  let least = Number.POSITIVE_INFINITY
  let greatest = 0
  for (let i = 0; i < scores.length; i++) {
    if (found[i] === asked) least = Math.min(least, scores[i]!)
    else greatest = Math.max(greatest, scores[i]!)
  }
  return factorBelow(least, greatest)
}

function shared({ docs, scores, found }: Union, share: Share): Scored {
  return { docs, scores: scores.map((sum, i) => sum * share(found[i]!)) }
}
