import { expect, test } from 'bun:test'
import fc from 'fast-check'
import MiniSearch, { type Query } from 'minisearch'
import { TextIndex } from '../../src/index/text_index.ts'
import { searchText } from '../../src/search/search.ts'
import { tokenize } from '../../src/text/tokenize.ts'
import { doc } from '../index/doc.ts'

/** Words that are their own stem and folded form, so that both engines mean the same by a word. */
const word = fc.constantFrom('fox', 'red', 'dog', 'do', 'fog', 'tree', '令', '牌', '令牌', '42')
const body = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '))

function terms(text: string): string[] {
  const found: string[] = []
  tokenize(text, (term) => found.push(term))
  return found
}

type Form = { ours: string; theirs: Query }

const any: Form['theirs'] = MiniSearch.wildcard
const forms: ((a: string, b: string, c: string) => Form)[] = [
  (a, b) => ({ ours: `${a} ${b}`, theirs: { combineWith: 'OR', queries: [one(a), one(b)] } }),
  (a, b) => ({ ours: `${a} AND ${b}`, theirs: { combineWith: 'AND', queries: [one(a), one(b)] } }),
  (a, b) => ({ ours: `+${a} ${b}`, theirs: one(a) }),
  (a, b) => ({ ours: `${a} -${b}`, theirs: { combineWith: 'AND_NOT', queries: [one(a), one(b)] } }),
  (a) => ({ ours: `-${a}`, theirs: { combineWith: 'AND_NOT', queries: [any, one(a)] } }),
  (a) => ({ ours: `${a.slice(0, 2)}*`, theirs: { prefix: true, queries: [a.slice(0, 2)] } }),
  (a, b, c) => ({
    ours: `(${a} OR ${b}) AND ${c}`,
    theirs: { combineWith: 'AND', queries: [{ combineWith: 'OR', queries: [one(a), one(b)] }, one(c)] },
  }),
  (a, b, c) => ({
    ours: `${a} AND ${b} NOT ${c}`,
    theirs: { combineWith: 'AND_NOT', queries: [{ combineWith: 'AND', queries: [one(a), one(b)] }, one(c)] },
  }),
]

/** As a single term: without it the other engine would take a pair of ideographs for its two characters. */
function one(term: string): Query {
  return { queries: [term], tokenize: (text: string) => [text] }
}

test('finds the same notes as an independent engine with the same words', () => {
  fc.assert(
    fc.property(
      fc.array(body, { maxLength: 10 }),
      fc.constantFrom(...forms),
      fc.tuple(word, word, word),
      (bodies, form, words) => {
        const index = new TextIndex()
        const oracle = new MiniSearch({ fields: ['body'], tokenize: terms, processTerm: (term) => term })
        for (const [id, text] of bodies.entries()) {
          index.put(doc(`${id}.md`, text, { title: '' }))
          oracle.add({ id: `${id}.md`, body: text })
        }
        const { ours, theirs } = form(...words)
        const found = searchText(index, ours, { limit: 100 }).hits.map(({ path }) => path)
        const right = oracle.search(theirs, { tokenize: (text) => [text] }).map(({ id }) => String(id))
        expect({ ours, found: found.sort() }).toEqual({ ours, found: right.sort() })
      },
    ),
    { numRuns: 500 },
  )
})
