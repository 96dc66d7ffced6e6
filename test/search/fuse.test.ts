import { describe, expect, test } from 'bun:test'
import { blend, fuseRanks, fuseScores } from '../../src/search/fuse.ts'

const both = [
  { lexical: 10, semantic: 0.9 },
  { lexical: 2, semantic: 0.5 },
  { lexical: null, semantic: 0.8 },
  { lexical: 9, semantic: null },
]
const order = (scores: number[]) =>
  scores
    .map((s, i) => [s, i] as const)
    .sort((a, b) => b[0] - a[0])
    .map(([, i]) => i)

const all = { hasVector: () => true, background: 0.4, ceiling: 20 }

describe('fuseScores', () => {
  test('parts of the best keyword score and of the best cosine above chance; 0.71 for meaning, 0.1 ahead in words', () => {
    const right = [1, 0.29 * 0.2 + 0.71 * 0.2, 0.71 * 0.8, 0.29 * 0.9]
    for (const [i, score] of fuseScores(both, all).entries()) expect(score).toBeCloseTo(right[i]!, 6)
  })
  test.each([
    { second: 10, weight: 0.74 },
    { second: 5, weight: 0.59 },
    { second: 0, weight: 0.44 },
  ])('words that stand $second of 10 above the second leave meaning $weight', ({ second, weight }) => {
    const candidates = [10, second, 0].map((lexical, i) => ({ lexical, semantic: [0.4, 0.4, 0.9][i]! }))
    expect(fuseScores(candidates, all)[2]).toBeCloseTo(weight, 6)
  })
  test.each([
    { ceiling: 20, share: 0.26 },
    { ceiling: 10 / 0.06, share: 0.13 },
  ])('words whose best note scores 10 of $ceiling have a share of $share', ({ ceiling, share }) => {
    const candidates = [
      { lexical: 10, semantic: 0.4 },
      { lexical: 10, semantic: 0.9 },
    ]
    expect(fuseScores(candidates, { ...all, ceiling })[0]).toBeCloseTo(share, 6)
  })
  test('a note without vectors is judged by its words alone, never pushed down for it', () => {
    expect(fuseScores(both, { ...all, hasVector: (i) => i !== 3 })[3]).toBeCloseTo(0.9, 6)
  })
  test('nor up: it is taken to mean what others with as many of the words mean', () => {
    const candidates = [
      { lexical: 10, semantic: 0.7 },
      { lexical: 10, semantic: null },
      { lexical: null, semantic: 1 },
    ]
    const [judged, without] = fuseScores(candidates, { ...all, hasVector: (i) => i !== 1 })
    expect(without).toBeCloseTo(judged!, 6)
  })
  test('one side alone keeps its order', () => {
    const words = [1, 3, 2].map((lexical) => ({ lexical, semantic: null }))
    expect(order(fuseScores(words, { ...all, hasVector: () => false }))).toEqual([1, 2, 0])
    const meaning = [0.5, 0.9, 0.3].map((semantic) => ({ lexical: null, semantic }))
    expect(order(fuseScores(meaning, all))).toEqual([1, 0, 2])
  })
  test.each([
    { candidates: [] },
    { candidates: [{ lexical: 5, semantic: 5 }] },
    { candidates: [{ lexical: 0, semantic: -0.5 }] },
  ])('$candidates give finite scores', ({ candidates }) => {
    for (const ceiling of [0, 20])
      expect(fuseScores(candidates, { ...all, ceiling }).every(Number.isFinite)).toBe(true)
  })
})

test('fuseRanks is 1.15/(60+rank) for words plus 1/(60+rank) for meaning', () => {
  const [first, second, third, fourth] = fuseRanks(both)
  expect(first).toBeCloseTo(1.15 / 61 + 1 / 61)
  expect(second).toBeCloseTo(1.15 / 63 + 1 / 63)
  expect(third).toBeCloseTo(1 / 62)
  expect(fourth).toBeCloseTo(1.15 / 62)
})

describe('blend', () => {
  test('alpha 1 follows the words, 0 the meaning', () => {
    expect(order(blend(both, 1))).toEqual([0, 3, 1, 2])
    expect(order(blend(both, 0))).toEqual([0, 2, 1, 3])
  })
})
