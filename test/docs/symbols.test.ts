import { expect, test } from 'bun:test'
import { symbolRank, symbolsIn } from '../../src/docs/symbols.ts'

test.each([
  ['registerView', ['registerView']],
  ['How do I use WorkspaceLeaf?', ['WorkspaceLeaf']],
  ['call registerView() twice: registerView', ['registerView']],
  ['workspace.getLeaf() and Plugin.onload', ['workspace.getLeaf', 'Plugin.onload']],
  ['load() it', ['load']],
  ['the API of Obsidian', []],
  ['MAX_SIZE or snake_case', ['MAX_SIZE', 'snake_case']],
  ['e.g. this, i.e. that', []],
  ['a note. Another', []],
])('the symbols of %j', (query, right) => {
  expect(symbolsIn(query)).toEqual(right)
})

const fragment = {
  id: 'p#0',
  path: 'p',
  title: 'Views',
  aliases: [],
  headings: ['Classes', 'Leaf'],
  text: 'text',
}
test.each([
  [{ title: 'registerView' }, 3],
  [{ headings: ['X', '`registerView()`'] }, 3],
  [{ headings: ['X', 'Plugin.registerView() method'] }, 2],
  [{ text: 'Call registerView(type).' }, 1],
  [{ text: 'Call registerViews or myregisterView.' }, 0],
  [{ text: 'register a view' }, 0],
])('%j is about registerView: %d', (facts, right) => {
  expect(symbolRank({ ...fragment, ...facts }, ['registerView'])).toBe(right)
})
