import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Corpus, readCorpus } from '../../src/docs/corpus.ts'
import { loadCorpus, saveCorpus } from '../../src/docs/corpus_file.ts'
import { embedCorpus } from '../../src/docs/embedding.ts'
import { FragmentTable } from '../../src/docs/fragment_table.ts'
import { hashEmbedder } from '../../src/vector/embedders/hash.ts'

const folder = mkdtempSync(join(tmpdir(), 'knap-corpus-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const { signal } = new AbortController()

async function sample(): Promise<Corpus> {
  async function* pages() {
    yield { path: 'A.md', text: '---\naliases: [first]\n---\n# Ä\nWörter 😀\n## B\nmore' }
    yield { path: 'B.md', text: 'other words' }
  }
  const read = await readCorpus(
    { pages, count: 2, left: [], close: async () => {} },
    { signal, progress: () => {}, most: 1000 },
  )
  const facts = {
    name: 'manual',
    configured: 'here',
    folders: ['en'],
    indexedAt: '2026-01-01T00:00:00.000Z',
    mark: 'm',
    validators: { etag: '"e"', modified: null },
    left: [{ path: 'X.md', reason: 'it is a link' }],
  }
  const corpus: Corpus = { facts, ...read, vectors: null }
  await embedCorpus(corpus, { embedder: hashEmbedder(), known: null, signal, progress: () => {} })
  return corpus
}

const corpus = await sample()
const file = join(folder, 'manual.knap')
await saveCorpus(file, corpus)
const bytes = readFileSync(file)

test('what is written is read', async () => {
  const read = (await loadCorpus(file)) as Corpus
  expect(read.facts).toEqual(corpus.facts)
  expect([...read.fragments.all()]).toEqual([...corpus.fragments.all()])
  expect([...read.index.paths()].sort()).toEqual([...corpus.index.paths()].sort())
  expect([...(read.vectors?.notes() ?? [])]).toEqual([...(corpus.vectors?.notes() ?? [])])
  expect(read.fragments.get('A.md#0000')).toEqual({
    id: 'A.md#0000',
    path: 'A.md',
    title: 'A',
    aliases: ['first'],
    headings: ['Ä'],
    text: 'Wörter 😀',
  })
})

test('its version is its own, so that a manual outlives a change in how notes are indexed', () => {
  expect(bytes.readUInt32LE(8)).toBe(3)
})

test('without vectors too', async () => {
  const bare = join(folder, 'bare.knap')
  await saveCorpus(bare, { ...corpus, vectors: null })
  expect((await loadCorpus(bare))?.vectors).toBeNull()
})

test('where there is no file there is no corpus', async () => {
  expect(await loadCorpus(join(folder, 'none.knap'))).toBeNull()
})

async function reason(damaged: Uint8Array): Promise<string> {
  const place = join(folder, 'damaged.knap')
  writeFileSync(place, damaged)
  return await loadCorpus(place).then(
    () => 'it was taken',
    (error) => (error as Error).message,
  )
}

describe('refused', () => {
  test('whichever byte is another one', async () => {
    for (let at = 0; at < bytes.length; at += 97) {
      const damaged = new Uint8Array(bytes)
      damaged[at]! ^= 0x10
      expect([at, await reason(damaged)]).not.toEqual([at, 'it was taken'])
    }
  })

  test('wherever it is cut off', async () => {
    for (const length of [0, 7, 24, 100, bytes.length >> 1, bytes.length - 1])
      expect(await reason(bytes.subarray(0, length))).not.toBe('it was taken')
  })

  test('parts that do not belong together', async () => {
    const { pages, rows } = corpus.fragments.rows
    const fragments = new FragmentTable({ pages, rows: rows.slice(1) }, corpus.fragments.texts)
    const place = join(folder, 'strange.knap')
    await saveCorpus(place, { ...corpus, fragments })
    expect(await reason(readFileSync(place))).toBe('its index does not fit')
  })
})
