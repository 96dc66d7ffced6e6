import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { VaultError } from '../../src/errors.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { type HybridQuery, hybridSearch } from '../../src/vault/hybrid.ts'
import { createRules } from '../../src/vault/rules.ts'
import { Vault } from '../../src/vault/vault.ts'
import { type Embedder, normalise } from '../../src/vector/embedder.ts'

/** Three things that are spoken of, each in several words: an axis each. */
const SUBJECTS = [
  ['cat', 'kitten', 'feline', 'purr'],
  ['car', 'engine', 'motor', 'vehicle'],
  ['tea', 'coffee', 'brew', 'pour'],
]

function embed(text: string): Float32Array {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? []
  const vector = Float32Array.from([...SUBJECTS.map((s) => words.filter((w) => s.includes(w)).length), 0.2])
  return normalise(vector)
}

const speaks = (text: string) => !/[\u4e00-\u9fff]/.test(text)
const asked: string[] = []
const embedder: Embedder = {
  space: 'subjects',
  identity: 'subjects#1',
  batch: 8,
  dimensions: 4,
  maxTokens: 60,
  speaks,
  countTokens: async (texts) => texts.map((t) => Math.ceil(t.length / 4)),
  embedDocuments: async (texts) => texts.map(embed),
  embedQuery: async (text) => {
    asked.push(text)
    return embed(text)
  },
  close: async () => {},
}

const LONG = `# Manual\n\nIntro.\n\n## Animals\n\n${'The kitten likes to purr. '.repeat(8)}\n\n## Machines\n\n${'A motor in a vehicle. '.repeat(9)}\n`
const FILES = {
  'pets.md': '---\ntags: [home]\n---\n# Pets\n\nOur kitten and the feline next door. See [[garage]].\n',
  'garage.md': '# Garage\n\nThe engine is loud.\n',
  'drinks/cold.md': '# Cold\n\nHow to brew coffee and pour it over ice.\n',
  'drinks/warm.md': '# Warm\n\nHow to brew coffee, hot.\n',
  'manual.md': LONG,
  '茶.md': '# 茶\n\n绿茶用八十度的水冲泡。\n',
}

const root = mkdtempSync(join(tmpdir(), 'knap-hybrid-'))
let vault: Vault
beforeAll(async () => {
  vault = await openVault(memoryStorage(FILES), 'a')
  await vault.semantic!.settled()
})
afterAll(async () => {
  await vault.close()
  rmSync(root, { recursive: true, force: true })
})

async function openVault(
  storage: ReturnType<typeof memoryStorage>,
  name: string,
  open = async () => embedder,
) {
  const opened = await Vault.open({
    name,
    storage,
    root: null,
    rules: createRules({}),
    excludePatterns: [],
    dataDir: join(root, name, 'data'),
    cacheDir: join(root, name, 'cache'),
    watch: false,
    allowHidden: false,
    locale: 'en',
    timezone: 'UTC',
    semantic: {
      open,
      source: 'hash',
      startAfterMs: 60_000,
      prefetch: 50,
      alpha: 0.25,
      graphFrom: 20_000,
      notesAtOnce: 64,
    },
  })
  await opened.built()
  return opened
}

const DEFAULTS: Omit<HybridQuery, 'query'> = {
  limit: 6,
  perNote: 2,
  folders: [],
  tags: [],
  where: [],
  expandLinks: false,
  minSimilarity: 0.5,
  fusion: 'auto',
}
const search = (query: string, more: Partial<HybridQuery> = {}) =>
  hybridSearch(vault, { ...DEFAULTS, ...more, query })
const paths = async (query: string, more: Partial<HybridQuery> = {}) => [
  ...new Set((await search(query, more)).passages.map((p) => p.path as string)),
]

describe('which notes', () => {
  test.each([
    { query: 'cat', more: {}, right: ['pets.md', 'manual.md'] },
    { query: 'coffee -pour', more: {}, right: ['drinks/warm.md'] },
    { query: 'coffee NOT "pour it"', more: {}, right: ['drinks/warm.md'] },
    { query: 'tea +ice', more: {}, right: ['drinks/cold.md'] },
    { query: 'cat tag:#home', more: {}, right: ['pets.md'] },
    { query: 'tea path:drinks', more: {}, right: ['drinks/warm.md', 'drinks/cold.md'] },
    { query: 'car', more: { folders: ['garage.md'] }, right: ['garage.md'] },
    { query: 'cat', more: { tags: ['home', 'other'] }, right: ['pets.md'] },
    { query: 'cat', more: { minSimilarity: 1 }, right: [] },
    { query: 'kitten', more: { fusion: 'rrf' }, right: ['manual.md', 'pets.md'] },
    { query: '-coffee', more: { limit: 50 }, right: ['garage.md', 'manual.md', 'pets.md', '茶.md'] },
  ] as { query: string; more: Partial<HybridQuery>; right: string[] }[])(
    '$query $more',
    async ({ query, more, right }) => {
      const found = await paths(query, more)
      expect(query.startsWith('-') ? found.sort() : found).toEqual(right)
    },
  )

  test.each(['', '??', '( ) "', '-> …'])('%j asks nothing, and the answer says so', async (query) => {
    asked.length = 0
    expect(await search(query, { minSimilarity: 0 })).toEqual({
      passages: [],
      total: 0,
      notice: 'The query holds no word to look for.',
    })
    expect(asked).toEqual([])
  })

  test('what is left out is not part of what is asked', async () => {
    asked.length = 0
    await search('coffee -pour')
    expect(asked).toEqual(['coffee'])
  })
})

describe('passages', () => {
  test('of a long note the section that is meant, with heading, line and cosine', async () => {
    const { passages } = await search('feline', { folders: ['manual.md'], perNote: 1 })
    expect(passages).toHaveLength(1)
    expect(passages[0]).toMatchObject({ heading: 'Animals', line: 7, lexical: null })
    expect(passages[0]!.text).toStartWith('The kitten')
    expect(passages[0]!.match).toBe(Math.round(100 * passages[0]!.semantic!))
  })

  test('the line is one of the passage, also where words of the question stand before it', async () => {
    const { passages } = await search('intro vehicle', { folders: ['manual.md'], perNote: 1 })
    expect(passages[0]).toMatchObject({ heading: 'Machines', line: 11 })
    expect(passages[0]!.text).toStartWith('A motor')
  })

  test('at most as many of one note as are wanted, and as many as there is room for', async () => {
    const of = async (perNote: number, limit: number) =>
      (await search('cat car', { perNote, limit, folders: ['manual.md'] })).passages.length
    expect([await of(1, 6), await of(2, 6), await of(2, 1)]).toEqual([1, 2, 1])
  })

  test('linked notes come after the hits, marked with the note that links there', async () => {
    const { passages } = await search('cat', { expandLinks: true, tags: [] })
    expect(passages.at(-1)).toMatchObject({ path: 'garage.md', linked: 'pets.md' })
    expect(passages.at(-1)!.text).toContain('engine')
  })

  test('a token budget takes whole passages only', async () => {
    const all = (await search('coffee')).passages
    const { passages } = await search('coffee', { tokenBudget: 20 })
    expect(passages.length).toBeGreaterThan(0)
    expect(passages.length).toBeLessThan(all.length + 1)
    for (const { text } of passages) expect(all.map((p) => p.text)).toContain(text)
  })
})

describe('one half alone', () => {
  test('a language that the model does not speak is answered by words, which is said', async () => {
    const { passages, notice } = await search('绿茶')
    expect(passages.map((p) => p.path as string)).toEqual(['茶.md'])
    expect(notice).toContain('does not speak the language')
  })

  test('without a model words answer, and why is said', async () => {
    const fails = () => Promise.reject(new VaultError('unavailable', 'No model today.', { hint: 'wait' }))
    const other = await openVault(memoryStorage(FILES), 'b', fails)
    const { passages, notice } = await hybridSearch(other, { ...DEFAULTS, query: 'kitten' })
    expect(passages.map((p) => p.path as string).sort()).toEqual(['manual.md', 'pets.md'])
    expect(notice).toBe('No model today. These are keyword hits.')
    await other.close()
  })

  test('notes that have no vector yet are judged by their words, and how many they are is said', async () => {
    let go = () => {}
    const gate = new Promise<void>((resolve) => {
      go = resolve
    })
    let calls = 0
    const slow = {
      ...embedder,
      batch: 1,
      embedDocuments: async (texts: readonly string[]) => {
        if (++calls > 2) await gate
        return texts.map(embed)
      },
    }
    const many = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`n${i}.md`, `kitten ${i}`]))
    const other = await openVault(memoryStorage({ ...many, 'z.md': 'quokka quokka' }), 'c', async () => slow)
    other.semantic!.begin()
    while (other.semantic!.status.indexed_notes < 2) await Bun.sleep(2)
    const found = await hybridSearch(other, { ...DEFAULTS, query: 'quokka' })
    expect(found.passages[0]).toMatchObject({ path: 'z.md', semantic: null })
    expect(found.notice).toStartWith('Search by meaning knows 2 of 13 notes')
    go()
    await other.close()
  })
})
