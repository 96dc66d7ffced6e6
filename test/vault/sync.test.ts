import { describe, expect, test } from 'bun:test'
import { TextIndex } from '../../src/index/text_index.ts'
import { searchText } from '../../src/search/search.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import type { Listing, Storage } from '../../src/storage/storage.ts'
import { Catalogue } from '../../src/vault/catalogue.ts'
import { createRules, type RuleSources } from '../../src/vault/rules.ts'
import { Sync } from '../../src/vault/sync.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

async function opened(files: Record<string, string>, sources: RuleSources = {}, root: string | null = null) {
  const storage = memoryStorage(files)
  const seen: {
    beforeList: ((folder: string) => Promise<void>) | null
    listing: ((listing: Listing) => Listing) | null
    reads: string[]
  } = {
    beforeList: null,
    listing: null,
    reads: [],
  }
  const watched: Storage = {
    ...bound(storage),
    list: async (folder, options) => {
      await seen.beforeList?.(folder)
      const listing = await storage.list(folder, options)
      return seen.listing === null ? listing : seen.listing(listing)
    },
    read: (path, options) => {
      seen.reads.push(path)
      return storage.read(path, options)
    },
  }
  const catalogue = new Catalogue()
  const index = new TextIndex()
  const sync = new Sync({
    storage: watched,
    root,
    rules: createRules(sources),
    catalogue,
    index,
    onChange: () => {},
  })
  await sync.start().built
  const find = (query: string) => searchText(index, query).hits.map((h) => h.path)
  const paths = () => catalogue.files().map((f) => f.path)
  return { storage, sync, catalogue, index, seen, find, paths }
}

/** The driver's methods as plain functions, so that some can be replaced. */
function bound(storage: Storage): Storage {
  return {
    kind: storage.kind,
    id: storage.id,
    list: (folder, options) => storage.list(folder, options),
    stat: (path) => storage.stat(path),
    read: (path, options) => storage.read(path, options),
    write: (path, content, options) => storage.write(path, content, options),
    rename: (from, to) => storage.rename(from, to),
    remove: (path) => storage.remove(path),
    makeFolder: (path) => storage.makeFolder(path),
    removeEmptyFolder: (path) => storage.removeEmptyFolder(path),
    sweep: (age) => storage.sweep(age),
    close: () => storage.close(),
  }
}

describe('a first look', () => {
  test('takes visible files, reads notes and canvases, counts what is excluded', async () => {
    const { paths, find, catalogue, sync } = await opened(
      {
        'a.md': 'wombat',
        'pic.png': 'wombat',
        'board.canvas':
          '{"nodes":[{"id":"1","type":"text","text":"wombat","x":0,"y":0,"width":1,"height":1}]}',
        'Archive/b.md': 'wombat',
        '.hidden/c.md': 'wombat',
      },
      { exclude: ['Archive/'] },
    )
    expect(paths()).toEqual(['a.md', 'board.canvas', 'pic.png'])
    expect(find('wombat').sort()).toEqual(['a.md', 'board.canvas'])
    expect([catalogue.excludedNotes, sync.status.total, sync.status.indexed]).toEqual([1, 1, 1])
  })

  test('empty notes and notes with broken properties are found by name', async () => {
    const { find } = await opened({ 'Nothing.md': '', 'Broken.md': '---\ntags: [a\n---\nbody' })
    expect(find('nothing')).toEqual(['Nothing.md'])
    expect(find('body')).toEqual(['Broken.md'])
  })
})

test('what a cloud drive has taken away is named by its placeholder', async () => {
  const { sync } = await opened(
    { 'a.md': 'x', '.b.md.icloud': '', 'sub/.c.md.icloud': '', 'Archive/.d.md.icloud': '', '.hidden': '' },
    { exclude: ['Archive/'] },
  )
  expect(sync.status.placeholders).toEqual(['.b.md.icloud', 'sub/.c.md.icloud'])
})

describe('a later look', () => {
  test('reads what changed and nothing else', async () => {
    const { storage, sync, seen, find } = await opened({ 'a.md': 'wombat', 'b.md': 'quokka' })
    seen.reads.length = 0
    await storage.write('a.md', bytes('platypus'), { mode: 'replace' })
    await storage.write('sub/c.md', bytes('numbat'), { mode: 'create' })
    await sync.fullPass()
    expect(seen.reads.sort()).toEqual(['a.md', 'sub/c.md'])
    expect([find('wombat'), find('platypus'), find('numbat')]).toEqual([[], ['a.md'], ['sub/c.md']])
  })

  test('a change of our own while it lists is not taken back by a listing that is older', async () => {
    const { storage, sync, seen, paths, find, catalogue } = await opened({
      'a.md': 'wombat',
      'old/sub/b.md': 'quokka',
    })
    const stale = await storage.list('', { recursive: true })
    seen.reads.length = 0
    seen.beforeList = async () => {
      seen.beforeList = null
      await storage.write('a.md', bytes('platypus'), { mode: 'replace' })
      sync.applyOwn('a.md', bytes('platypus'), await storage.stat('a.md'))
      await storage.rename('old', 'new')
      sync.applyOwn('old/sub/b.md', null, null)
      sync.applyOwn('old', null, null)
      sync.applyOwn('new/sub/b.md', bytes('quokka'), await storage.stat('new/sub/b.md'))
    }
    seen.listing = () => {
      seen.listing = null
      return stale
    }
    await sync.fullPass()
    expect(seen.reads).toEqual([])
    expect(paths()).toEqual(['a.md', 'new/sub/b.md'])
    expect([...catalogue.folders()].map(({ path }) => path).sort()).toEqual(['new', 'new/sub'])
    expect([find('platypus'), find('quokka')]).toEqual([['a.md'], ['new/sub/b.md']])
  })

  test('a hint looks at its folder alone', async () => {
    const { storage, sync, find } = await opened({ 'a.md': 'wombat', 'sub/b.md': 'quokka' })
    await storage.write('a.md', bytes('changed1'), { mode: 'replace' })
    await storage.write('sub/b.md', bytes('changed2'), { mode: 'replace' })
    await sync.lookAgain(new Set(['sub']), new Set())
    expect([find('changed1'), find('changed2')]).toEqual([[], ['sub/b.md']])
  })

  test('a folder that its parent has no more takes along what lay in it, folders too', async () => {
    const { storage, sync, paths, catalogue } = await opened({ 'a.md': 'x', 'old/sub/deep/b.md': 'x' })
    await storage.rename('old/sub/deep/b.md', 'b.md')
    for (const folder of ['old/sub/deep', 'old/sub', 'old']) await storage.removeEmptyFolder(folder)
    await sync.lookAgain(new Set(['']), new Set())
    expect(paths()).toEqual(['a.md', 'b.md'])
    expect([...catalogue.folders()].map(({ path }) => path)).toEqual([])
  })

  test('a folder that is gone takes its notes along, one that came is read whole', async () => {
    const { storage, sync, paths, find } = await opened({
      'a.md': 'x',
      'old/b.md': 'quokka',
      'old/deep/c.md': 'quokka',
    })
    await storage.rename('old', 'new')
    await sync.lookAgain(new Set(['']), new Set(['old', 'new']))
    expect(paths()).toEqual(['a.md', 'new/b.md', 'new/deep/c.md'])
    expect(find('quokka').sort()).toEqual(['new/b.md', 'new/deep/c.md'])
  })

  test('a folder that goes while it is looked at takes its notes along and keeps no other change away', async () => {
    const { storage, sync, seen, paths, find } = await opened({
      'a.md': 'x',
      'old/b.md': 'x',
      'to/c.md': 'x',
    })
    await storage.write('to/c.md', bytes('quokka'), { mode: 'replace' })
    seen.beforeList = async (folder) => {
      if (folder === 'old') await storage.rename('old', 'new')
    }
    await sync.lookAgain(new Set(['old', 'to']), new Set())
    expect(paths()).toEqual(['a.md', 'to/c.md'])
    expect([find('quokka'), sync.status.lastError]).toEqual([['to/c.md'], null])
  })

  test('a change of our own is seen at once and costs no reading later', async () => {
    const { storage, sync, seen, find } = await opened({ 'a.md': 'wombat' })
    const content = bytes('quokka')
    await storage.write('a.md', content, { mode: 'replace' })
    sync.applyOwn('a.md', content, await storage.stat('a.md'))
    expect(find('quokka')).toEqual(['a.md'])
    seen.reads.length = 0
    await sync.fullPass()
    expect(seen.reads).toEqual([])
  })
})

describe('what could not be looked at is never taken for gone', () => {
  test('a folder that cannot be listed keeps its notes', async () => {
    const { sync, seen, paths } = await opened({ 'a.md': 'x', 'sub/b.md': 'y' })
    seen.listing = ({ entries }) => ({
      entries: entries.filter((e) => !e.path.startsWith('sub/')),
      unreadable: [{ path: 'sub', reason: 'EACCES' }],
    })
    await sync.fullPass()
    expect(paths()).toEqual(['a.md', 'sub/b.md'])
    expect([...sync.status.unreadable.keys()]).toEqual(['sub'])
  })

  const many = Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`n${i}.md`, 'wombat']))

  test('very many files missing in one look wait for a second one', async () => {
    const { sync, seen, paths } = await opened({ ...many, 'keep.md': 'x' })
    let looks = 0
    seen.listing = (listing) =>
      ++looks === 1 ? { ...listing, entries: listing.entries.filter((e) => e.path === 'keep.md') } : listing
    await sync.fullPass()
    expect([looks, paths().length]).toEqual([2, 81])
  })

  test('missing in both looks, they are gone', async () => {
    const { sync, seen, paths } = await opened({ ...many, 'keep.md': 'x' })
    seen.listing = (listing) => ({ ...listing, entries: listing.entries.filter((e) => e.path === 'keep.md') })
    await sync.fullPass()
    expect(paths()).toEqual(['keep.md'])
  })

  test('on this machine the second look comes at once', async () => {
    const { sync, seen, paths } = await opened({ ...many, 'keep.md': 'x' }, {}, '/vault')
    let looks = 0
    seen.listing = (listing) => {
      looks++
      return { ...listing, entries: listing.entries.filter((e) => e.path === 'keep.md') }
    }
    await sync.lookAgain(new Set(['']), new Set())
    expect([looks, paths()]).toEqual([2, ['keep.md']])
  })

  test('a large folder that is gone waits too, and is known to be missing meanwhile', async () => {
    const inFolder = Object.fromEntries(Object.entries(many).map(([name, text]) => [`f/${name}`, text]))
    const { storage, sync, paths } = await opened({ ...inFolder, 'keep.md': 'x' })
    for (const path of Object.keys(inFolder)) await storage.remove(path)
    await storage.removeEmptyFolder('f')
    await sync.lookAgain(new Set(), new Set(['f']))
    expect([paths().length, sync.isMissing('f/n1.md'), sync.isMissing('keep.md')]).toEqual([81, true, false])
    await sync.fullPass()
    expect([paths(), sync.isMissing('f/n1.md')]).toEqual([['keep.md'], false])
  })

  test('files that are back are no longer missing', async () => {
    const { sync, seen } = await opened({ ...many, 'keep.md': 'x' })
    seen.listing = (listing) => ({ ...listing, entries: listing.entries.filter((e) => e.path === 'keep.md') })
    await sync.lookAgain(new Set(['']), new Set())
    expect(sync.isMissing('n1.md')).toBe(true)
    seen.listing = null
    await sync.lookAgain(new Set(['']), new Set())
    expect(sync.isMissing('n1.md')).toBe(false)
  })

  test('a vault that is suddenly empty (an unmounted disk) keeps everything until a person says otherwise', async () => {
    const { sync, seen, paths } = await opened(many)
    seen.listing = () => ({ entries: [], unreadable: [] })
    await sync.fullPass()
    await sync.fullPass()
    expect([paths().length, sync.status.awaitingConfirmation]).toEqual([80, 80])
    await sync.fullPass(true)
    expect(paths()).toEqual([])
  })

  test('a note that changes is looked for under the names of links to it, too', async () => {
    const { storage, sync, seen, find } = await opened({ 'F/real.md': 'wombat', 'L/link.md': 'wombat' })
    seen.listing = (listing) => ({
      ...listing,
      entries: listing.entries.map((e) => (e.path === 'L/link.md' ? { ...e, link: 'F/real.md' } : e)),
    })
    await sync.look()
    for (const path of ['F/real.md', 'L/link.md'])
      await storage.write(path, bytes('quokka here'), { mode: 'replace' })
    await sync.lookAgain(new Set(['F']), new Set())
    expect(find('quokka').sort()).toEqual(['F/real.md', 'L/link.md'])
  })

  test('the status says when all names were last looked at', async () => {
    const before = Date.now()
    const { sync } = await opened({ 'a.md': 'x' })
    const first = sync.status.lookedAt ?? 0
    expect(first).toBeGreaterThanOrEqual(before)
    await sync.lookAgain(new Set(['F']), new Set())
    expect(sync.status.lookedAt).toBe(first)
    await sync.look()
    expect(sync.status.lookedAt ?? 0).toBeGreaterThanOrEqual(first)
  })

  test('a note that cannot be read keeps what was known and is named', async () => {
    const { storage, sync, find } = await opened({ 'a.md': 'wombat', 'b.md': 'x' })
    await storage.write('a.md', bytes('quokka'), { mode: 'replace' })
    const read = storage.read.bind(storage)
    storage.read = async (path, options) => {
      if (path === 'a.md') throw Object.assign(new Error('EIO'), { code: 'EIO' })
      return read(path, options)
    }
    await sync.fullPass()
    expect([find('wombat'), [...sync.status.unreadable]]).toEqual([['a.md'], [['a.md', 'EIO']]])
  })
})
