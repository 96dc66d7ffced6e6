import { afterEach, describe, expect, jest, test } from 'bun:test'
import { VaultError } from '../../src/errors.ts'
import { TextIndex } from '../../src/index/text_index.ts'
import { searchText } from '../../src/search/search.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { Catalogue } from '../../src/vault/catalogue.ts'
import { startPolling } from '../../src/vault/poll.ts'
import { readAhead } from '../../src/vault/read_ahead.ts'
import { createRules } from '../../src/vault/rules.ts'
import { Sync } from '../../src/vault/sync.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

/** A remote vault as far as looking at it goes: times in whole seconds, and a way to hide or break it. */
async function remote(files: Record<string, string>) {
  const memory = memoryStorage(files)
  const state = { down: false, hidden: new Set<string>(), reads: [] as string[], lists: 0 }
  const guard = () => {
    if (state.down) throw new VaultError('unavailable', 'It is down.', { hint: '' })
  }
  const storage: Storage = Object.assign(Object.create(memory), {
    kind: 'sftp',
    list: async (...args: Parameters<Storage['list']>) => {
      guard()
      state.lists++
      const { entries, unreadable } = await memory.list(...args)
      const shown = entries
        .filter((e) => !state.hidden.has(e.path))
        .map((e) => ({ ...e, mtimeMs: 1_000_000 }))
      return { entries: shown, unreadable }
    },
    stat: (path: string) => memory.stat(path),
    read: async (path: string) => {
      guard()
      state.reads.push(path)
      return memory.read(path)
    },
  })
  const catalogue = new Catalogue()
  const index = new TextIndex()
  const sync = new Sync({ storage, root: null, rules: createRules({}), catalogue, index, onChange: () => {} })
  await sync.start().built
  state.reads = []
  state.lists = 0
  const find = (query: string) => searchText(index, query).hits.map((hit) => hit.path)
  return { memory, state, sync, catalogue, find }
}

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`n${i}.md`, `number${i}`]))

describe('looking at a remote vault', () => {
  test('an idle look is one listing and reads nothing', async () => {
    const { sync, state } = await remote({ 'a.md': 'wombat', 'f/b.md': 'quokka' })
    await sync.look()
    expect(state).toMatchObject({ lists: 1, reads: [] })
  })

  test('an edit that kept size and time is found by comparing contents, and only it is indexed anew', async () => {
    const { memory, sync, state, find } = await remote({ 'a.md': 'wombat', 'b.md': 'bilby' })
    await memory.write('a.md', bytes('quokka'), { mode: 'replace' })
    await sync.look()
    expect([find('wombat'), find('quokka')]).toEqual([['a.md'], []])
    await sync.verify()
    expect([find('wombat'), find('quokka'), find('bilby')]).toEqual([[], ['a.md'], ['b.md']])
    expect(state.reads.sort()).toEqual(['a.md', 'a.md', 'b.md'])
  })

  test('a vault that cannot be reached keeps what is known of it, when contents are compared too', async () => {
    const { sync, state, find } = await remote({ 'a.md': 'wombat' })
    state.down = true
    await sync.look()
    await sync.verify()
    expect([find('wombat'), sync.status.lastError]).toEqual([['a.md'], 'It is down.'])
  })

  test('very many files that are gone at once wait for a second look', async () => {
    const { sync, state, catalogue } = await remote(many(80))
    state.hidden = new Set(Object.keys(many(60)))
    await sync.look()
    expect([catalogue.fileCount, sync.status.awaitingConfirmation]).toEqual([80, 60])
    await sync.look()
    expect([catalogue.fileCount, sync.status.awaitingConfirmation]).toEqual([20, 0])
  })

  test('a vault that was never listed says so', async () => {
    const memory = memoryStorage({ 'a.md': 'x' })
    const down = Object.assign(Object.create(memory), {
      list: async () => {
        throw new VaultError('unavailable', 'It is down.', { hint: '' })
      },
    })
    const rules = createRules({})
    const sync = new Sync({
      storage: down,
      root: null,
      rules,
      catalogue: new Catalogue(),
      index: new TextIndex(),
      onChange: () => {},
    })
    await sync.start().built
    expect(sync.status).toMatchObject({ isListed: false, lastError: 'It is down.' })
  })
})

describe('polling', () => {
  afterEach(() => {
    jest.useRealTimers()
  })

  /** What a poller would see of a vault, and which looks it takes. */
  function watched(lastError: string | null = null) {
    const looks: string[] = []
    const status = { lastError }
    const sync = {
      status,
      look: async () => void looks.push('look'),
      verify: async () => void looks.push('verify'),
    } as unknown as Sync
    return { sync, looks, status }
  }

  const advance = async (ms: number) => {
    jest.advanceTimersByTime(ms)
    for (let i = 0; i < 10; i++) await Promise.resolve()
  }

  test('looks at each interval, and compares contents when that is due', async () => {
    jest.useFakeTimers()
    const { sync, looks } = watched()
    const stop = startPolling(sync, { everyMs: 100, verifyEveryMs: 250 })
    for (let i = 0; i < 6; i++) await advance(100)
    stop()
    await advance(1000)
    expect(looks.filter((l) => l === 'look').length + looks.filter((l) => l === 'verify').length).toBe(6)
    expect(looks[0]).toBe('look')
    expect(looks).toContain('verify')
  })

  test('a first look that failed is repeated soon, even where nobody asked for watching', async () => {
    jest.useFakeTimers()
    const { sync, looks, status } = watched('It is down.')
    const stop = startPolling(sync, { everyMs: null, verifyEveryMs: null })
    await advance(2000)
    status.lastError = null
    await advance(4000)
    await advance(100_000)
    stop()
    expect(looks.length).toBe(2)
  })
})

describe('reading ahead', () => {
  const entries = ['a', 'b', 'c', 'd', 'e'].map((path) => ({
    path,
    kind: 'file' as const,
    size: 1,
    mtimeMs: 0,
    ctimeMs: 0,
  }))

  test.each([1, 3, 9])('with a window of %d everything comes in order', async (window) => {
    let [open, most] = [0, 0]
    const read = async () => {
      most = Math.max(most, ++open)
      await Promise.resolve()
      return bytes('x')
    }
    const order: string[] = []
    for (const { entry, bytes: coming } of readAhead(entries, window, read)) {
      await coming
      open--
      order.push(entry.path)
    }
    expect(order).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(most).toBe(Math.min(window, entries.length))
  })
})
