import { expect, test } from 'bun:test'
import { TextIndex } from '../../src/index/text_index.ts'
import { searchText } from '../../src/search/search.ts'

const note = (path: string, body: string) => ({
  path,
  title: path,
  aliases: [],
  headings: [],
  tags: [],
  frontmatter: '',
  body,
  bodyStart: 0,
  language: undefined,
})

test('notes that stand lower are found, below the others, and their score is explained to the end', () => {
  const index = new TextIndex()
  index.put(note('old/a', 'wombat wombat wombat'))
  index.put(note('b', 'a wombat and many other words'))
  const { hits, total } = searchText(index, 'wombat', {
    demote: (path) => path.startsWith('old/'),
    explain: true,
  })
  expect([hits.map((h) => h.path), total]).toEqual([['b', 'old/a'], 2])
  for (const { score, explanation = [] } of hits) {
    expect(explanation.reduce((sum, c) => sum + c.score, 0)).toBeCloseTo(score, 6)
  }
  expect(searchText(index, 'wombat').hits.map((h) => h.path)).toEqual(['old/a', 'b'])
})
