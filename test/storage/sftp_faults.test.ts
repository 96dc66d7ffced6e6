import { afterEach, describe, expect, test } from 'bun:test'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { VaultError } from '../../src/errors.ts'
import { configureLog } from '../../src/logger.ts'
import { slots } from '../../src/storage/sftp/slots.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { codeOf } from './contract.ts'
import { type SftpBench, sftpBench } from './sftp_bench.ts'
import type { Action, ServerOptions } from './sftp_server.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const text = async ({ storage }: SftpBench, path: string) =>
  new TextDecoder().decode(await storage.read(path))

// Connections are lost by the hundred here.
configureLog({ level: 'error' })

let bench: SftpBench | undefined
afterEach(async () => {
  await bench?.close()
  bench = undefined
})

async function opened(files: Record<string, string>, server: ServerOptions = {}, timeoutMs = 5000) {
  bench = await sftpBench(files, server, { timeoutMs })
  return bench
}

/** Lets something go wrong at the nth request from now, once. @returns whether it has come to that */
function failAt({ server }: SftpBench, nth: number, action: Action): () => boolean {
  let count = 0
  server.options.fault = () => (++count === nth ? action : undefined)
  return () => count >= nth
}

const KINDS: { name: string; extensions?: readonly string[] }[] = [
  { name: 'like OpenSSH' },
  { name: 'without extensions', extensions: [] },
]

const CHANGES = [
  {
    name: 'a replacement',
    run: (b: SftpBench) =>
      b.storage.write('a.md', bytes('new'), {
        mode: 'replace',
        check: (current) => {
          if (new TextDecoder().decode(current) !== 'old') throw new VaultError('conflict', '', { hint: '' })
        },
      }),
    before: { 'a.md': 'old', 'f/b.md': 'B' },
    after: { 'a.md': 'new', 'f/b.md': 'B' },
  },
  {
    name: 'a creation',
    run: (b: SftpBench) => b.storage.write('f/new.md', bytes('new'), { mode: 'create' }),
    before: { 'a.md': 'old', 'f/b.md': 'B' },
    after: { 'a.md': 'old', 'f/b.md': 'B', 'f/new.md': 'new' },
  },
  {
    name: 'a move',
    run: (b: SftpBench) => b.storage.rename('a.md', 'f/a.md'),
    before: { 'a.md': 'old', 'f/b.md': 'B' },
    after: { 'f/a.md': 'old', 'f/b.md': 'B' },
  },
  {
    name: 'a removal',
    run: (b: SftpBench) => b.storage.remove('a.md'),
    before: { 'a.md': 'old', 'f/b.md': 'B' },
    after: { 'f/b.md': 'B' },
  },
]

/** Every file there is, temporary ones too. */
function filesIn(root: string): Record<string, string> {
  const names = fs.readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()
  const files = names.filter((name) => fs.statSync(join(root, name)).isFile())
  return Object.fromEntries(files.map((name) => [name, fs.readFileSync(join(root, name), 'utf8')]))
}

describe.each(KINDS)('a connection that is cut, on a server $name', ({ extensions }) => {
  describe.each(CHANGES)('during $name', ({ run, before, after }) => {
    test.each(['cut', 'cut_after'] as const)(
      'at every request (%s) leaves the old or the new, and says which',
      async (action) => {
        for (let nth = 1; ; nth++) {
          const b = await sftpBench(before, extensions ? { extensions } : {})
          try {
            await b.storage.stat('')
            const came = failAt(b, nth, action)
            const failure = await run(b).then(
              () => null,
              (error: unknown) => error,
            )
            b.server.options.fault = undefined
            if (!came()) {
              expect(failure).toBeNull()
              break
            }
            // What was left is put in order as the first thing on the new connection.
            await b.storage.stat('')
            const files = filesIn(b.root)
            if (failure === null) expect([nth, files]).toEqual([nth, after])
            else {
              expect(failure).toBeInstanceOf(VaultError)
              expect((failure as VaultError).code).toBe('unavailable')
              expect([before, after] as unknown[]).toContainEqual(files)
              if ((failure as VaultError).message.includes('was not changed')) expect(files).toEqual(before)
            }
          } finally {
            await b.close()
          }
        }
      },
    )
  })

  test('reading goes on with a new connection', async () => {
    const b = await opened({ 'a.md': 'A' }, extensions ? { extensions } : {})
    for (let nth = 1; nth <= 5; nth++) {
      b.server.options.fault = undefined
      await b.storage.stat('')
      failAt(b, nth, 'cut')
      expect(await text(b, 'a.md')).toBe('A')
    }
  })

  test('half a listing is none', async () => {
    const b = await opened({ 'a.md': 'A', 'f/b.md': 'B', 'g/c.md': 'C' })
    b.server.options.fault = (request, path) =>
      request === 'OPENDIR' && path.endsWith('/g') ? 'cut' : undefined
    expect(await codeOf(b.storage.list('', { recursive: true }))).toBe('unavailable')
  })
})

describe('what another program writes in the last moment', () => {
  test.each(KINDS)('stays, on a server $name, and the change is refused', async ({ extensions }) => {
    const b = await opened({ 'a.md': 'old' }, extensions ? { extensions } : {})
    const target = join(b.root, 'a.md')
    b.server.options.fault = (request, path) => {
      // In place, as many editors do, right before the file is displaced.
      if (
        (request === 'EXTENDED' && path.startsWith('posix')) ||
        (request === 'RENAME' && path.includes('old-'))
      )
        if (fs.existsSync(target)) fs.writeFileSync(target, 'theirs')
      return undefined
    }
    const check = (current: Uint8Array) => {
      if (new TextDecoder().decode(current) !== 'old')
        throw new VaultError('conflict', 'It changed.', { hint: '' })
    }
    expect(await codeOf(b.storage.write('a.md', bytes('ours'), { mode: 'replace', check }))).toBe('conflict')
    expect(filesIn(b.root)).toEqual({ 'a.md': 'theirs' })
  })
})

describe('a server that misbehaves', () => {
  test('says nothing: a timeout, and the next call has a new connection', async () => {
    const b = await opened({ 'a.md': 'A' }, {}, 300)
    b.server.options.fault = () => 'silent'
    expect(await codeOf(b.storage.read('a.md'))).toBe('timeout')
    b.server.options.fault = undefined
    expect(await text(b, 'a.md')).toBe('A')
  })

  test('says nothing in the middle of a change: the old file stays, and nothing is done later', async () => {
    const b = await opened({ 'a.md': 'A' }, {}, 300)
    b.server.options.fault = (request) => (request === 'WRITE' ? 'silent' : undefined)
    expect(await codeOf(b.storage.write('a.md', bytes('B'), { mode: 'replace' }))).toBe('timeout')
    b.server.options.fault = undefined
    // The caller is told before the connection is given up and what it left is put away.
    for (let i = 0; i < 200 && Object.keys(filesIn(b.root)).length > 1; i++) {
      await Bun.sleep(10)
      await b.storage.stat('')
    }
    expect(await text(b, 'a.md')).toBe('A')
    expect(filesIn(b.root)).toEqual({ 'a.md': 'A' })
  })

  test('is slow: everything works', async () => {
    const b = await opened({ 'a.md': 'A' }, { delayMs: 15 })
    await b.storage.write('a.md', bytes('B'), { mode: 'replace', check: () => {} })
    expect(await text(b, 'a.md')).toBe('B')
  })

  test('stores less than it says: the old file stays', async () => {
    const b = await opened({ 'a.md': 'A' }, { lossyWrite: 3 })
    expect(await codeOf(b.storage.write('a.md', bytes('longer'), { mode: 'replace' }))).toBe('unavailable')
    expect(await codeOf(b.storage.write('b.md', bytes('longer'), { mode: 'create' }))).toBe('unavailable')
    expect(filesIn(b.root)).toEqual({ 'a.md': 'A' })
  })

  const FULL = [
    { name: 'is full, and says so when asked', server: { freeBytes: 0 }, code: 'disk_full' },
    { name: 'fails for another reason', server: {}, code: 'unavailable' },
    { name: 'fails and cannot be asked', server: { extensions: [] }, code: 'unavailable' },
  ]
  test.each(FULL)('$name: $code, and the old file stays', async ({ server, code }) => {
    const b = await opened({ 'a.md': 'A' }, server)
    b.server.options.fault = (request) => (request === 'WRITE' ? 4 : undefined)
    expect(await codeOf(b.storage.write('a.md', bytes('B'), { mode: 'replace' }))).toBe(code)
    expect(filesIn(b.root)).toEqual({ 'a.md': 'A' })
  })

  const DENIED = [
    { name: 'reading', work: (b: SftpBench) => b.storage.read('a.md'), code: 'unavailable' },
    {
      name: 'replacing',
      work: (b: SftpBench) => b.storage.write('a.md', bytes('B'), { mode: 'replace' }),
      code: 'read_only',
    },
    {
      name: 'creating',
      work: (b: SftpBench) => b.storage.write('b.md', bytes('B'), { mode: 'create' }),
      code: 'read_only',
    },
  ]
  test.each(DENIED)('forbids $name: $code', async ({ work, code }) => {
    const b = await opened({ 'a.md': 'A' })
    b.server.options.fault = (request) => (request === 'OPEN' ? 3 : undefined)
    expect(await codeOf(work(b))).toBe(code)
    expect(filesIn(b.root)).toEqual({ 'a.md': 'A' })
  })

  test('forbids a folder: it is named as unreadable, and the rest is listed', async () => {
    const b = await opened({ 'a.md': 'A', 'f/b.md': 'B' })
    b.server.options.fault = (request, path) => (request === 'OPENDIR' && path.endsWith('/f') ? 3 : undefined)
    const { entries, unreadable } = await b.storage.list('', { recursive: true })
    expect([entries.map(({ path }) => path).sort(), unreadable.map(({ path }) => path)]).toEqual([
      ['a.md', 'f'],
      ['f'],
    ])
  })

  test('has names that are not UTF-8: they are named as unreadable, and the rest is listed', async () => {
    const b = await opened({ 'a.md': 'A' })
    fs.writeFileSync(
      Buffer.concat([Buffer.from(`${b.root}/caf`), Buffer.from([0xe9]), Buffer.from('.md')]),
      'x',
    )
    const { entries, unreadable } = await b.storage.list('', { recursive: true })
    expect([entries.map(({ path }) => path), unreadable]).toEqual([
      ['a.md'],
      [{ path: 'caf\uFFFD.md', reason: 'Its name is not UTF-8.' }],
    ])
  })
})

describe('what a call costs', () => {
  test('a read: the names on the way at once, then the file', async () => {
    const b = await opened({ 'f/g/a.md': 'A' })
    await b.storage.stat('')
    b.server.requests.length = 0
    await b.storage.read('f/g/a.md')
    await b.storage.stat('')
    expect(b.server.requests.map((line) => line.replace(b.root, ''))).toEqual([
      'STAT ',
      'LSTAT /f',
      'LSTAT /f/g',
      'LSTAT /f/g/a.md',
      'OPEN /f/g/a.md',
      'READ /f/g/a.md',
      'READ /f/g/a.md',
      'CLOSE /f/g/a.md',
      'STAT ',
    ])
  })

  test('a listing: one for each folder, and no look at single files', async () => {
    const b = await opened({ 'a.md': 'A', 'f/b.md': 'B', 'f/g/c.md': 'C' })
    await b.storage.stat('')
    b.server.requests.length = 0
    await b.storage.list('', { recursive: true })
    const kinds = b.server.requests.map((line) => line.split(' ')[0])
    expect(kinds.filter((kind) => kind === 'OPENDIR').length).toBe(3)
    expect(kinds.filter((kind) => ['LSTAT', 'OPEN', 'READ'].includes(kind!))).toEqual([])
  })

  test('of three hundred reads at once eight are under way at a time', async () => {
    const files = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`n${i}.md`, `${i}`]))
    const b = await opened(files, { delayMs: 1 })
    const read = await Promise.all(Object.keys(files).map((path) => text(b, path)))
    expect(read).toEqual(Object.values(files))
    // Each asks for at most two things at once; handles that are closed count beside them, nobody waits for those.
    expect(b.server.mostAtOnce).toBeLessThanOrEqual(24)
  })

  test('waiting for a turn counts for a tool, and not for reading for the index', async () => {
    const files = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`n${i}.md`, `${i}`]))
    const b = await opened(files, { delayMs: 30 }, 400)
    const all = (storage: Storage) =>
      Promise.all(Object.keys(files).map((path) => codeOf(storage.read(path).then(() => {}))))
    expect(new Set(await all(b.storage.background!))).toEqual(new Set([null]))
    expect(new Set(await all(b.storage))).toEqual(new Set([null, 'timeout']))
  })

  test('a large file comes whole', async () => {
    const b = await opened({})
    const large = Uint8Array.from({ length: 1_000_003 }, (_, i) => (i * 7) & 255)
    await b.storage.write('big.bin', large, { mode: 'create' })
    expect(Buffer.compare(await b.storage.read('big.bin'), large)).toBe(0)
  })

  test('what a tool asks for goes before reading for the index', async () => {
    const run = slots(1)
    const order: string[] = []
    const first = Promise.withResolvers<void>()
    const tasks = [run('background', () => first.promise)]
    for (const [urgency, name] of [
      ['background', 'b1'],
      ['background', 'b2'],
      ['tool', 't1'],
      ['tool', 't2'],
    ] as const)
      tasks.push(run(urgency, async () => void order.push(name)))
    first.resolve()
    await Promise.all(tasks)
    expect(order).toEqual(['t1', 't2', 'b1', 'b2'])
  })
})

describe('what a killed writer has left', () => {
  const OLD = new Date(Date.now() - 2 * 60 * 60_000)

  async function leftBehind(names: Record<string, string>) {
    const b = await opened({ 'f/a.md': 'new' })
    for (const [name, content] of Object.entries(names)) {
      fs.writeFileSync(join(b.root, 'f', name), content)
      fs.utimesSync(join(b.root, 'f', name), OLD, OLD)
    }
    await b.storage.sweep(60_000)
    return filesIn(b.root)
  }

  test('a file that had stepped aside comes back where its name is free', async () => {
    expect(await leftBehind({ '.knap-tmp-old-01234567-b.md': 'old' })).toEqual({
      'f/a.md': 'new',
      'f/b.md': 'old',
    })
  })

  test('a file that had stepped aside goes where another one has its name', async () => {
    expect(await leftBehind({ '.knap-tmp-old-01234567-a.md': 'old' })).toEqual({ 'f/a.md': 'new' })
  })

  test('half a file goes', async () => {
    expect(await leftBehind({ '.knap-tmp-0123456789abcdef': 'ha' })).toEqual({ 'f/a.md': 'new' })
  })

  test('what may be in work still, by another clock, stays', async () => {
    const b = await opened({})
    fs.writeFileSync(join(b.root, '.knap-tmp-0123456789abcdef'), 'x')
    const lately = new Date(Date.now() - 10 * 60_000)
    fs.utimesSync(join(b.root, '.knap-tmp-0123456789abcdef'), lately, lately)
    expect(await b.storage.sweep(60_000)).toBe(0)
  })
})
