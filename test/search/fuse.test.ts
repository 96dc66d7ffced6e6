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

describe('fuseScores', () => {
  test('what both sides like is first, what neither likes last', () => {
    const ranked = order(fuseScores(both, () => true))
    expect([ranked[0], ranked[3]]).toEqual([0, 1])
  })
  test('a note without vectors is judged by its words alone, never pushed down for it', () => {
    const [, , , without] = fuseScores(both, (i) => i !== 3)
    const [, , , withIt] = fuseScores(both, () => true)
    expect(without!).toBeGreaterThan(withIt!)
  })
  test('one side alone keeps its order', () => {
    expect(
      order(
        fuseScores(
          [1, 3, 2].map((lexical) => ({ lexical, semantic: null })),
          () => false,
        ),
      ),
    ).toEqual([1, 2, 0])
  })
  test.each([{ candidates: [] }, { candidates: [{ lexical: 5, semantic: 5 }] }])(
    '$candidates give finite scores',
    ({ candidates }) => {
      expect(fuseScores(candidates, () => true).every(Number.isFinite)).toBe(true)
    },
  )
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
