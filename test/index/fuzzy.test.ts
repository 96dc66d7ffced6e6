import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { allowedDistance, nearTerms } from '../../src/index/fuzzy.ts'
import { packStrings, sortByCodePoint, stringAt } from '../../src/index/string_table.ts'

function near(terms: string[], word: string): { term: string; distance: number }[] {
  const table = packStrings(sortByCodePoint([...new Set(terms)]))
  return nearTerms(table, word).map(({ term, distance }) => ({ term: stringAt(table, term), distance }))
}

const cases = [
  { word: 'pyhton', terms: ['python', 'pythons', 'typhon'], right: ['python'] },
  { word: 'deplyo', terms: ['deploy', 'deploys', 'employ'], right: ['deploy'] },
  {
    word: 'architeture',
    terms: ['architecture', 'architectures', 'architectural'],
    right: ['architecture', 'architectures'],
  },
  { word: 'cat', terms: ['cat', 'car', 'cats'], right: ['cat'] },
  { word: 'cats', terms: ['cat', 'cars', 'scat', 'bats'], right: ['cars', 'cat'] },
  { word: 'ünder', terms: ['ünter', 'under'], right: ['ünter'] },
  { word: '😀abcd', terms: ['😀abed', '😃abcd'], right: ['😀abed'] },
  { word: '', terms: ['', 'a'], right: [] },
]
test.each(cases)('$word is near to $right', ({ word, terms, right }) => {
  expect(near(terms, word).map(({ term }) => term)).toEqual(right)
})

/** Optimal string alignment, straight from its definition. */
function editDistance(a: string[], b: string[]): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => [i])
  for (let j = 0; j <= b.length; j++) rows[0]![j] = j
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      let cost = Math.min(rows[i - 1]![j]! + 1, rows[i]![j - 1]! + 1, rows[i - 1]![j - 1]! + same)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, rows[i - 2]![j - 2]! + 1)
      rows[i]![j] = cost
    }
  return rows[a.length]![b.length]!
}

const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'é', '字', '😀'), maxLength: 11 })

test('the walk along the dictionary finds what comparing every term finds', () => {
  fc.assert(
    fc.property(fc.uniqueArray(letters, { maxLength: 60 }), letters, (terms, word) => {
      const wanted = [...word]
      const right = sortByCodePoint([...terms])
        .map((term) => ({ term, distance: editDistance([...term], wanted) }))
        .filter(
          ({ term, distance }) =>
            distance <= allowedDistance(word) && [...term][0] === wanted[0] && wanted.length > 0,
        )
      expect(near(terms, word)).toEqual(right)
    }),
    { numRuns: 500 },
  )
})
