import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { TermTable } from '../../src/index/term_table.ts'
import { lowerCase } from '../../src/text/lower_case.ts'
import { LONGEST_TERM } from '../../src/text/token.ts'
import { scanTokens, tokenize } from '../../src/text/tokenize.ts'

const piece = fc.oneof(
  fc.constantFrom(
    'Fox',
    "don't",
    'don\u2019t',
    'WorkspaceLeaf',
    'kebab-CASE',
    'v1.2.3',
    'C++',
    'a@B.org',
    'caf\u00e9',
    'I\u0130',
    '\uff21b',
    '\u00ad',
    'so\u00adft',
    '\u8a18\u61b6',
    '1,000',
    '.NET',
    'U.S.A.',
    'https://X.y/Z',
    '\u039f\u0394\u039f\u03a3',
    '\u{10400}\u{10401}',
    '\u0130stanbul',
    '\u041c\u043e\u0441\u043a\u0432\u0430',
  ),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.string({ maxLength: 12 }),
)
const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(' '))

test('a term as long as an ASCII piece of text is that piece in lower case', () => {
  fc.assert(
    fc.property(text, (given) => {
      tokenize(given, (term, start, end) => {
        const slice = given.slice(start, end)
        if (term.length === slice.length && /^[\0-\x7f]*$/.test(slice)) expect(term).toBe(slice.toLowerCase())
      })
    }),
    { numRuns: 1000 },
  )
})

test('a piece is its text in lower case, unit by unit, and no longer than a term', () => {
  fc.assert(
    fc.property(text, (given) => {
      const piece = (start: number, end: number) => {
        const slice = given.slice(start, end)
        const units = Array.from({ length: slice.length }, (_, i) => lowerCase(slice.charCodeAt(i)))
        expect(String.fromCharCode(...units)).toBe(slice.toLowerCase())
        expect(slice.length).toBeWithin(1, LONGEST_TERM + 1)
      }
      scanTokens(given, { piece, term: () => {} })
    }),
    { numRuns: 1000 },
  )
})

test('terms are numbered as they first come, however they are looked up', () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-cA-C\u00e9\u00c9.-]{1,6}$/), { maxLength: 200 }), (words) => {
      const table = new TermTable()
      const ids = new Map<string, number>()
      for (const word of words) {
        const term = word.toLowerCase()
        const right = ids.get(term) ?? ids.size
        ids.set(term, right)
        expect(table.idOfPiece(`x${word}y`, 1, word.length + 1)).toBe(right)
        expect(table.idOf(term)).toBe(right)
      }
      expect(table.strings()).toEqual([...ids.keys()])
      expect(table.size).toBe(ids.size)
    }),
  )
})

test('many terms keep their numbers while the table grows', () => {
  const table = new TermTable()
  const words = Array.from({ length: 20_000 }, (_, i) => `${i.toString(36)}語`)
  expect(words.map((word) => table.idOf(word))).toEqual(words.map((_, i) => i))
  expect(words.map((word) => table.idOfPiece(word, 0, word.length))).toEqual(words.map((_, i) => i))
  expect(table.strings()).toEqual(words)
})

test('a term of any length is itself', () => {
  const table = new TermTable()
  const words = ['a', 'a'.repeat(64), 'a'.repeat(65), 'a'.repeat(500), `${'a'.repeat(499)}b`]
  expect(words.map((word) => table.idOf(word))).toEqual([0, 1, 2, 3, 4])
  expect(table.strings()).toEqual(words)
})
