import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { RecentTerms } from '../../src/index/recent_terms.ts'
import { tokenize } from '../../src/text/tokenize.ts'

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

test('a term is known by its letters, in any case, and never taken for another', () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-zA-Z0-9.-]{1,6}$/), { maxLength: 200 }), (words) => {
      const recent = new RecentTerms()
      const ids = new Map<string, number>()
      for (const word of words) {
        const term = word.toLowerCase()
        const slot = recent.look(`x${word}y`, 1, word.length + 1)
        const right = ids.get(term)
        if (recent.id >= 0) expect(recent.id).toBe(right!)
        const id = right ?? ids.size
        ids.set(term, id)
        recent.keep(slot, term, id)
      }
    }),
  )
  expect(new RecentTerms().look('caf\u00e9', 0, 4)).toBe(-1)
})
