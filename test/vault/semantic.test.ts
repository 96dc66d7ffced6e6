import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { VaultError } from '../../src/errors.ts'
import type { VaultPath } from '../../src/note/path.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { createRules } from '../../src/vault/rules.ts'
import { Vault } from '../../src/vault/vault.ts'
import type { Embedder } from '../../src/vector/embedder.ts'
import { hashEmbedder } from '../../src/vector/embedders/hash.ts'
import { hnswLibrary } from '../../src/vector/hnsw_graph.ts'

setDefaultTimeout(20_000)
const cleanups: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean()
})

const bytes = (text: string) => new TextEncoder().encode(text)
const FILES = {
  'pets.md': '# Pets\n\nthe kitten purrs',
  'garage.md': '# Garage\n\nthe motor is loud',
  'empty.md': '',
}

/** An embedder that writes down what it was asked. */
function spied(more: Partial<Embedder> = {}) {
  const inner = hashEmbedder()
  const embedded: string[] = []
  const embedder: Embedder = {
    ...inner,
    embedDocuments: async (texts, signal) => {
      embedded.push(...texts)
      return await inner.embedDocuments(texts, signal)
    },
    ...more,
  }
  return { embedder, embedded }
}

async function open(
  storage: Storage,
  embedder: Embedder | (() => Promise<Embedder>),
  {
    root = mkdtempSync(join(tmpdir(), 'knap-sem-')),
    advice,
    graphFrom = 20_000,
  }: { root?: string; advice?: string; graphFrom?: number } = {},
) {
  cleanups.push(() => rmSync(root, { recursive: true, force: true }))
  const vault = await Vault.open({
    name: 'test',
    storage,
    root: null,
    rules: createRules({ exclude: ['Private/'] }),
    excludePatterns: [],
    dataDir: join(root, 'data'),
    cacheDir: join(root, 'cache'),
    watch: false,
    allowHidden: false,
    locale: 'en',
    timezone: 'UTC',
    semantic: {
      open: typeof embedder === 'function' ? embedder : async () => embedder,
      source: 'hash',
      startAfterMs: 0,
      prefetch: 50,
      notesAtOnce: 64,
      alpha: 0.25,
      graphFrom,
      ...(advice === undefined ? {} : { advice }),
    },
  })
  cleanups.push(() => vault.close())
  const semantic = vault.semantic!
  await vault.built()
  semantic.begin()
  return { vault, semantic, root, file: join(root, 'cache', 'vectors.knap') }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await Bun.sleep(2)
}

const found = async (semantic: Vault['semantic'], query: string) =>
  (await semantic!.ask(query))?.near({ most: 5, perNote: 1 }).map((h) => h.path)

describe('the life of the vectors', () => {
  test('every note is embedded, then it is ready and answers', async () => {
    const { embedder, embedded } = spied()
    const { semantic } = await open(memoryStorage({ ...FILES, 'Private/diary.md': 'secretword' }), embedder)
    await until(() => semantic.status.phase === 'ready')
    expect(semantic.status).toMatchObject({
      queryable: true,
      indexed_notes: 3,
      total_notes: 3,
      pending_notes: 0,
    })
    expect((await found(semantic, 'kitten'))?.[0]).toBe('pets.md')
    expect(embedded.join('\n')).not.toContain('secretword')
  })

  test('a change is embedded, an unchanged text never again, also under another name', async () => {
    const storage = memoryStorage(FILES)
    const { embedder, embedded } = spied()
    const { vault, semantic } = await open(storage, embedder)
    await until(() => semantic.status.phase === 'ready')
    embedded.length = 0
    const change = (path: string, text: string) =>
      vault.editor.change({ path, tool: 't', client: 'c', mode: 'upsert', edit: () => ({ text }) })
    await change('garage.md', '# Garage\n\nthe kitten sleeps here now')
    await until(() => embedded.length === 1 && semantic.status.phase === 'ready')
    await change('garage.md', '# Garage\n\nthe motor is loud')
    await until(() => semantic.status.pending_notes === 0)
    expect(embedded).toHaveLength(1)
    expect((await found(semantic, 'motor loud'))?.[0]).toBe('garage.md')
  })

  test('a deleted note is not found any more', async () => {
    const { vault, semantic } = await open(memoryStorage(FILES), spied().embedder)
    await until(() => semantic.status.phase === 'ready')
    await vault.editor.remove({ path: 'pets.md', tool: 't', client: 'c', permanent: true })
    await until(() => semantic.status.indexed_notes === 2)
    expect(await found(semantic, 'kitten')).not.toContain('pets.md')
  })

  test('the next start takes the vectors from disk; those of another model or damaged ones are made anew', async () => {
    const first = await open(memoryStorage(FILES), spied().embedder)
    await until(() => first.semantic.status.phase === 'ready')
    await first.vault.close()
    const again = spied()
    const second = await open(memoryStorage(FILES), again.embedder, { root: first.root })
    await until(() => second.semantic.status.phase === 'ready')
    expect(again.embedded).toEqual([])
    await second.vault.close()
    const other = spied({ space: 'another model', identity: 'another model#1' })
    const third = await open(memoryStorage(FILES), other.embedder, { root: first.root })
    await until(() => third.semantic.status.phase === 'ready')
    expect(other.embedded).toHaveLength(3)
    await third.vault.close()
    const file = readFileSync(third.file)
    file[file.length - 9]! ^= 1
    writeFileSync(third.file, file)
    const repaired = spied({ space: 'another model', identity: 'another model#1' })
    const fourth = await open(memoryStorage(FILES), repaired.embedder, { root: first.root })
    await until(() => fourth.semantic.status.phase === 'ready')
    expect(repaired.embedded).toHaveLength(3)
  })

  test('with more vectors than set they are searched along a graph where its library is there, and it is said', async () => {
    const { vault, semantic } = await open(memoryStorage(FILES), spied().embedder, { graphFrom: 1 })
    const right = (await hnswLibrary()) === null ? 'exact' : 'hnsw'
    await until(() => semantic.status.phase === 'ready' && vault.embeddings().search === right)
    expect((await found(semantic, 'kitten'))?.[0]).toBe('pets.md')
  })

  test('a model that fails is degraded, says why, and is tried again', async () => {
    let tries = 0
    const { semantic } = await open(memoryStorage(FILES), async () => {
      if (++tries < 2) throw new VaultError('unavailable', 'no model today', { hint: 'wait' })
      return hashEmbedder()
    })
    await until(() => semantic.status.phase === 'degraded')
    expect(semantic.status).toMatchObject({ queryable: false, last_error: 'no model today' })
    await until(() => semantic.status.phase === 'ready')
    expect(tries).toBe(2)
  })

  test('a language that the model does not speak gets no vectors, no answer from them, and a hint', async () => {
    const speaks = (text: string) => !/[\u4e00-\u9fff]/.test(text)
    const { embedder, embedded } = spied({ speaks })
    const storage = memoryStorage({ ...FILES, 'zh.md': '全文检索' })
    const { vault, semantic } = await open(storage, embedder, { advice: 'Get another model.' })
    await until(() => semantic.status.phase === 'ready')
    expect(embedded.join()).not.toContain('检索')
    expect(await found(semantic, '检索')).toBeUndefined()
    expect(['pets.md', 'zh.md'].map((path) => semantic.has(path as VaultPath))).toEqual([true, false])
    expect(semantic.status).toMatchObject({ indexed_notes: 4, unspoken_notes: 1 })
    expect(vault.embeddings().hint).toBe(
      '1 of 4 notes are in languages that the model does not speak; they are found by their words. Get another model.',
    )
  })

  test('other rules of cutting: the old vectors answer meanwhile, and equal pieces are not embedded again', async () => {
    const first = await open(memoryStorage(FILES), spied().embedder)
    await until(() => first.semantic.status.phase === 'ready')
    await first.vault.close()
    const { space } = hashEmbedder()
    const never = spied({
      identity: `${space}#other`,
      countTokens: () => new Promise(() => {}),
      maxTokens: 1,
    })
    const waiting = await open(memoryStorage(FILES), { ...never.embedder, batch: 1 }, { root: first.root })
    // Nothing can be cut any more, and still there is an answer.
    await until(() => waiting.semantic.status.indexed_notes === 3)
    expect(waiting.semantic.status).toMatchObject({ phase: 'warming', queryable: true })
    await waiting.vault.close()
    const again = spied({ identity: `${space}#other` })
    const third = await open(memoryStorage(FILES), again.embedder, { root: first.root })
    await until(() => third.semantic.status.phase === 'ready')
    expect(again.embedded).toEqual([])
    expect((await found(third.semantic, 'kitten'))?.[0]).toBe('pets.md')
  })

  test('one text that the model refuses stops no other one, and is tried again when it changes', async () => {
    const inner = hashEmbedder()
    const picky = {
      ...inner,
      embedDocuments: async (texts: readonly string[], signal: AbortSignal) => {
        if (texts.some((t) => t.includes('motor')))
          throw new VaultError('bad_argument', 'not this text', { hint: 'none' })
        return await inner.embedDocuments(texts, signal)
      },
    }
    const { vault, semantic } = await open(memoryStorage(FILES), picky)
    await until(() => semantic.status.pending_notes === 0 && semantic.status.indexed_notes === 2)
    expect(semantic.status).toMatchObject({ phase: 'degraded', queryable: true, last_error: 'not this text' })
    await vault.editor.change({
      path: 'garage.md',
      tool: 't',
      client: 'c',
      mode: 'upsert',
      edit: () => ({ text: 'a car' }),
    })
    await until(() => semantic.status.phase === 'ready')
    expect(semantic.status.indexed_notes).toBe(3)
  })

  test('what is written while its older text is embedded wins', async () => {
    let go = () => {}
    const gate = new Promise<void>((resolve) => {
      go = resolve
    })
    const inner = hashEmbedder()
    const slow = {
      ...inner,
      embedDocuments: async (texts: readonly string[], signal: AbortSignal) => {
        await gate
        return await inner.embedDocuments(texts, signal)
      },
    }
    const { vault, semantic } = await open(memoryStorage({ 'a.md': 'old words' }), slow)
    await Bun.sleep(5)
    const { revision } = await vault.editor.change({
      path: 'a.md',
      tool: 't',
      client: 'c',
      mode: 'upsert',
      edit: () => ({ text: 'new words' }),
    })
    go()
    await until(() => semantic.status.phase === 'ready')
    const [hit] = (await semantic.ask('words'))!.near({ most: 1, perNote: 1 })
    expect(hit?.revision).toBe(revision!)
  })

  test('a failure keeps what was made before it', async () => {
    const inner = hashEmbedder()
    const asked: string[] = []
    let fails = true
    const flaky = {
      ...inner,
      batch: 1,
      embedDocuments: async (texts: readonly string[], signal: AbortSignal) => {
        asked.push(...texts)
        if (asked.length === 2 && fails) {
          fails = false
          throw new VaultError('unavailable', 'gone', { hint: 'none' })
        }
        return await inner.embedDocuments(texts, signal)
      },
    }
    const { semantic } = await open(memoryStorage(FILES), flaky)
    await until(() => semantic.status.phase === 'ready')
    expect(asked).toHaveLength(4)
  })

  test('a question over the window of the model is refused with both numbers', async () => {
    const tiny = {
      ...hashEmbedder(),
      maxTokens: 6,
      countTokens: async (t: readonly string[]) => t.map(() => 5),
    }
    const { semantic } = await open(memoryStorage(FILES), tiny)
    await until(() => semantic.status.phase === 'ready')
    tiny.countTokens = async (t) => t.map(() => 7)
    const error = await semantic.ask('seven words').catch((e) => e)
    expect([error.code, error.message]).toEqual([
      'bad_argument',
      'The question has 7 tokens; the model reads 6.',
    ])
  })

  test('words are searchable and notes are written while nothing of it is ready', async () => {
    const { vault, semantic } = await open(memoryStorage(FILES), () => new Promise(() => {}))
    expect((await vault.searchable()).state).toBe('ready')
    const change = await vault.editor.change({
      path: 'a.md',
      tool: 't',
      client: 'c',
      mode: 'create',
      edit: () => ({ text: 'x' }),
    })
    expect(change.changed).toBe(true)
    expect(semantic.status).toMatchObject({ phase: 'warming', queryable: false })
    expect(bytes('x')).toHaveLength(1)
  })
})
