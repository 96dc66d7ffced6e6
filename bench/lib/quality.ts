import { randomFrom } from './random.ts'

/** How good one answer was, each figure from 0 to 1. */
export interface Quality {
  readonly ndcg: number
  /** Relevant among the first ten, of all relevant. */
  readonly recall: number
  /** One over the rank of the first relevant one, 0 beyond ten. */
  readonly mrr: number
  /** Is the first relevant, is one of ten. */
  readonly hit1: number
  readonly hit10: number
}

/**
 * @param ranked ids, best first
 * @param grades of the relevant documents, above 0, at least one; the grade is the gain, as in trec_eval
 */
export function qualityOf(ranked: readonly string[], grades: ReadonlyMap<string, number>): Quality {
  const top = ranked.slice(0, 10).map((id) => grades.get(id) ?? 0)
  const ideal = [...grades.values()].sort((a, b) => b - a).slice(0, 10)
  const first = top.findIndex((grade) => grade > 0)
  const found = top.filter((grade) => grade > 0).length
  return {
    ndcg: discounted(top) / discounted(ideal),
    recall: found / grades.size,
    mrr: first < 0 ? 0 : 1 / (first + 1),
    hit1: first === 0 ? 1 : 0,
    hit10: first < 0 ? 0 : 1,
  }
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}

/** Of the mean of these values, for example of the differences between two systems question by question. */
export function standardError(values: readonly number[]): number {
  if (values.length < 2) return 0
  const middle = mean(values)
  const squares = values.reduce((sum, value) => sum + (value - middle) ** 2, 0)
  return Math.sqrt(squares / (values.length - 1) / values.length)
}

/**
 * How probable a mean difference as large as this one is if the two systems were equally good: the share of 10,000
 * random changes of sign that give one, from a fixed seed.
 * @see Smucker, Allan, Carterette (2007), A comparison of statistical significance tests for information retrieval
 */
export function randomisationTest(differences: readonly number[], rounds = 10_000): number {
  const seen = Math.abs(differences.reduce((sum, d) => sum + d, 0))
  const random = randomFrom(1)
  let asLarge = 0
  for (let round = 0; round < rounds; round++) {
    let sum = 0
    for (const d of differences) if (d !== 0) sum += random() < 0.5 ? d : -d
    if (Math.abs(sum) >= seen - 1e-12) asLarge++
  }
  return asLarge / rounds
}

function discounted(grades: readonly number[]): number {
  return grades.reduce((sum, grade, rank) => sum + grade / Math.log2(rank + 2), 0)
}
