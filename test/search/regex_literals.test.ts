import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { RE2JS } from 're2js'
import { type Need, requiredLiterals } from '../../src/search/regex_literals.ts'

/** `abc|x` for a choice, `~` before what is taken in any case. */
const show = (needs: readonly Need[]) =>
  needs.map((need) => need.map(({ text, fold }) => `${fold ? '~' : ''}${text}`).join('|'))

test.each<[pattern: string, right: string[]]>([
  ['word', ['word']],
  ['\\bword\\w+', ['word']],
  ['(?i)\\bWorD\\w+', ['~word']],
  ['(?i:A)b', ['~ab']],
  ['(?i)a(?-i)B', ['~ab']],
  ['a(?:(?i)b)c', ['~abc']],
  ['https?://\\S+', ['http', '://']],
  ['foo.*bar', ['foo', 'bar']],
  ['(foo|bar)baz', ['foobaz|barbaz']],
  ['foo\\d+|bar', ['foo|bar']],
  ['foo|\\d+', []],
  ['foo|', []],
  ['(ab)+c', ['ab', 'c']],
  ['(ab)*c?d{2,}', ['d']],
  ['ab{0,3}', ['a']],
  ['a\\.b\\*', ['a.b*']],
  ['\\Qa.b*\\Ec', ['a.b*c']],
  ['\\Qab\\E+', ['a', 'b']],
  ['\\x41\\x{1F600}\\t', ['A😀\t']],
  ['[abc]d[^]]e[]x]f[[:alpha:]\\]]g', ['d', 'e', 'f', 'g']],
  ['\\p{Greek}a\\pLb', ['a', 'b']],
  ['(?P<year>20)-(?<m>x)', ['20-x']],
  ['^---$', ['---']],
  ['(?s)a.b', ['a', 'b']],
  ['(?i)STRASSE', ['~strasse']],
  // Nothing can be said, or the engine should say it.
  ['a\\nb', []],
  ['\\d{4}', []],
  ['', []],
  ['.*', []],
  ['(?=x)a', []],
  ['a**', []],
  ['(a', []],
  ['a)', []],
  ['\\1a', []],
  ['[a', []],
  ['a{', []],
])('%j needs %j', (pattern, right) => {
  expect(show(requiredLiterals(pattern))).toEqual(right)
})

const piece = fc.constantFrom(
  ...[
    'a',
    'b',
    'K',
    's',
    'ſ',
    'é',
    'É',
    'σ',
    'ς',
    'ß',
    'İ',
    '.',
    '\\.',
    '[ab]',
    '[^a]',
    '\\w',
    '\\b',
    '^',
    '$',
    '\\d',
  ],
  ...['\\Qa.\\E', '\\x61', '(?i)', '(?-i)', '(?s)', '\\pL'],
)
const regex: fc.Memo<string> = fc.memo((depth) => {
  if (depth <= 1) return piece
  const inner = fc.array(regex(depth - 1), { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''))
  const group = fc
    .tuple(fc.constantFrom('(', '(?:', '(?i:', '(?P<n>'), inner)
    .map(([open, body]) => `${open}${body})`)
  const either = fc.tuple(inner, inner).map(([a, b]) => `(?:${a}|${b})`)
  const repeated = fc
    .tuple(fc.oneof(piece, group), fc.constantFrom('*', '+', '?', '{2}', '{0,2}', '{1,}', '*?', '+?'))
    .map(([what, times]) => what + times)
  return fc.oneof(piece, inner, group, either, repeated)
})
const text = fc
  .array(fc.constantFrom(...'aabbkKKsSſéÉσςΣßẞİi.1 \n'), { maxLength: 12 })
  .map((c) => c.join(''))

function holds(need: Need, within: string): boolean {
  return need.some(({ text, fold }) => {
    if (!fold) return within.includes(text)
    return new RegExp(text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'), 'iu').test(within)
  })
}

test('whatever the engine matches holds every need', () => {
  let matched = 0
  fc.assert(
    fc.property(regex(4), fc.array(text, { minLength: 8, maxLength: 8 }), (pattern, texts) => {
      let engine: RE2JS
      try {
        engine = RE2JS.compile(pattern)
      } catch {
        return
      }
      const needs = requiredLiterals(pattern)
      for (const within of texts) {
        if (!engine.test(within)) continue
        matched += needs.length
        for (const need of needs) expect(holds(need, within)).toBe(true)
      }
    }),
    { numRuns: 3000 },
  )
  expect(matched).toBeGreaterThan(100)
})

test('any text as a pattern is read without an error', () => {
  fc.assert(fc.property(fc.string(), (pattern) => Array.isArray(requiredLiterals(pattern))))
})
