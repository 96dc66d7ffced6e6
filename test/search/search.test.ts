import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { TextIndex } from '../../src/index/text_index.ts'
import type { IndexDocument } from '../../src/note/note.ts'
import { type SearchOptions, searchText } from '../../src/search/search.ts'
import { doc } from '../index/doc.ts'

type Notes = Record<string, string | Partial<IndexDocument>>

function indexOf(notes: Notes): TextIndex {
  const index = new TextIndex()
  for (const [path, note] of Object.entries(notes))
    index.put(typeof note === 'string' ? doc(path, note) : doc(path, note.body ?? '', note))
  return index
}

function found(notes: Notes, query: string, options: SearchOptions = {}): string[] {
  return searchText(indexOf(notes), query, options).hits.map(({ path }) => path)
}

interface Case {
  what: string
  notes: Notes
  query: string
  options?: SearchOptions
  right: string[]
  /** Else the order is not looked at. */
  ordered?: boolean
}

const FOXES: Notes = {
  'a.md': 'the red fox runs',
  'b.md': 'the fox is red and lazy',
  'd.md': 'a lazy dog',
}

const cases: Case[] = [
  // Syntax
  { what: 'any of the words', notes: FOXES, query: 'fox lazy', right: ['b.md', 'a.md', 'd.md'] },
  { what: 'more words first', notes: FOXES, query: 'red lazy', right: ['b.md', 'd.md', 'a.md'].slice(0, 3) },
  { what: 'a phrase', notes: FOXES, query: '"red fox"', right: ['a.md'] },
  { what: 'a phrase in any order with slop', notes: FOXES, query: '"fox red"~2', right: ['a.md', 'b.md'] },
  { what: 'an exclusion', notes: FOXES, query: 'fox -lazy', right: ['a.md'] },
  { what: 'NOT', notes: FOXES, query: 'fox NOT lazy', right: ['a.md'] },
  { what: 'only an exclusion: the rest', notes: FOXES, query: '-lazy', right: ['a.md'] },
  { what: 'AND', notes: FOXES, query: 'fox AND lazy', right: ['b.md'] },
  { what: 'what must be there', notes: FOXES, query: '+lazy fox', right: ['b.md', 'd.md'] },
  { what: 'parentheses', notes: FOXES, query: '(fox OR dog) AND lazy', right: ['b.md', 'd.md'] },
  { what: 'a prefix', notes: FOXES, query: 'la*', right: ['b.md', 'd.md'] },
  {
    what: 'a prefix of accented words',
    notes: { 'a.md': 'résumé', 'b.md': 'rest' },
    query: 'resu*',
    right: ['a.md'],
  },
  { what: 'no word', notes: FOXES, query: '"" -', right: [] },
  { what: 'a word that is nowhere', notes: FOXES, query: 'xyzzy', right: [] },
  { what: 'a word twice is one word', notes: FOXES, query: 'dog dog', right: ['d.md'] },
  // Forms
  {
    what: 'stems',
    notes: { 'a.md': 'Deployment of tomatoes in the kitchen' },
    query: 'deploying',
    right: ['a.md'],
  },
  { what: 'capitals', notes: { 'a.md': 'Москва' }, query: 'МОСКВА', right: ['a.md'] },
  {
    what: 'accents, the exact spelling first',
    notes: { 'a.md': 'café', 'b.md': 'cafe' },
    query: 'cafe',
    right: ['b.md', 'a.md'],
    ordered: true,
  },
  {
    what: 'accents typed, the exact spelling first',
    notes: { 'a.md': 'cafe', 'b.md': 'café' },
    query: 'café',
    right: ['b.md', 'a.md'],
    ordered: true,
  },
  {
    what: 'quotes mean the very spelling',
    notes: { 'a.md': 'resume', 'b.md': 'résumé' },
    query: '"résumé"',
    right: ['b.md'],
  },
  { what: 'ss for ß', notes: { 'a.md': 'Straße' }, query: 'strasse', right: ['a.md'] },
  { what: 'е for ё', notes: { 'a.md': 'ещё' }, query: 'еще', right: ['a.md'] },
  // Identifiers
  {
    what: 'a part of an identifier',
    notes: { 'a.md': 'see WorkspaceLeaf here' },
    query: 'leaf',
    right: ['a.md'],
  },
  {
    what: 'an identifier for its words',
    notes: { 'a.md': 'the workspace leaf', 'b.md': 'leaf' },
    query: 'WorkspaceLeaf',
    right: ['a.md'],
  },
  {
    what: 'a hyphen for a blank',
    notes: { 'a.md': 'kebab case', 'b.md': 'case' },
    query: 'kebab-case',
    right: ['a.md'],
  },
  {
    what: 'a blank for a hyphen',
    notes: { 'a.md': 'kebab-case', 'b.md': 'kettle' },
    query: 'kebab case',
    right: ['a.md'],
  },
  {
    what: 'a key of an issue',
    notes: { 'a.md': 'fixed IT-644 today', 'b.md': 'it is 6' },
    query: 'IT-644',
    right: ['a.md'],
  },
  {
    what: 'a version',
    notes: { 'a.md': 'since 1.0.21', 'b.md': 'since 1.0.2, 21' },
    query: '1.0.21',
    right: ['a.md'],
  },
  {
    what: 'a version in quotes',
    notes: { 'a.md': 'since 1.0.21', 'b.md': 'since 1.0.2' },
    query: '"1.0.21"',
    right: ['a.md'],
  },
  { what: 'a decimal', notes: { 'a.md': '38.101', 'b.md': '38 and 101' }, query: '38.101', right: ['a.md'] },
  { what: 'not the end of a word', notes: { 'a.md': 'i18n' }, query: '18n', right: [] },
  {
    what: 'a command',
    notes: { 'a.md': 'run ssh -T git now', 'b.md': 'git ssh' },
    query: '"ssh -T git"',
    right: ['a.md'],
  },
  {
    what: 'a title with a dash',
    notes: { 'Book - Some Book.md': 'x' },
    query: 'Book - Some',
    right: ['Book - Some Book.md'],
  },
  { what: 'a namespace', notes: { 'a.md': 'use grammar::fa' }, query: 'grammar::fa', right: ['a.md'] },
  { what: 'C++', notes: { 'a.md': 'C++ and more', 'b.md': 'C only' }, query: 'C++', right: ['a.md'] },
  {
    what: 'all parts where they are nowhere side by side',
    notes: { 'a.md': 'client and then server', 'b.md': 'client' },
    query: 'client/server',
    right: ['a.md'],
  },
  // Near words
  { what: 'no near words unasked', notes: { 'a.md': 'architecture' }, query: 'architeture', right: [] },
  {
    what: 'near words',
    notes: { 'a.md': 'architecture' },
    query: 'architeture',
    options: { fuzzy: true },
    right: ['a.md'],
  },
  {
    what: 'a swap',
    notes: { 'python.md': 'snakes' },
    query: 'pyhton',
    options: { fuzzy: true },
    right: ['python.md'],
  },
  {
    what: 'near words below exact ones, however often they come',
    notes: { 'near.md': 'house house house house', 'exact.md': `horse ${'filler '.repeat(200)}` },
    query: 'horse',
    options: { fuzzy: true },
    right: ['exact.md', 'near.md'],
    ordered: true,
  },
  {
    what: 'no near words for short ones',
    notes: { 'a.md': 'cat', 'b.md': 'car' },
    query: 'cat',
    options: { fuzzy: true },
    right: ['a.md'],
  },
  {
    what: 'exclusions are exact',
    notes: { 'a.md': 'python tools' },
    query: 'tools -pyhton',
    options: { fuzzy: true },
    right: ['a.md'],
  },
  // Ideographs
  {
    what: 'a name inside a sentence',
    notes: { 'a.md': '把機器推論洗成權威事實' },
    query: '權威事實',
    right: ['a.md'],
  },
  { what: 'a name has to stand together', notes: { 'a.md': '權威的事實' }, query: '權威事實', right: [] },
  {
    what: 'two characters',
    notes: { 'a.md': '刷新令牌怎么实现', 'b.md': '令人牌子' },
    query: '令牌',
    right: ['a.md'],
  },
  { what: 'one character', notes: { 'a.md': '刷新令牌', 'b.md': '系统' }, query: '牌', right: ['a.md'] },
  {
    what: 'ideographs beside letters',
    notes: { 'a.md': '认证系统使用JWT令牌' },
    query: 'jwt',
    right: ['a.md'],
  },
  {
    what: 'ideographs beside letters, the other side',
    notes: { 'a.md': '认证系统使用JWT令牌' },
    query: '认证',
    right: ['a.md'],
  },
  {
    what: 'a long question: any of it, the most first',
    notes: { 'a.md': '令牌的实现', 'b.md': '刷新令牌怎么实现', 'c.md': '系统' },
    query: '刷新令牌怎么实现',
    right: ['b.md', 'a.md'],
    ordered: true,
  },
  {
    what: 'blanks between ideographs separate words',
    notes: { 'a.md': '记忆记忆记忆', 'b.md': '记忆系统', 'c.md': '系统' },
    query: '记忆 系统',
    right: ['b.md', 'a.md', 'c.md'],
  },
  {
    what: 'a name with a blank in it where no note has it without',
    notes: { 'a.md': '记忆 系统' },
    query: '记忆系统',
    right: ['a.md'],
  },
  {
    what: 'a name without a blank where a note has it',
    notes: { 'a.md': '记忆 系统', 'b.md': '记忆系统' },
    query: '记忆系统',
    right: ['b.md'],
  },
  {
    what: 'blanks between ideographs in the text',
    notes: { 'a.md': '记忆 系统' },
    query: '记忆',
    right: ['a.md'],
  },
  { what: 'full width', notes: { 'a.md': '这是ＡＰＩ文档' }, query: 'api', right: ['a.md'] },
  { what: 'letters inside a run end it', notes: { 'a.md': '我喜欢hello你好' }, query: '欢你', right: [] },
  { what: 'katakana for hiragana', notes: { 'a.md': 'ひらがな' }, query: 'ヒラガナ', right: ['a.md'] },
  { what: 'Hangul', notes: { 'a.md': '한국어 문서를 검색' }, query: '문서', right: ['a.md'] },
  { what: 'Thai', notes: { 'a.md': 'ค้นหาบันทึกของฉัน' }, query: 'บันทึก', right: ['a.md'] },
  // Fields
  {
    what: 'the title alone',
    notes: { 'fox.md': 'dog', 'dog.md': 'fox' },
    query: 'title:fox',
    right: ['fox.md'],
  },
  {
    what: 'fields as an option',
    notes: { 'fox.md': 'dog', 'dog.md': 'fox' },
    query: 'fox',
    options: { fields: ['body'] },
    right: ['dog.md'],
  },
  {
    what: 'a field that the option leaves out',
    notes: { 'fox.md': 'dog' },
    query: 'title:fox',
    options: { fields: ['body'] },
    right: [],
  },
  {
    what: 'aliases',
    notes: { 'a.md': { aliases: ['Reineke Fuchs'] } },
    query: 'aliases:fuchs',
    right: ['a.md'],
  },
  {
    what: 'no phrase across aliases',
    notes: { 'a.md': { aliases: ['one two', 'three'] } },
    query: '"two three"',
    right: [],
  },
  {
    what: 'the parent of a tag',
    notes: { 'a.md': { tags: ['lang/rust'] } },
    query: 'lang',
    options: { fields: ['tags'] },
    right: ['a.md'],
  },
  {
    what: 'a nested tag',
    notes: { 'a.md': { tags: ['lang/rust'] } },
    query: 'lang/rust',
    options: { fields: ['tags'] },
    right: ['a.md'],
  },
  { what: 'properties', notes: { 'a.md': { frontmatter: 'owner zebra' } }, query: 'zebra', right: ['a.md'] },
  {
    what: 'a name before a mention',
    notes: {
      'zebu.md': '# Zebu\n\nStripes.',
      'animals.md': 'A long text about many animals, the zebu is one of them',
    },
    query: 'zebu',
    right: ['zebu.md', 'animals.md'],
    ordered: true,
  },
  // Filters
  { what: 'a folder', notes: { 's/a.md': 'x', 'sa.md': 'x' }, query: 'x path:s', right: ['s/a.md'] },
  { what: 'a folder alone', notes: { 's/a.md': 'x', 'b.md': 'x' }, query: 'path:"s/"', right: ['s/a.md'] },
  { what: 'not a folder', notes: { 's/a.md': 'x', 'b.md': 'x' }, query: 'x -path:s', right: ['b.md'] },
  {
    what: 'words are not optional beside a filter',
    notes: { 's/a.md': 'x', 's/b.md': 'y' },
    query: 'x path:s',
    right: ['s/a.md'],
  },
  {
    what: 'a tag, asked of the caller',
    notes: { 'a.md': 'x', 'b.md': 'x' },
    query: 'x tag:#t/u',
    options: { tagFilter: (tag) => (path) => tag === 't/u' && path === 'b.md' },
    right: ['b.md'],
  },
  {
    what: 'a property, asked of the caller',
    notes: { 'a.md': 'x', 'b.md': 'x' },
    query: '[status:done]',
    options: {
      propertyFilter: (key, value) => (path) => `${key}=${value}` === 'status=done' && path === 'a.md',
    },
    right: ['a.md'],
  },
  {
    what: 'either of two filters',
    notes: { 's/a.md': 'x', 't/b.md': 'x', 'c.md': 'x' },
    query: 'x path:s OR path:t',
    right: ['s/a.md', 't/b.md'],
  },
  {
    what: 'a set of paths',
    notes: FOXES,
    query: 'fox',
    options: { filter: new Set(['b.md']) },
    right: ['b.md'],
  },
  {
    what: 'a test of paths',
    notes: FOXES,
    query: 'fox',
    options: { filter: (path) => path < 'b' },
    right: ['a.md'],
  },
]

describe('found is', () => {
  test.each(cases)('$what: $query → $right', ({ notes, query, options, right, ordered }) => {
    const paths = found(notes, query, options)
    if (ordered) expect(paths).toEqual(right)
    else expect([...paths].sort()).toEqual([...right].sort())
  })
})

test('notes with all words stand first, whatever else they hold', () => {
  expect(found(FOXES, 'red lazy')[0]).toBe('b.md')
  const notes = {
    '记忆.md': '# 记忆\n\n记忆记忆记忆',
    'b.md': `${'字'.repeat(500)}。记忆系统`,
    'c.md': '系统',
  }
  expect(found(notes, '记忆 系统')[0]).toBe('b.md')
})

test('everything is ranked before it is cut; what scores alike comes by path', () => {
  const notes = Object.fromEntries(
    Array.from({ length: 60 }, (_, i) => [`n${(i * 7) % 60}.md`, 'same words']),
  )
  const index = indexOf(notes)
  const all = searchText(index, 'words', { limit: 100 })
  expect(all.total).toBe(60)
  expect(all.hits.map(({ path }) => path)).toEqual(Object.keys(notes).sort())
  for (const [offset, limit] of [
    [0, 5],
    [5, 5],
    [58, 10],
    [60, 5],
    [0, 0],
  ] as const) {
    const page = searchText(index, 'words', { limit, offset })
    expect(page.total).toBe(60)
    expect(page.hits.map(({ path }) => path)).toEqual(
      all.hits.slice(offset, offset + limit).map(({ path }) => path),
    )
  }
})

test('for a word that is nowhere the nearest ones are named', () => {
  const index = indexOf({ 'a.md': 'python python', 'b.md': 'python', 'c.md': 'pythons' })
  expect(searchText(index, 'pyhton').suggestions).toEqual([{ word: 'pyhton', near: ['python'] }])
  expect(searchText(index, 'python').suggestions).toEqual([])
  expect(searchText(index, 'qqqqqq').suggestions).toEqual([])
  expect(searchText(index, 'title:python').suggestions).toEqual([])
})

test('a question without words says so', () => {
  const { hasWords, hits, understood } = searchText(indexOf(FOXES), '""')
  expect([hasWords, hits.length, understood]).toEqual([false, 0, 'nothing: there is no word in it'])
})

const words = [
  'fox',
  'foxes',
  'red',
  'lazy',
  'kebab-case',
  'WorkspaceLeaf',
  '検索語',
  '日本語の検索',
  'café',
  'v1.2',
  'dog',
]
const body = fc
  .array(fc.constantFrom(...words), { minLength: 1, maxLength: 15 })
  .map((list) => list.join(' '))
const query = fc
  .array(
    fc.tuple(
      fc.constantFrom('', '', '', '+', '-', 'title:', '"', 'NOT '),
      fc.constantFrom(...words, 'fo*', '(fox dog)', 'nowhere'),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((list) => list.map(([sign, word]) => sign + word + (sign === '"' ? '"' : '')).join(' '))

test('the parts of a score add up to it', () => {
  fc.assert(
    fc.property(
      fc.array(body, { minLength: 1, maxLength: 8 }),
      query,
      fc.boolean(),
      (bodies, text, fuzzy) => {
        const index = indexOf(
          Object.fromEntries(bodies.map((one, i) => [`fox ${i}.md`, `# red ${i}\n\n${one}`])),
        )
        for (const { score, explanation } of searchText(index, text, { fuzzy, explain: true }).hits) {
          expect(score).toBeGreaterThan(0)
          if (explanation!.length === 0) expect(score).toBe(1)
          else
            expect(Math.abs(explanation!.reduce((sum, part) => sum + part.score, 0) - score)).toBeLessThan(
              1e-6,
            )
        }
      },
    ),
    { numRuns: 300 },
  )
})

test('an explanation names word, field and figures', () => {
  const index = indexOf({ 'fox.md': 'a fox here', 'b.md': 'none' })
  const [hit] = searchText(index, 'fox', { explain: true }).hits
  const figures = hit!.explanation!.map(({ word, match, field, tf, length, boost }) => ({
    word,
    match,
    field,
    tf,
    length,
    boost,
  }))
  expect(figures).toEqual([
    { word: 'fox', match: 'word', field: 'title', tf: 1, length: 1, boost: 5 },
    { word: 'fox', match: 'word', field: 'body', tf: 1, length: 3, boost: 1 },
  ])
})

test('any text is answered, and soon', () => {
  const index = indexOf(FOXES)
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 100 }), fc.boolean(), (text, fuzzy) => {
      const before = performance.now()
      searchText(index, text, { fuzzy, explain: true })
      return performance.now() - before < 500
    }),
    { numRuns: 500 },
  )
})
