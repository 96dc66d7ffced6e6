import { expect, test } from 'bun:test'
import { adjacentSwaps } from '../../src/text/swaps.ts'

test.each<{ word: string; right: string[] }>([
  { word: 'crfl', right: ['rcfl', 'cfrl', 'crlf'] },
  { word: 'aab', right: ['aba'] },
  { word: '😀x', right: ['x😀'] },
  { word: 'a', right: [] },
  { word: '', right: [] },
])('$word becomes $right', ({ word, right }) => {
  expect(adjacentSwaps(word)).toEqual(right)
})
