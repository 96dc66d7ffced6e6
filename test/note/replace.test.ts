import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { VaultError } from '../../src/errors.ts'
import { type ReplaceRequest, replaceInText } from '../../src/note/replace.ts'

const cases: [before: string, request: ReplaceRequest, after: string, lines: number[]][] = [
  ['a b a\n', { search: 'b', replace: 'c' }, 'a c a\n', [1]],
  ['a b a\n', { search: 'a', replace: 'c', count: 'all' }, 'c b c\n', [1, 1]],
  ['a\nb\na\n', { search: 'a', replace: 'c', count: 1 }, 'c\nb\na\n', [1]],
  ['a\nb\na\n', { search: 'a', replace: 'c', expectedCount: 2 }, 'c\nb\nc\n', [1, 3]],
  ['x TOKEN y', { search: 'TOKEN', replace: "$$100 $& $` $' $1" }, "x $$100 $& $` $' $1 y", [1]],
  ['a (b) c', { search: '(b)', replace: '', matchCase: false }, 'a  c', [1]],
  ['Ab aB', { search: 'ab', replace: 'x', matchCase: false, count: 'all' }, 'x x', [1, 1]],
  ['ÄRGER ärger', { search: 'ärger', replace: 'x', matchCase: false, count: 'all' }, 'x x', [1, 1]],
  [
    'cat concat cat',
    { search: 'cat', replace: 'dog', wholeWord: true, count: 'all' },
    'dog concat dog',
    [1, 1],
  ],
  ['né né_', { search: 'né', replace: 'x', wholeWord: true }, 'x né_', [1]],
  ['---\nt: Q3\n---\nQ3\n', { search: 'Q3', replace: 'Q3: x' }, '---\nt: Q3\n---\nQ3: x\n', [4]],
  ['---\nt: Q3\n---\nx\n', { search: 'Q3', replace: 'Q4', scope: 'whole' }, '---\nt: Q4\n---\nx\n', [2]],
  ['a\r\nb\r\n', { search: 'a\nb', replace: 'c\nd' }, 'c\r\nd\r\n', [1]],
  ['a\nb\nc\r\nd\n', { search: 'c\nd', replace: 'e\nf' }, 'a\nb\ne\nf\n', [3]],
  ['a\r\nb\r\n', { search: '(?m)^b$', replace: 'c', regex: true }, 'a\r\nc\r\n', [2]],
  [
    'a\r\nb\r\n',
    { search: '(?m)^(.+)$', replace: '- $1!', regex: true, count: 'all' },
    '- a!\r\n- b!\r\n',
    [1, 2],
  ],
  ['a\r\nb\r\n', { search: 'a\\nb', replace: 'c\nd', regex: true }, 'c\r\nd\r\n', [1]],
  ['a\r\nb\nc\n', { search: '(?P<x>a\\sb)', replace: '[\x24{x}]', regex: true }, '[a\r\nb]\nc\n', [1]],
  ['a\r\nb\r\n', { search: '\\r\\nb', replace: '+b', regex: true }, 'a+b\r\n', [1]],
  ['\r\nx\r\n', { search: '(x)|(y)', replace: '<$1$2>', regex: true }, '\r\n<x>\r\n', [2]],
  [
    '2026-01-02',
    { search: '(\\d+)-(\\d+)-(?P<d>\\d+)', replace: '\x24{d}.$2.$1 $& $$', regex: true },
    '02.01.2026 2026-01-02 $',
    [1],
  ],
  ['ab', { search: '(a)b', replace: '$12', regex: true }, 'a2', [1]],
  ['A\nb', { search: '(?im)^[ab]$', replace: 'x', regex: true, count: 'all' }, 'x\nx', [1, 2]],
  ['```\na | b\n```\n', { search: '```\na | b\n```\n', replace: '' }, '', [1]],
]
test.each(cases)('in %j, %j gives %j', (before, request, text, lines) => {
  expect(replaceInText(before, request)).toEqual({ text, count: lines.length, lines })
})

const refused: [before: string, request: ReplaceRequest, code: string, says: RegExp][] = [
  ['a', { search: 'b', replace: 'c' }, 'target_not_found', /copy the text/],
  ['B', { search: 'b', replace: 'c' }, 'target_not_found', /match_case: false/],
  ['---\nt: b\n---\na', { search: 'b', replace: 'c' }, 'target_not_found', /properties/],
  ['xb', { search: 'b', replace: 'c', wholeWord: true }, 'target_not_found', /whole_word/],
  ['a\na', { search: 'a', replace: 'c' }, 'ambiguous', /lines 1, 2/],
  ['a\na', { search: 'a', replace: 'c', expectedCount: 1 }, 'ambiguous', /2 matches, not 1/],
  ['a', { search: '', replace: 'c' }, 'bad_argument', /empty/],
  ['a', { search: 'a', replace: 'c', count: 0 }, 'bad_argument', /from 1/],
  ['a', { search: '(', replace: 'c', regex: true }, 'bad_argument', /not understood/],
  ['a', { search: 'a', replace: '$1', regex: true }, 'bad_argument', /0 groups/],
  ['a', { search: 'a'.repeat(1001), replace: '', regex: true }, 'bad_argument', /longer/],
  ['---\ntitle: Q3\n---\n', { search: 'Q3', replace: 'Q3: [', scope: 'whole' }, 'bad_frontmatter', /break/],
]
test.each(refused)('in %j, %j is %s', (before, request, code, says) => {
  try {
    replaceInText(before, request)
    expect('it').toBe('refused')
  } catch (error) {
    if (!(error instanceof VaultError)) throw error
    expect([error.code, `${error.message} ${error.hint}`]).toEqual([
      code as never,
      expect.stringMatching(says),
    ])
  }
})

test('a pattern that would backtrack takes linear time', () => {
  const text = `${'a'.repeat(50_000)}b`
  expect(() => replaceInText(text, { search: '(a+)+$', replace: 'x', regex: true })).toThrow('No match')
})

test('literal replacement is split and join', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', '$', '.', '(', '\\'), maxLength: 12 })
  fc.assert(
    fc.property(word, word, word, (text, search, replace) => {
      fc.pre(search !== '' && text.includes(search))
      const right = text.split(search).join(replace)
      expect(replaceInText(text, { search, replace, count: 'all' }).text).toBe(right)
      expect(replaceInText(text, { search, replace, count: 'all', matchCase: false }).text).toBe(right)
    }),
    { numRuns: 2000 },
  )
})
