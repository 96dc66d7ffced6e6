import { expect, test } from 'bun:test'
import { qualityOf, randomisationTest, standardError } from '../../bench/lib/quality.ts'

const grades = new Map([
  ['a', 2],
  ['b', 1],
])
const cases: [
  string,
  string[],
  { ndcg: number; recall: number; mrr: number; hit1: number; hit10: number },
][] = [
  ['the ideal order', ['a', 'b', 'x'], { ndcg: 1, recall: 1, mrr: 1, hit1: 1, hit10: 1 }],
  [
    'the other order',
    ['b', 'a'],
    { ndcg: (1 + 2 / Math.log2(3)) / (2 + 1 / Math.log2(3)), recall: 1, mrr: 1, hit1: 1, hit10: 1 },
  ],
  [
    'second only',
    ['x', 'a'],
    { ndcg: 2 / Math.log2(3) / (2 + 1 / Math.log2(3)), recall: 0.5, mrr: 0.5, hit1: 0, hit10: 1 },
  ],
  ['beyond ten', [...'cdefghijkl', 'a'], { ndcg: 0, recall: 0, mrr: 0, hit1: 0, hit10: 0 }],
  ['nothing', [], { ndcg: 0, recall: 0, mrr: 0, hit1: 0, hit10: 0 }],
]
test.each(cases)('%s', (_name, ranked, right) => {
  const found = qualityOf(ranked, grades)
  for (const [key, value] of Object.entries(right))
    expect(found[key as keyof typeof found]).toBeCloseTo(value, 10)
})

test('the standard error of a mean', () => {
  expect(standardError([1, 1, 1])).toBe(0)
  expect(standardError([0, 1, 0, 1])).toBeCloseTo(Math.sqrt(1 / 3 / 4), 10)
})

test.each([
  { differences: Array.from({ length: 10 }, () => 0.1), right: 2 / 2 ** 10 },
  { differences: [0.3, -0.3, 0, 0], right: 1 },
  { differences: [1, 1], right: 0.5 },
])('a randomisation test of $differences gives about $right', ({ differences, right }) => {
  expect(Math.abs(randomisationTest(differences) - right)).toBeLessThan(0.02)
})
