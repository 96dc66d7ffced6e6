import { expect, test } from 'bun:test'
import { VaultError } from '../../src/errors.ts'
import {
  keepFrontmatterInPlace,
  keepFrontmatterSound,
  pluginCodeAdded,
  pluginCodeIn,
  requireSoundFrontmatter,
} from '../../src/note/guard.ts'

test.each([
  ['```dataviewjs\ndv.pages()\n```', ['dataviewjs block']],
  ['> [!note]\n> - ~~~{DataviewJS}\n> ~~~', ['dataviewjs block']],
  ['```run-python\n```', ['run-python block']],
  ['Made <% tp.date.now() %>', ['Templater <% %>']],
  ['Sum `$= 1 + 1`', ['dataview inline JavaScript']],
  ['<SCRIPT src="x">', ['<script>']],
  ['<img src=x onerror="y">', ['HTML event handler']],
  ['```js\nplain code\n```', []],
  ['```dataview\nLIST\n```', []],
  ['Costs $= 5, a < b % c', []],
])('in %j runs %j', (text, kinds) => {
  expect(pluginCodeIn(text)).toEqual(kinds)
})

test('code that was there before is no news', () => {
  expect(pluginCodeAdded('<% a %>', '<% a %> b')).toEqual([])
  expect(pluginCodeAdded('<% a %>', '<% a %> <% b %>')).toEqual(['Templater <% %>'])
})

const code = (run: () => void) => {
  try {
    run()
    return 'fine'
  } catch (error) {
    return error instanceof VaultError ? error.code : String(error)
  }
}
test.each([
  ['---\na: 1\n---\nx', '---\na: [\n---\nx', 'bad_frontmatter'],
  ['---\na: 1\n---\nx', '---\ntext\n---\nx', 'bad_frontmatter'],
  ['x', '---\na: 1\nno end', 'bad_frontmatter'],
  ['---\na: [\n---\nx', '---\na: [\n---\ny', 'fine'],
  ['---\na: 1\n---\nx', 'x', 'fine'],
  ['x', '---\n\nprose', 'fine'],
])('changing %j into %j is %s', (before, after, right) => {
  expect(code(() => keepFrontmatterSound(before, after))).toBe(right)
})

test.each([
  ['---\na: 1\n---\nx', 'top\n---\na: 1\n---\nx', 'bad_frontmatter'],
  ['---\na: 1\n---\nx', '---\nx', 'bad_frontmatter'],
  ['\ufeff---\r\na: 1\r\n---\r\nx', '\ufeff---\r\nx', 'bad_frontmatter'],
  ['---\na: 1\n---\nx', 'x', 'fine'],
  ['---\na: 1\n---\nx', '---\nb: 1\n---\nx', 'fine'],
  ['---\n\nprose', '---\n\nother', 'fine'],
  ['---\na: 1\n---\nx', '***\na: 1\n***\nx', 'bad_frontmatter'],
  ['---\na: 1\n---\nx', '***\na: 1\n---\nx', 'bad_frontmatter'],
  ['---\na: 1\n---\nx', '> ---\n> a: 1\n> ---\n> x', 'bad_frontmatter'],
  ['---\na: 1\nb: 2\n---\nx', 'b: 2\n---\nx', 'bad_frontmatter'],
  ['\ufeff---\r\na: 1\r\n---\r\nx', '\ufeffx', 'fine'],
  ['---\na: 1\n---\nx\n', '# T\nx\n', 'fine'],
  ['---\na: 1\n---\n\nx x\n', '-- y y\n', 'fine'],
])('changing a part of %j into %j is %s', (before, after, right) => {
  expect(code(() => keepFrontmatterInPlace(before, after))).toBe(right)
})

test.each([
  ['---\na: [\n---\nx', 'bad_frontmatter'],
  ['---\n- a\n---\nx', 'bad_frontmatter'],
  ['---\n---\nx', 'fine'],
  ['# x', 'fine'],
])('a whole text %j is %s', (text, right) => {
  expect(code(() => requireSoundFrontmatter(text))).toBe(right)
})
