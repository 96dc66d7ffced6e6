import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { revisionOf } from '../../src/note/revision.ts'
import { History, type HistoryOptions } from '../../src/vault/history.ts'
import type { HistoryChange } from '../../src/vault/history_entry.ts'
import { Locks } from '../../src/vault/lock.ts'
import { codeOf } from '../storage/contract.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const rev = (text: string) => revisionOf(bytes(text))

let top: string
let folder: string
let now: number
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'knap-history-'))
  folder = join(top, 'history')
  now = Date.UTC(2026, 0, 1)
})
afterEach(() => rmSync(top, { recursive: true }))

function open(options: Partial<HistoryOptions> = {}): History {
  return new History({ folder, locks: new Locks({ folder: join(top, 'locks') }), now: () => now, ...options })
}

/** Records that `path` went from one text to another. */
function edit(history: History, path: string, before: string | null, after: string | null, more = {}) {
  const change: HistoryChange = {
    path,
    before: before === null ? null : rev(before),
    after: after === null ? null : rev(after),
    ...more,
  }
  const contents = new Map([before, after].filter((t) => t !== null).map((t) => [rev(t), bytes(t)]))
  return history.record({ client: 'test', tool: 'note_write', action: 'change', changes: [change] }, contents)
}

const text = async (history: History, revision: string) => {
  const found = await history.bytesOf(revision)
  return found === null ? null : new TextDecoder().decode(found)
}

const noise = (length: number, seed: number) => {
  const out = new Uint8Array(length)
  for (let i = 0, x = seed; i < length; i++) out[i] = (x = (x * 1103515245 + 12345) & 0x7fffffff) >> 16
  return Buffer.from(out).toString('latin1')
}

test('an operation is listed with who, what and when; its bytes come back', async () => {
  const history = open()
  const id = await edit(history, 'a.md', 'one', 'two')
  expect(await history.list()).toEqual([
    {
      id,
      time: now,
      client: 'test',
      tool: 'note_write',
      action: 'change',
      changes: [{ path: 'a.md', before: rev('one'), after: rev('two') }],
    },
  ])
  expect([
    await text(history, rev('one')),
    await text(history, rev('two')),
    await text(history, rev('three')),
  ]).toEqual(['one', 'two', null])
})

test('it survives a restart, and lies in a folder that is its owner’s alone', async () => {
  await edit(open(), 'a.md', 'one', 'two')
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o077).toBe(0)
  expect(await text(open(), rev('one'))).toBe('one')
})

test('the newest come first, of one note or of all, up to the limit', async () => {
  const history = open()
  for (let i = 0; i < 10; i++) {
    now++
    await edit(history, i % 2 ? 'a.md' : 'b.md', `${i}`, `${i + 1}`)
  }
  const befores = async (options: object) => (await history.list(options)).map((e) => e.changes[0]!.before)
  expect(await befores({ limit: 3 })).toEqual(['9', '8', '7'].map(rev))
  expect(await befores({ path: 'b.md' })).toEqual(['8', '6', '4', '2', '0'].map(rev))
})

test('a note is followed to the names it had before, also through moves of its folders', async () => {
  const history = open()
  await edit(history, 'x/old.md', 'one', 'two')
  await edit(history, 'x/new.md', 'two', 'two', { from: 'x/old.md' })
  await edit(history, 'x/old.md', null, 'another note')
  await edit(history, 'y', null, null, { from: 'x', folder: true })
  await edit(history, 'y/new.md', 'two', 'three')
  const found = await history.list({ path: 'y/new.md' })
  expect(found.map((e) => e.changes[0]!.path)).toEqual(['y/new.md', 'y', 'x/new.md', 'x/old.md'])
})

test('many notes changed at once are one entry, each content kept once', async () => {
  const history = open()
  const changes = Array.from({ length: 50 }, (_, i) => ({
    path: `${i}.md`,
    before: rev('same'),
    after: rev(`now ${i}`),
  }))
  const contents = new Map(
    [
      ['same', bytes('same')] as const,
      ...changes.map((_, i) => [`now ${i}`, bytes(`now ${i}`)] as const),
    ].map(([k, v]) => [rev(k), v]),
  )
  await history.record({ client: 'c', tool: 'tags', action: 'change', changes }, contents)
  expect((await history.list()).map((e) => e.changes.length)).toEqual([50])
  expect([await text(history, rev('same')), await text(history, rev('now 49'))]).toEqual(['same', 'now 49'])
})

test('what was not carried out is listed no more', async () => {
  const history = open()
  await edit(history, 'a.md', 'one', 'two')
  await history.markFailed(await edit(history, 'a.md', 'two', 'three'))
  expect((await history.list()).map((e) => e.changes[0]!.after)).toEqual([rev('two')])
  expect(await text(history, rev('three'))).toBe('three')
})

describe('references', () => {
  test('an operation by its id, a revision by itself or its first digits', async () => {
    const history = open()
    const id = await edit(history, 'a.md', 'one', 'two')
    expect((await history.find(id)).revision).toBeNull()
    expect((await history.find(rev('one'))).revision).toBe(rev('one'))
    expect((await history.find(rev('two').slice(0, 8).toUpperCase())).revision).toBe(rev('two'))
  })

  test.each(['', 'abc', '12345678', 'nonsense', rev('never')])('%p is not_found', async (reference) => {
    const history = open()
    await edit(history, 'a.md', 'one', 'two')
    expect(await codeOf(history.find(reference))).toBe('not_found')
  })
})

describe('bounds', () => {
  test('what is too much goes from the old end; the newest entry never goes', async () => {
    const history = open({ maxBytes: 100_000 })
    for (let i = 0; i < 60; i++) {
      now++
      await edit(history, 'a.md', noise(5000, i), noise(5000, i + 1))
    }
    const { bytes: kept, entries } = await history.size()
    expect(kept).toBeLessThanOrEqual(100_000)
    expect(entries).toBeGreaterThan(5)
    expect(await text(history, rev(noise(5000, 60)))).toBe(noise(5000, 60))
    expect(await text(history, rev(noise(5000, 0)))).toBeNull()
  })

  test('what is too old goes; the newest entry stays, however old', async () => {
    const history = open({ maxAgeMs: 10 * 86_400_000 })
    for (let day = 0; day < 20; day++) {
      await edit(history, 'a.md', `${day}`, `${day + 1}`)
      now += 86_400_001
    }
    await history.prune()
    expect((await history.list()).length).toBe(9)
    now += 1000 * 86_400_000
    await history.prune()
    expect((await history.list()).map((e) => e.changes[0]!.after)).toEqual([rev('20')])
    expect(await text(history, rev('19'))).toBe('19')
  })

  test('one change that is larger than the bound is refused with the way out', async () => {
    const history = open({ maxBytes: 10_000 })
    await edit(history, 'a.md', 'one', 'two')
    const error = await edit(history, 'a.md', noise(20_000, 1), 'x').then(String, (e) => e)
    expect([error.code, error.hint]).toEqual(['too_large', expect.stringContaining('0 to keep none')])
    await edit(history, 'b.md', 'y'.repeat(1_000_000), 'x')
    expect((await history.list()).length).toBe(2)
  })

  test('a bound of 0 keeps nothing and refuses nothing', async () => {
    const history = open({ maxBytes: 0 })
    expect(await edit(history, 'a.md', noise(20_000, 1), 'x')).toBe('')
    await history.markFailed('')
    expect([await history.list(), await history.bytesOf(rev('x'))]).toEqual([[], null])
  })
})

describe('purge', () => {
  test('forgets a note under all its names, and nothing else; its bytes are on no disk any more', async () => {
    const history = open({ maxBytes: 400_000 })
    const secret = noise(3000, 99)
    await edit(history, 'old.md', 'one', secret)
    for (let i = 0; i < 20; i++) await edit(history, 'b.md', noise(6000, i), noise(6000, i + 1))
    await edit(history, 'new.md', secret, secret, { from: 'old.md' })
    const both = [
      { path: 'new.md', before: rev(secret), after: rev('gone') },
      { path: 'b.md', before: rev(noise(6000, 20)), after: rev('last') },
    ]
    const contents = [secret, 'gone', noise(6000, 20), 'last'].map((t) => [rev(t), bytes(t)] as const)
    await history.record({ client: 'c', tool: 't', action: 'change', changes: both }, new Map(contents))
    expect(await history.purge('new.md')).toBe(3)
    expect(await history.list({ path: 'new.md' })).toEqual([])
    expect(await history.list({ path: 'old.md' })).toEqual([])
    expect((await history.list({ path: 'b.md' })).length).toBe(21)
    for (const gone of ['one', secret, 'gone']) expect(await text(history, rev(gone))).toBeNull()
    for (const kept of [noise(6000, 0), noise(6000, 13), 'last'])
      expect(await text(history, rev(kept))).toBe(kept)
    const disk = Buffer.concat(readdirSync(folder).map((n) => readFileSync(join(folder, n))))
    expect(disk.includes(Buffer.from(bytes(secret).slice(0, 64)))).toBe(false)
    await edit(history, 'new.md', 'fresh', 'start')
    expect([(await history.list({ path: 'new.md' })).length, await text(history, rev('fresh'))]).toEqual([
      1,
      'fresh',
    ])
  })

  test('of an unknown note forgets nothing', async () => {
    const history = open()
    await edit(history, 'a.md', 'one', 'two')
    expect(await history.purge('b.md')).toBe(0)
    expect((await history.list()).length).toBe(1)
  })
})

test('everything can be forgotten', async () => {
  const history = open()
  await edit(history, 'a.md', 'one', 'two')
  await history.clear()
  expect(await history.size()).toEqual({ bytes: 0, entries: 0, oldest: null })
  expect(readdirSync(folder)).toEqual([])
  await edit(history, 'a.md', 'two', 'three')
  expect(await text(history, rev('two'))).toBe('two')
})

describe('damage', () => {
  const files = () => readdirSync(folder).map((n) => join(folder, n))

  test('wherever the log is cut off, the entries before are there and the next ones are kept', async () => {
    const whole = open()
    for (const [a, b] of [
      ['one', 'two'],
      ['two', 'three'],
    ] as const)
      await edit(whole, 'a.md', a, b)
    const log = files().find((f) => f.endsWith('.log'))!
    const full = readFileSync(log)
    const firstLine = full.indexOf('\n', 1) + 1
    for (let cut = firstLine; cut < full.length - 1; cut += 7) {
      writeFileSync(log, full.subarray(0, cut))
      const history = open()
      await edit(history, 'b.md', 'four', 'five')
      expect((await history.list()).map((e) => e.changes[0]!.path)).toEqual(['b.md', 'a.md'])
      expect([await text(history, rev('one')), await text(history, rev('four'))]).toEqual(['one', 'four'])
    }
  })

  test('bytes that are not whole any more are not handed out', async () => {
    const history = open()
    await edit(history, 'a.md', 'one', 'two '.repeat(100))
    const pack = files().find((f) => f.endsWith('.pack'))!
    truncateSync(pack, statSync(pack).size - 3)
    expect(await text(history, rev('one'))).toBe('one')
    expect(await text(history, rev('two '.repeat(100)))).toBeNull()
    await edit(history, 'a.md', 'two '.repeat(100), 'three')
  })

  test('a flipped byte in the pack is noticed', async () => {
    const history = open()
    await edit(history, 'a.md', noise(500, 1), noise(500, 2))
    const pack = files().find((f) => f.endsWith('.pack'))!
    const content = readFileSync(pack)
    content[10]! ^= 1
    writeFileSync(pack, content)
    expect(await text(history, rev(noise(500, 1)))).toBeNull()
    expect(await text(history, rev(noise(500, 2)))).toBe(noise(500, 2))
  })

  test('foreign lines and files are left alone', async () => {
    const history = open()
    await edit(history, 'a.md', 'one', 'two')
    appendFileSync(files().find((f) => f.endsWith('.log'))!, '\nnull\n[1]\n{"x":1}\n')
    writeFileSync(join(folder, 'README'), 'mine')
    await history.prune()
    expect([(await history.list()).length, readFileSync(join(folder, 'README'), 'utf8')]).toEqual([1, 'mine'])
  })

  test('a data folder that cannot be written is said by name, and its path is not', async () => {
    writeFileSync(folder, 'a file is in the way')
    expect(await codeOf(open().list())).toBe('unavailable')
    const error = await edit(open(), 'a.md', 'one', 'two').then(String, (e) => e)
    expect([error.code, error.message]).toEqual([
      'unavailable',
      'The history cannot be written, so nothing was changed.',
    ])
  })
})

test('two processes append without harming each other', async () => {
  const script = `
    import { History } from ${JSON.stringify(join(import.meta.dir, '../../src/vault/history.ts'))}
    import { Locks } from ${JSON.stringify(join(import.meta.dir, '../../src/vault/lock.ts'))}
    import { revisionOf } from ${JSON.stringify(join(import.meta.dir, '../../src/note/revision.ts'))}
    const history = new History({ folder: ${JSON.stringify(folder)}, locks: new Locks({ folder: ${JSON.stringify(join(top, 'locks'))} }), maxBytes: 8_000_000 })
    const who = process.argv[1]
    for (let i = 0; i < 40; i++) {
      const bytes = new TextEncoder().encode(who + ' ' + i + ' ' + 'x'.repeat(i * 10))
      const after = revisionOf(bytes)
      await history.record({ client: who, tool: 't', action: 'change', changes: [{ path: who, before: null, after }] }, new Map([[after, bytes]]))
    }`
  const children = ['one', 'two', 'three'].map((who) =>
    Bun.spawn([process.execPath, '-e', script, who], { stderr: 'inherit' }),
  )
  expect(await Promise.all(children.map((c) => c.exited))).toEqual([0, 0, 0])
  const history = open({ now: Date.now })
  const entries = await history.list({ limit: 1000 })
  expect(entries.length).toBe(120)
  for (const { client, changes } of entries)
    expect(await text(history, changes[0]!.after!)).toStartWith(`${client} `)
})
