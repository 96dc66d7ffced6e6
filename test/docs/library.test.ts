import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Library, type LibraryOptions } from '../../src/docs/library.ts'
import { LIMITS } from '../../src/docs/limits.ts'
import type { CorpusSource } from '../../src/docs/source.ts'
import { VaultError } from '../../src/errors.ts'
import { configureLog } from '../../src/logger.ts'
import type { VaultLanguages } from '../../src/vault/semantic.ts'
import type { Embedder } from '../../src/vector/embedder.ts'
import { hashEmbedder } from '../../src/vector/embedders/hash.ts'
import { GOOD, hostileServer } from './hostile_server.ts'

configureLog({ level: 'error' })
const root = mkdtempSync(join(tmpdir(), 'knap-docs-'))
const server = hostileServer()
afterAll(() => {
  configureLog({ level: 'info' })
  server.stop()
  rmSync(root, { recursive: true, force: true })
})
const opened: Library[] = []
afterEach(async () => {
  for (const library of opened.splice(0)) await library.close()
  server.content = GOOD
  server.turned = '/good.zip'
  server.asked.length = 0
})

let folders = 0
const freshFolder = () => join(root, String(folders++))

function manual(files: Record<string, string>): string {
  const folder = freshFolder()
  writeAll(folder, files)
  return folder
}

function writeAll(folder: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

const zip = (path: string, more: Partial<CorpusSource> = {}): CorpusSource => ({
  name: 'manual',
  place: { kind: 'zip', url: server.url + path },
  folders: [],
  prebuilt: null,
  ...more,
})
const folderOf = (path: string, more: Partial<CorpusSource> = {}): CorpusSource => ({
  ...zip(''),
  place: { kind: 'folder', path },
  ...more,
})

async function open(
  source: CorpusSource | CorpusSource[],
  more: Partial<LibraryOptions> = {},
): Promise<Library> {
  const library = await Library.open({
    corpora: [source].flat(),
    folder: freshFolder(),
    openModel: null,
    ...more,
  })
  opened.push(library)
  return library
}

async function built(
  source: CorpusSource | CorpusSource[],
  more: Partial<LibraryOptions> = {},
): Promise<Library> {
  const library = await open(source, more)
  reindex(library)
  await library.settled()
  return library
}

function reindex(library: Library, folders: string[] | null = null) {
  return library.reindex({ corpora: new Map(library.names.map((name) => [name, folders])) })
}

async function paths(library: Library, query: string): Promise<string[]> {
  return (await library.search(query, { limit: 10 })).hits.map(({ fragment }) => fragment.path)
}

async function failure(promise: Promise<unknown>): Promise<VaultError> {
  const error = await promise.then(
    () => null,
    (e) => e,
  )
  expect(error).toBeInstanceOf(VaultError)
  return error
}

describe('a corpus from an archive', () => {
  test('is found by its words, without the one folder around it', async () => {
    const library = await built(zip('/good.zip'))
    expect(await paths(library, 'words manual')).toEqual(['en/A.md'])
    expect(await library.status()).toMatchObject({
      chunks: 2,
      in_progress: false,
      last_error: null,
      corpora: [{ name: 'manual', pages: 2, source: `${server.url}/good.zip`, left_out: [] }],
    })
  })

  test('takes the folders that the settings name, or those of the call', async () => {
    const library = await built(zip('/good.zip', { folders: ['de'] }))
    expect((await library.status()).corpora[0]).toMatchObject({ pages: 1, folders: ['de'] })
    reindex(library, ['en'])
    await library.settled()
    expect((await library.status()).corpora[0]).toMatchObject({ pages: 1, folders: ['en'] })
    expect(await paths(library, 'words')).toEqual(['en/A.md'])
  })

  test('is not sent again where it has not changed, and is where other folders are wanted', async () => {
    const library = await built(zip('/changing.zip'))
    const before = (await library.status()).corpora[0]?.indexed_at
    reindex(library)
    await library.settled()
    expect(server.asked.map(({ ifNoneMatch }) => ifNoneMatch !== null)).toEqual([false, true])
    expect((await library.status()).corpora[0]?.indexed_at).toBe(before as string)
    reindex(library, ['de'])
    await library.settled()
    expect(server.asked[2]?.ifNoneMatch).toBeNull()
    expect((await library.status()).chunks).toBe(1)
  })

  test('says which files it left out', async () => {
    const { corpora } = await (await built(zip('/links.zip'))).status()
    expect(corpora[0]).toMatchObject({
      pages: 1,
      left_out: [{ path: 'en/L.md', reason: 'it is a link or no ordinary file' }],
      left_out_total: 1,
    })
  })
})

describe('a bad archive leaves what was there', () => {
  test.each([
    ['/bomb.zip', /bomb/],
    ['/slip.zip', /relative path/],
    ['/absolute.zip', /absolute path/],
    ['/truncated.zip', /no sound ZIP/],
    ['/stalled.zip', /more than 1 s/],
    ['/page', /gave no ZIP archive, but text\/html/],
    ['/missing.zip', /answered 404/],
    ['/loop', /redirects more than/],
    ['/outside', /may not be fetched/],
  ])('%s', async (path, says) => {
    const folder = freshFolder()
    const limits = { ...LIMITS, downloadMs: 1000 }
    const library = await built(zip('/turned.zip'), { folder, limits })
    server.turned = path
    reindex(library)
    await library.settled()
    expect((await library.status()).last_error).toMatch(says)
    expect(await paths(library, 'words')).toEqual(['en/A.md'])
    expect(readdirSync(folder).sort()).toEqual(['locks', 'manual.knap'])
    const next = await open(zip('/turned.zip'), { folder })
    expect(await paths(next, 'words')).toEqual(['en/A.md'])
  })

  test('and the next good one is taken', async () => {
    const library = await built(zip('/changing.zip'))
    server.content = [{ name: '../evil.md', text: 'x' }]
    reindex(library)
    await library.settled()
    expect((await library.status()).last_error).toMatch(/relative path/)
    expect(await paths(library, 'words')).toEqual(['en/A.md'])
    server.content = [{ name: 'm/New.md', text: 'new words' }]
    reindex(library)
    await library.settled()
    expect((await library.status()).last_error).toBeNull()
    expect(await paths(library, 'words')).toEqual(['New.md'])
  })
})

test('a manual in too many pieces is refused', async () => {
  const library = await built(folderOf(manual({ 'A.md': '# a\n'.repeat(4) })), {
    limits: { ...LIMITS, fragments: 3 },
  })
  expect((await library.status()).last_error).toMatch(/more than 3 sections/)
})

describe('while a corpus is read anew', () => {
  test('a search sees the old one, then the new one; a second reindex is refused with the state of the first', async () => {
    const gate = Promise.withResolvers<void>()
    const model = {
      ...hashEmbedder(),
      embedDocuments: async (texts: readonly string[], signal: AbortSignal) => {
        await gate.promise
        return hashEmbedder().embedDocuments(texts, signal)
      },
    }
    let current: Embedder = hashEmbedder()
    const folder = manual({ 'Old.md': 'old words' })
    const library = await built(folderOf(folder), {
      openModel: async () => ({ ...current, embedDocuments: (t, s) => current.embedDocuments(t, s) }),
    })
    current = model
    writeAll(folder, { 'New.md': 'new words' })
    rmSync(join(folder, 'Old.md'))
    expect(reindex(library)).toMatchObject({ in_progress: true, reindexing: ['manual'] })
    const state = async () => (await library.status()).progress?.phase
    while ((await state()) !== 'embedding') await Bun.sleep(1)
    expect(await paths(library, 'words')).toEqual(['Old.md'])
    expect(await library.status()).toMatchObject({
      in_progress: true,
      progress: { corpus: 'manual', done: 0, total: 1 },
    })
    expect(() => reindex(library)).toThrow(
      expect.objectContaining({
        code: 'not_ready',
        details: expect.objectContaining({ in_progress: true, reindexing: ['manual'] }),
      }),
    )
    gate.resolve()
    await library.settled()
    expect(await paths(library, 'words')).toEqual(['New.md'])
  })

  test('no search ever sees a part of it', async () => {
    const pages = (word: string) =>
      Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`${word}${i}.md`, `words of the ${word}`]))
    const folder = manual(pages('first'))
    const library = await built(folderOf(folder))
    rmSync(folder, { recursive: true })
    writeAll(folder, pages('second'))
    reindex(library)
    const seen = new Set<string>()
    const settled = library.settled().then(() => true)
    while (!(await Promise.race([settled, new Promise((r) => setImmediate(r))]))) {
      const { hits } = await library.search('words', { limit: 20 })
      seen.add([...new Set(hits.map(({ fragment }) => fragment.path.replace(/[0-9.]+md/, '')))].join())
    }
    seen.add((await paths(library, 'words'))[0]?.replace(/[0-9.]+md/, '') ?? '')
    expect([...seen]).toEqual(['first', 'second'])
  })

  test('another process is left alone with it, and what it makes is seen', async () => {
    const folder = freshFolder()
    const source = folderOf(manual({ 'A.md': 'words' }))
    const [mine, other] = [await open(source, { folder }), await open(source, { folder })]
    reindex(other)
    expect(() => reindex(mine)).toThrow(/running already in another process/)
    await other.settled()
    expect(await paths(mine, 'words')).toEqual(['A.md'])
  })
})

test('what a killed process has left is removed, and nothing else', async () => {
  const folder = freshFolder()
  writeAll(folder, {
    'manual.knap.1.part': 'x',
    'manual.knap.2.tmp': 'x',
    'manual2.knap.2.tmp': 'x',
    'manual.md': 'x',
  })
  await built(folderOf(manual({ 'A.md': 'words' })), { folder })
  expect(readdirSync(folder).sort()).toEqual(['locks', 'manual.knap', 'manual.md', 'manual2.knap.2.tmp'])
})

describe('a start', () => {
  test('answers from what an earlier run has left, without any network', async () => {
    const folder = freshFolder()
    await (await built(zip('/good.zip'), { folder })).close()
    server.asked.length = 0
    const library = await open(zip('/good.zip'), { folder })
    await completed(library)
    expect(await paths(library, 'words')).toEqual(['en/A.md'])
    expect(server.asked).toEqual([])
  })

  test('makes what is missing', async () => {
    const library = await open(zip('/good.zip'))
    expect((await failure(library.search('words', { limit: 3 }))).code).toBe('not_ready')
    expect(server.asked).toEqual([])
    await completed(library)
    expect(await paths(library, 'words')).toEqual(['en/A.md'])
  })

  test('reads a folder again where a file has changed', async () => {
    const [folder, files] = [freshFolder(), manual({ 'A.md': 'old words' })]
    await (await built(folderOf(files), { folder })).close()
    writeAll(files, { 'B.md': 'quite new words' })
    const library = await open(folderOf(files), { folder })
    await completed(library)
    expect(await paths(library, 'quite new')).toEqual(['B.md'])
  })

  test('does not answer from another source of the same name', async () => {
    const folder = freshFolder()
    await (await built(folderOf(manual({ 'A.md': 'words' })), { folder })).close()
    const library = await open(folderOf(manual({ 'B.md': 'words' })), { folder })
    expect((await failure(library.search('words', { limit: 3 }))).code).toBe('not_ready')
    await completed(library)
    expect(await paths(library, 'words')).toEqual(['B.md'])
  })

  test('a damaged index is made anew', async () => {
    const [folder, files] = [freshFolder(), manual({ 'A.md': 'words' })]
    await (await built(folderOf(files), { folder })).close()
    const bytes = readFileSync(join(folder, 'manual.knap'))
    bytes[bytes.length - 9]! ^= 1
    bytes[200]! ^= 1
    writeFileSync(join(folder, 'manual.knap'), bytes)
    const library = await open(folderOf(files), { folder })
    expect((await failure(library.search('words', { limit: 3 }))).code).toBe('not_ready')
    await completed(library)
    expect(await paths(library, 'words')).toEqual(['A.md'])
  })
})

async function completed(library: Library): Promise<void> {
  await library.start()
  await library.settled()
}

describe('meaning', () => {
  const files = { 'Cats.md': '# Cats\nkittens purr', 'Cars.md': '# Cars\nengines roar' }
  const counting = () => {
    const texts: string[] = []
    const inner = hashEmbedder()
    const open = async (): Promise<Embedder> => ({
      ...inner,
      embedDocuments: (given, signal) => {
        texts.push(...given)
        return inner.embedDocuments(given, signal)
      },
    })
    return { texts, open }
  }

  test('finds what words alone do not, and says how near', async () => {
    const library = await built(folderOf(manual(files)), { openModel: async () => hashEmbedder() })
    const { hits, byMeaning } = await library.search('kitten purring', { limit: 1 })
    expect(byMeaning).toBe(true)
    expect(hits[0]).toMatchObject({ fragment: { path: 'Cats.md' } })
    expect(hits[0]?.match).toBeWithin(1, 101)
    expect((await library.status()).corpora[0]?.embedded).toBe(2)
  })

  test('a text that has not changed is not embedded again', async () => {
    const { texts, open: openModel } = counting()
    const folder = manual(files)
    const library = await built(folderOf(folder), { openModel })
    expect(texts).toHaveLength(2)
    writeAll(folder, { 'Dogs.md': '# Dogs\nbark' })
    reindex(library)
    await library.settled()
    expect(texts).toHaveLength(3)
    expect(texts[2]).toContain('bark')
  })

  test('a model that fails leaves words, and its error', async () => {
    const broken: Embedder = {
      ...hashEmbedder(),
      embedDocuments: async () => {
        throw new VaultError('not_configured', 'The model is gone.', { hint: 'Bring it back.' })
      },
    }
    const library = await built(folderOf(manual(files)), { openModel: async () => broken })
    expect(await paths(library, 'kittens')).toEqual(['Cats.md'])
    expect((await library.status()).last_error).toBe('The model is gone. Bring it back.')
    expect((await library.search('kittens', { limit: 1 })).notice).toMatch(/keyword hits/)
  })

  test('what an interrupted run has not embedded is embedded by the next', async () => {
    const [folder, source] = [freshFolder(), folderOf(manual(files))]
    await (await built(source, { folder })).close()
    const { texts, open: openModel } = counting()
    const library = await open(source, { folder, openModel })
    await completed(library)
    expect((await library.status()).corpora[0]?.embedded).toBe(2)
    expect(texts).toHaveLength(2)
  })

  test('the vectors of another model do not count', async () => {
    const [folder, source] = [freshFolder(), folderOf(manual(files))]
    await (await built(source, { folder, openModel: async () => hashEmbedder() })).close()
    const other = async (): Promise<Embedder> => ({ ...hashEmbedder(), identity: 'other', space: 'other' })
    const library = await open(source, { folder, openModel: other })
    expect(await paths(library, 'kittens')).toEqual(['Cats.md'])
    await completed(library)
    expect((await library.search('kitten', { limit: 1 })).byMeaning).toBe(true)
  })
})

describe('a prebuilt index', () => {
  const openModel = async () => hashEmbedder()
  const files = { 'A.md': 'words of the manual' }

  async function exported(more: Partial<LibraryOptions> = { openModel }, name = 'manual') {
    const library = await built(folderOf(manual(files), { name }), more)
    const file = `${freshFolder()}.knap`
    await library.export(name, file)
    return file
  }

  test('is taken first where nothing is indexed, vectors included', async () => {
    const prebuilt = await exported()
    const gone = folderOf('/nowhere', { prebuilt })
    const texts: string[] = []
    const silent = async (): Promise<Embedder> => ({
      ...hashEmbedder(),
      embedDocuments: async (given) => {
        texts.push(...given)
        return []
      },
    })
    const library = await open(gone, { openModel: silent })
    await completed(library)
    expect(await paths(library, 'words')).toEqual(['A.md'])
    expect((await library.status()).corpora[0]).toMatchObject({ embedded: 1, last_error: null })
    expect(texts).toEqual([])
  })

  test('decides with its language and its vectors which model is opened', async () => {
    const source = folderOf('/nowhere', { prebuilt: await exported() })
    const told: VaultLanguages[] = []
    const library = await open(source, {
      openModel: async (languages) => {
        told.push(languages)
        return hashEmbedder()
      },
    })
    await completed(library)
    expect(told).toEqual([{ foreign: 0, current: hashEmbedder().identity }])
  })

  test('comes from an address too, by the name of the corpus', async () => {
    server.prebuilt = new Uint8Array(readFileSync(await exported()))
    const folder = freshFolder()
    const source = folderOf('/nowhere', { prebuilt: `${server.url}/prebuilt/{corpus}.knap` })
    const library = await open(source, { openModel, folder })
    await completed(library)
    expect(await paths(library, 'words')).toEqual(['A.md'])
    expect(readdirSync(folder).sort()).toEqual(['locks', 'manual.knap'])
  })

  const live = { 'Live.md': 'words from the source' }
  const cases: { title: string; prebuilt: () => Promise<string> | string; more?: Partial<LibraryOptions> }[] =
    [
      { title: 'that is not there', prebuilt: () => '/nowhere/x.knap' },
      { title: 'whose address gives a page', prebuilt: () => `${server.url}/page` },
      {
        title: 'of another model',
        prebuilt: () => exported({ openModel: async () => ({ ...hashEmbedder(), identity: 'other' }) }),
      },
      { title: 'without vectors', prebuilt: () => exported({}) },
      { title: 'of another corpus', prebuilt: () => exported({ openModel }, 'other') },
      {
        title: 'that is damaged',
        prebuilt: async () => {
          const file = await exported()
          const bytes = readFileSync(file)
          bytes[bytes.length >> 1]! ^= 4
          writeFileSync(file, bytes)
          return file
        },
      },
      {
        title: 'that is cut off',
        prebuilt: async () => {
          const file = await exported()
          writeFileSync(file, readFileSync(file).subarray(0, -1))
          return file
        },
      },
    ]
  test.each(cases)('$title is not used: the source is read', async ({ prebuilt, more }) => {
    const source = folderOf(manual(live), { prebuilt: await prebuilt() })
    const library = await open(source, { openModel, ...more })
    await completed(library)
    expect(await paths(library, 'words')).toEqual(['Live.md'])
    expect((await library.status()).last_error).toBeNull()
  })
})

describe('several corpora', () => {
  test('are searched together or one by one, and reindexed one by one', async () => {
    const [one, two] = [
      folderOf(manual({ 'A.md': 'words here' }), { name: 'one' }),
      folderOf(manual({ 'B.md': 'words there' }), { name: 'two' }),
    ]
    const library = await built([one, two])
    expect((await paths(library, 'words')).sort()).toEqual(['A.md', 'B.md'])
    const { hits } = await library.search('words', { limit: 3, corpus: 'TWO' })
    expect(hits.map(({ corpus, fragment }) => [corpus, fragment.path])).toEqual([['two', 'B.md']])
    expect(library.reindex({ corpora: new Map([['one', null]]) }).reindexing).toEqual(['one'])
    await library.settled()
    const error = await failure(library.search('words', { limit: 3, corpus: 'tow' }))
    expect([error.code, error.hint]).toEqual(['bad_argument', 'Did you mean "two"?'])
  })

  test('one that cannot be had does not stand in the way of the others', async () => {
    const library = await built([
      folderOf('/nowhere', { name: 'gone' }),
      folderOf(manual({ 'B.md': 'words' }), { name: 'here' }),
    ])
    const { hits, notice } = await library.search('words', { limit: 3 })
    expect(hits).toHaveLength(1)
    expect(notice).toBe('Not indexed yet: gone.')
    expect((await library.status()).last_error).toMatch(/The folder of "gone" is not there/)
  })
})
