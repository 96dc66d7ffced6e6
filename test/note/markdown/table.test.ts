import { expect, test } from 'bun:test'
import { parseNote } from '../../../src/note/parse.ts'

test.each([
  '| a | b |\n| - | - |\n| 1 | 2 |\n\n^t\n',
  '| a | b |\r\n| - | - |\r\n| 1 | 2 |\r\n\r\n^t\r\n',
  '| a | b |  \n| - | - |  \n| 1 | 2 |  \n\n^t\n',
  'text\r\n| a | b |\r\n| :-: | -: |\r\n\r\n^t\r\n',
])('the id below belongs to a table in %j', (text) => {
  expect(parseNote(text).blocks.map(({ id, kind }) => [id, kind])).toEqual([['t', 'table']])
})
