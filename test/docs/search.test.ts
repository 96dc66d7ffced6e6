import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Corpus, readCorpus } from '../../src/docs/corpus.ts'
import { embedCorpus } from '../../src/docs/embedding.ts'
import { type DocsHit, type DocsQuery, searchCorpora } from '../../src/docs/search.ts'
import { hashEmbedder } from '../../src/vector/embedders/hash.ts'

const { signal } = new AbortController()

async function corpusOf(
  files: Record<string, string>,
  { name = 'manual', vectors = false } = {},
): Promise<Corpus> {
  async function* pages() {
    for (const [path, text] of Object.entries(files)) yield { path, text }
  }
  const read = await readCorpus(
    { pages, count: Object.keys(files).length, left: [], close: async () => {} },
    { signal, progress: () => {}, most: 1000 },
  )
  const facts = { name, configured: '', folders: [], indexedAt: '', mark: null, validators: null, left: [] }
  const corpus: Corpus = { facts, ...read, vectors: null }
  if (vectors)
    await embedCorpus(corpus, { embedder: hashEmbedder(), known: null, signal, progress: () => {} })
  return corpus
}

async function ask(
  corpora: Corpus | Corpus[],
  query: string,
  { meaning = false, ...more }: Partial<DocsQuery> & { meaning?: boolean } = {},
): Promise<DocsHit[]> {
  const model = hashEmbedder()
  const vector = meaning ? await model.embedQuery(query, signal) : null
  return searchCorpora([corpora].flat(), { query, limit: 10, vector, identity: model.identity, ...more })
}

const ids = (hits: readonly DocsHit[]) => hits.map(({ fragment }) => fragment.id)

describe('exact symbols come first', () => {
  const files = {
    'Leaves.md':
      '# Leaves\nA leaf of the workspace, workspace leaf, leaf, leaf: views live in leaves of the workspace.',
    'Reference/WorkspaceLeaf.md': '# Methods\nIt holds one view.',
    'Guide.md':
      '# Views\nAsk `app.workspace` for one; it gives a WorkspaceLeaf.\n# registerView()\nPut in onload.',
    'Other.md': '# Other\nregister a view, register views, register the view: a view is registered',
  }
  test.each([
    { query: 'WorkspaceLeaf', right: ['Reference/WorkspaceLeaf.md#0000', 'Guide.md#0000'] },
    {
      query: 'how does a WorkspaceLeaf of the workspace hold a leaf',
      right: ['Reference/WorkspaceLeaf.md#0000', 'Guide.md#0000'],
    },
    { query: 'registerView', right: ['Guide.md#0001'] },
    { query: 'register a view with registerView()', right: ['Guide.md#0001'] },
  ])('$query', async ({ query, right }) => {
    for (const meaning of [false, true]) {
      const corpus = await corpusOf(files, { vectors: true })
      expect(ids(await ask(corpus, query, { meaning })).slice(0, right.length)).toEqual([...right])
    }
  })
})

test('a long section is answered by its best part alone', async () => {
  const long = `# Long\n${'filler words here. '.repeat(100)}\n\nthe needle stands here\n\n${'more words here. '.repeat(100)}`
  const hits = await ask(await corpusOf({ 'A.md': long, 'B.md': '# B\nwords here' }), 'needle words here')
  expect(hits.map(({ fragment }) => fragment.path).sort()).toEqual(['A.md', 'B.md'])
  expect(hits.find(({ fragment }) => fragment.path === 'A.md')?.fragment.text).toContain('needle')
})

test('of two pages that say the same, the one that says more of it stands first', async () => {
  const corpus = await corpusOf({
    'A.md': '# One\nsync your notes\n# Two\nbake bread',
    'B.md': '# One\nsync your notes\n# Two\nnotes that sync',
  })
  expect(ids(await ask(corpus, 'sync notes', { limit: 1 }))).toEqual(['B.md#0000'])
})

const found: [query: string, pages: string[]][] = [
  ['views path:en/', ['en/A.md']],
  ['views -menu', ['en/A.md']],
  ['+menu views', ['de/B.md']],
  ['nothing of this', []],
  ['', []],
]
test('the words of its properties lead to the beginning of a page, which does not show them', async () => {
  const corpus = await corpusOf({
    'A.md': '---\ndescription: all about zebras\n---\n# A\nstripes\n# B\nmore',
  })
  const [hit] = await ask(corpus, 'zebras')
  expect(hit?.fragment).toMatchObject({ id: 'A.md#0000', text: 'stripes' })
})

test.each(found)('%j finds %j', async (query, right) => {
  const corpus = await corpusOf({ 'en/A.md': 'views', 'de/B.md': 'views and a menu' }, { vectors: true })
  expect((await ask(corpus, query)).map(({ fragment }) => fragment.path)).toEqual(right)
})

describe('the match', () => {
  const files = { 'A.md': 'kittens purr', 'B.md': 'engines roar', 'C.md': 'kittens and engines' }

  test('is the cosine where that is higher than the share of words', async () => {
    const corpus = await corpusOf(files, { vectors: true })
    const [exact] = await ask(corpus, 'A\n\nkittens purr', { meaning: true, limit: 1 })
    expect(exact).toMatchObject({ fragment: { path: 'A.md' }, match: 100 })
  })

  test('is no share of the best: who has few of the words matches little', async () => {
    const corpus = await corpusOf(files)
    const [half] = await ask(corpus, 'kittens zebras giraffes elephants crocodiles')
    const [whole] = await ask(corpus, 'kittens purr')
    expect(half?.match).toBeLessThan(whole?.match as number)
  })

  test('lies between 0 and 100, whatever is asked', async () => {
    const corpora = [await corpusOf(files, { vectors: true }), await corpusOf(files, { name: 'other' })]
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.boolean(), async (query, meaning) => {
        const hits = await ask(corpora, query, { meaning })
        expect(hits.every(({ match }) => Number.isInteger(match) && match >= 0 && match <= 100)).toBe(true)
        expect(await ask(corpora, query, { meaning })).toEqual(hits)
      }),
    )
  })
})

describe('several corpora', () => {
  test('are compared with each other: the best of all stands first', async () => {
    const small = await corpusOf({ 'S.md': 'one word about kittens' }, { name: 'small' })
    const large = await corpusOf(
      { 'L.md': '# Kittens\nkittens purr, kittens play', 'M.md': 'engines' },
      { name: 'large' },
    )
    expect((await ask([small, large], 'kittens purr')).map(({ corpus }) => corpus)).toEqual([
      'large',
      'small',
    ])
  })

  test('one without vectors is judged by its words, and takes part', async () => {
    const one = await corpusOf({ 'A.md': 'kittens purr' }, { name: 'one', vectors: true })
    const two = await corpusOf({ 'B.md': 'kittens purr loudly' }, { name: 'two' })
    const hits = await ask([one, two], 'kittens purr', { meaning: true })
    expect(hits.map(({ corpus }) => corpus).sort()).toEqual(['one', 'two'])
  })
})

test('vectors of another model are not compared', async () => {
  const corpus = await corpusOf({ 'A.md': 'kittens' }, { vectors: true })
  expect(await ask(corpus, 'kitten', { meaning: true, identity: 'another', way: 'meaning' })).toEqual([])
})
