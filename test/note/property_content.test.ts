import { expect, test } from 'bun:test'
import { VaultError } from '../../src/errors.ts'
import {
  appendToProperty,
  prependToProperty,
  propertyValue,
  replaceProperty,
} from '../../src/note/property_content.ts'

const note = (yaml: string) => `---\n${yaml}---\nbody\n`

test.each([
  ['draft', 'draft'],
  ['42', 42],
  ['-0.5', -0.5],
  ['007', '007'],
  ['1.10', '1.10'],
  ['0x1F', '0x1F'],
  ['true', true],
  ['[x, y]', ['x', 'y']],
  ['- x\n- y\n', ['x', 'y']],
  ['{a: 1}', { a: 1 }],
  ['a: 1\nb: [2]', { a: 1, b: [2] }],
  ['"42"', '42'],
  ['', null],
  ['null', null],
  ['2026-01-01', '2026-01-01'],
  ['12:30', '12:30'],
  ['[[Home]]', '[[Home]]'],
  ['![[pic.png|100]]', '![[pic.png|100]]'],
  ['["[[A]]", b]', ['[[A]]', 'b']],
  ['#tag', '#tag'],
  ['C# is # good', 'C# is # good'],
  ['@me', '@me'],
  ['a: b: c', 'a: b: c'],
  ['[unclosed', '[unclosed'],
  ['two\nlines', 'two\nlines'],
  ['|\n  two\n  lines\n', 'two\nlines\n'],
  ['{{date}}', '{{date}}'],
])('the content %j means %j', (content, right) => {
  expect(propertyValue(content)).toEqual(right as never)
})

const cases: [
  run: (text: string, key: string, content: string) => string,
  before: string,
  key: string,
  content: string,
  after: string,
][] = [
  [replaceProperty, 'title: x\n', 'title', 'Fwd: Hints', 'title: "Fwd: Hints"\n'],
  [replaceProperty, 'a: 1\n', 'count', '42', 'a: 1\ncount: 42\n'],
  [replaceProperty, 'a: 1\n', 'a', 'x: 1\nz: 2', 'a:\n  x: 1\n  z: 2\n'],
  [appendToProperty, 'tags:\n  - rust\n  - mcp\n', 'tags', 'last', 'tags:\n  - rust\n  - mcp\n  - last\n'],
  [prependToProperty, 'tags: [rust, mcp]\n', 'tags', 'first', 'tags: [first, rust, mcp]\n'],
  [appendToProperty, 'l: [a]\n', 'l', '[b, c]', 'l: [a, b, c]\n'],
  [appendToProperty, 'l: [a]\n', 'l', 'a', 'l: [a, a]\n'],
  [appendToProperty, 'tags: [a]\n', 'tags', '#A', 'tags: [a]\n'],
  [appendToProperty, 'tags: a, b\n', 'tags', 'c', 'tags: a, b, c\n'],
  [appendToProperty, 'tags: a b\n', 'tags', 'c', 'tags: a b c\n'],
  [appendToProperty, 'tags: a\n', 'tags', 'c', 'tags:\n  - a\n  - c\n'],
  [appendToProperty, 'tags:\n', 'tags', 'c', 'tags:\n  - c\n'],
  [appendToProperty, 'a: 1\n', 'tags', 'c', 'a: 1\ntags:\n  - c\n'],
  [appendToProperty, 'a: 1\n', 'note', 'c', 'a: 1\nnote: c\n'],
  [appendToProperty, 'title: Test Note\n', 'title', ' (v2)', 'title: Test Note (v2)\n'],
  [prependToProperty, 'title: Test Note\n', 'title', 'On ', 'title: On Test Note\n'],
  [appendToProperty, 'title: Test\n', 'title', '" quoted"', 'title: Test quoted\n'],
  [appendToProperty, 'm:\n  a: 1\n', 'm', '{b: 2}', 'm:\n  a: 1\n  b: 2\n'],
]
test.each(cases)('%p on %j: %s with %j gives %j', (run, before, key, content, after) => {
  expect(run(note(before), key, content)).toBe(note(after))
})

test('a number cannot be appended to', () => {
  expect(() => appendToProperty(note('n: 1\n'), 'n', '2')).toThrow(VaultError)
})
