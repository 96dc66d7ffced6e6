import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { buildSegment } from '../../src/index/segment_writer.ts'
import { TextIndex } from '../../src/index/text_index.ts'
import type { IndexDocument } from '../../src/note/note.ts'
import { searchText } from '../../src/search/search.ts'
import { doc } from '../index/doc.ts'

const text = fc
  .array(
    fc.constantFrom(
      'fox',
      'foxes',
      'deploy',
      'deployed',
      'café',
      'cafe',
      'the',
      'und',
      'der',
      'laufen',
      'läuft',
      '検索',
      '検',
      'v1.2',
      'kebab-case',
      'kebab',
    ),
    { maxLength: 12 },
  )
  .map((words) => words.join(' '))
const step = fc.record({
  path: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
  body: text,
  language: fc.constantFrom('en', 'de', undefined),
  act: fc.constantFrom('put', 'put', 'put', 'remove', 'add', 'reload'),
  tidy: fc.nat(400),
})

const queries = [
  'fox',
  'deploying cafe',
  'laufen',
  '"kebab case"',
  'kebab-case v1.2',
  '検索',
  'fo* -the',
  '+fox der',
  'title:a the',
]

/** Whatever happened to the index, it has to answer as one that was built from the notes as they are now. */
test('after any sequence of changes the ranking is that of a fresh build', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let index = new TextIndex()
      const truth = new Map<string, IndexDocument>()
      for (const { path, body, language, act, tidy } of steps) {
        const note = doc(`${path}.md`, body, { language })
        if (act === 'reload') index = TextIndex.decode(index.encode())
        else if (act === 'remove') {
          index.remove(note.path)
          truth.delete(note.path)
        } else {
          if (act === 'put') index.put(note)
          else index.addSegment(buildSegment([note]))
          truth.set(note.path, note)
        }
        index.maintain(tidy)
      }
      const fresh = new TextIndex()
      fresh.addSegment(buildSegment(truth.values()))
      for (const query of queries)
        for (const fuzzy of [false, true])
          expect(ranking(index, query, fuzzy)).toEqual(ranking(fresh, query, fuzzy))
    }),
    { numRuns: 60 },
  )
})

function ranking(index: TextIndex, query: string, fuzzy: boolean) {
  const { hits, total, suggestions } = searchText(index, query, { fuzzy, limit: 100 })
  return { total, suggestions, hits: hits.map(({ path, score }) => ({ path, score })) }
}
