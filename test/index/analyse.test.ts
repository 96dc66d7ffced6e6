import { expect, test } from 'bun:test'
import { analyse } from '../../src/index/analyse.ts'
import { buildSegment } from '../../src/index/segment_writer.ts'
import { TextIndex } from '../../src/index/text_index.ts'
import { searchText } from '../../src/search/search.ts'
import { languageMask } from '../../src/text/language.ts'
import { doc } from './doc.ts'

const GERMAN = 'Das ist eine Notiz, die nicht auf Englisch ist.'
const FRENCH = 'Comment trouver les notes qui ont un lien vers celle-ci ?'

test.each<[says: string, body: string, own: string | undefined, pinned: string | null, right: string]>([
  ['guessed', GERMAN, undefined, null, 'de'],
  ['one pinned: it counts, whatever the text looks like', FRENCH, undefined, 'de', 'de'],
  ['several pinned: all of them', GERMAN, undefined, 'en de', 'en de'],
  ['what the note says of itself wins', GERMAN, 'fr', 'en', 'fr'],
  ['pinned to one without a stemmer: no stems', GERMAN, undefined, 'pl', ''],
])('%s', (_, body, language, pinned, right) => {
  const mask = pinned === null ? null : languageMask(pinned.split(' '))
  const built = new TextIndex(mask)
  built.put(doc('n.md', body, { language }))
  expect(built.view().languages).toBe(languageMask(right.split(' ')))
  const added = new TextIndex(mask)
  added.addSegment(buildSegment([doc('n.md', body, { language })], { languages: mask }))
  expect(added.view().languages).toBe(languageMask(right.split(' ')))
})

test('a pinned language brings the word forms that no guess would', () => {
  const find = (languages: number | null) => {
    const index = new TextIndex(languages)
    index.put(doc('n.md', 'Katzen'))
    return searchText(index, 'Katze').hits.map(({ path }) => path)
  }
  expect([find(null), find(languageMask(['de']))]).toEqual([[], ['n.md']])
})

test('tokens come field by field with their positions', () => {
  const tokens: [number, string, number][] = []
  analyse(doc('n.md', 'one two', { title: 'T' }), (...token) => tokens.push(token))
  expect(tokens).toEqual([
    [0, 't', 0],
    [5, 'one', 0],
    [5, 'two', 1],
  ])
})
