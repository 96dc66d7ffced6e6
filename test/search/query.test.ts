import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { describe as understood } from '../../src/search/describe.ts'
import { parseQuery } from '../../src/search/query.ts'

const cases: [text: string, right: string][] = [
  // Words
  ['fox lazy', 'fox lazy'],
  ['Fox, LAZY; dog!', 'fox lazy dog'],
  ['which DB do we use', 'which db do we use'],
  ['CI', 'ci'],
  ['1,000 items', '1,000 items'],
  ['ＡＰＩ　記憶', 'api 記憶'],
  ["don't a'b", "don't a'b"],
  // Signs
  ['fox -lazy', 'fox -lazy'],
  ['+fox dog', '+fox dog'],
  ['-band', '-band'],
  ['-"red fox"', '-"red fox"'],
  ['-(a b) c', 'c -(a b)'],
  ['IT-644 cacheability', 'it-644 cacheability'],
  ['Book - Some', 'book some'],
  ['a -> b --c', 'a b c'],
  ['git commit --amend', 'git commit amend'],
  ['C++ C# .NET', 'c++ c# .net'],
  // Operators, in capitals alone, between operands alone
  ['coffee NOT pour', 'coffee -pour'],
  ['coffee not pour', 'coffee not pour'],
  ['a AND b', '(+a +b)'],
  ['a AND b OR c', '(+a +b) c'],
  ['a AND NOT b', '(+a -b)'],
  ['(a OR b) AND c', '(+(a b) +c)'],
  ['AND', 'and'],
  ['fox AND', 'fox and'],
  ['OR fox', 'or fox'],
  ['NOT', 'not'],
  ['NOT fox', '-fox'],
  ['a OR NOT b', 'a -b'],
  // Phrases
  ['"red fox"', '"red fox"'],
  ['"red fox"~2 dog', '"red fox"~2 dog'],
  ['“red fox” «lazy dog» 「東京都」 „so so“', '"red fox" "lazy dog" "東京 京都" "so so"'],
  ['"ssh -T git"', '"ssh t git"'],
  ['"1.0.21"', '"1 0 21"'],
  ['"WorkspaceLeaf"', '"workspaceleaf"'],
  ['"unbalanced phrase', 'unbalanced phrase'],
  ['lone " quote', 'lone quote'],
  ['5" pipe', '5 pipe'],
  // Prefixes
  ['pre* x', 'pre* x'],
  ['*', 'nothing: there is no word in it'],
  ['kebab-ca*', 'kebab-ca*'],
  // Fields
  ['title:fox body:dog', 'title:fox body:dog'],
  ['Title:"red fox" heading:x alias:y', 'title:"red fox" headings:x aliases:y'],
  ['tags:(a b)', '(tags:a tags:b)'],
  ['title: fox', 'title fox'],
  ['title:', 'title'],
  ['foo:bar', '"foo bar"'],
  // Filters
  ['tag:#a/b fox', '+tag:#a/b fox'],
  ['fox -tag:a', 'fox -tag:#a'],
  ['path:"Folder/Sub note" x', '+path:"Folder/Sub note" x'],
  ['path:Folder/', '+path:"Folder/"'],
  ['[status:done] x', '+[status:done] x'],
  ['["my key":"some value"]', '+[my key:some value]'],
  ['tag:a OR tag:b fox', '+(tag:#a tag:#b) fox'],
  // What is no syntax is words
  ['- [ ] task [x]', 'task x'],
  ['[text: more](https://x.y)', 'text more "https x.y"'],
  ['[[Some Note#Head|shown]]', 'some "note head" shown'],
  ['C++ (unbalanced', 'c++ unbalanced'],
  [')) a ((', 'a'],
  ['>>>', 'nothing: there is no word in it'],
  ['-', 'nothing: there is no word in it'],
  ['""', 'nothing: there is no word in it'],
  ['', 'nothing: there is no word in it'],
  ['😀 x', '😀 x'],
  ['grammar::fa', 'grammar::fa'],
  ['#tag', 'tag'],
  // Ideographs
  ['令牌', '令牌'],
  ['权威事实', '权威事实'],
  ['认证系统使用JWT令牌', '认证系统使用 jwt 令牌'],
  ['记忆 系统', '记忆 系统'],
  ['-令牌', '-令牌'],
]

describe('a question is understood', () => {
  test.each(cases)('%s', (text, right) => {
    expect(understood(parseQuery(text))).toBe(right)
  })
})

test('only what says "not" is known as such', () => {
  const kinds = ['fox', '-fox', '-fox dog', 'tag:x', '-tag:x', '', '-'].map((text) => {
    const { hasWords, onlyNegative } = parseQuery(text)
    return [text, hasWords, onlyNegative]
  })
  expect(kinds).toEqual([
    ['fox', true, false],
    ['-fox', true, true],
    ['-fox dog', true, false],
    ['tag:x', true, false],
    ['-tag:x', true, true],
    ['', false, false],
    ['-', false, false],
  ])
})

const syntax = fc.constantFrom(
  ...[
    '"',
    '“',
    '”',
    '«',
    '(',
    ')',
    '[',
    ']',
    ':',
    '-',
    '+',
    '*',
    '~2',
    ' ',
    'AND',
    'OR',
    'NOT',
    'title:',
    'tag:#',
    'path:',
    'a',
    'fox',
    '検索語の質問',
    '\u0000',
    '\ud800',
    '😀',
    '\n',
    '#',
    '|',
  ],
)
const anything = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.array(syntax, { maxLength: 60 }).map((list) => list.join('')),
  fc.array(syntax, { maxLength: 60 }).map((list) => list.join(' ')),
)

test('any text is a question', () => {
  fc.assert(
    fc.property(anything, (text) => typeof understood(parseQuery(text)) === 'string'),
    { numRuns: 2000 },
  )
})

test('a question that is too long is cut, not dropped', () => {
  const many = Array.from({ length: 300 }, (_, i) => `w${i}`)
  for (const text of [many.join(' '), `"${many.join(' ')}"`, '检索问题'.repeat(100), many.join('/')]) {
    const { cut, hasWords } = parseQuery(text)
    expect([cut, hasWords]).toEqual([true, true])
  }
})

const long = [
  '(',
  '"',
  '„',
  '[',
  '[a:',
  'title:',
  '-',
  'NOT ',
  'a OR ',
  '"a" ',
  '“',
  '字',
  'word',
  'a b ',
  '(-',
  'tag:',
  '~2',
  '\ud800',
]
test.each(long)('a hundred thousand times %s is read at once', (piece) => {
  const before = performance.now()
  const { cut } = parseQuery(piece.repeat(100_000))
  expect(performance.now() - before).toBeLessThan(5000)
  expect(cut).toBe(true)
})
