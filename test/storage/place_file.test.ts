import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { VaultError } from '../../src/errors.ts'
import { type Disk, nodeDisk } from '../../src/storage/disk.ts'
import { openLocalStorage } from '../../src/storage/local.ts'
import { codeOf } from './contract.ts'

let root: string
beforeEach(() => {
  root = fs.mkdtempSync(join(tmpdir(), 'knap-place-'))
  fs.writeFileSync(join(root, 'a.md'), 'old')
})
afterEach(() => fs.rmSync(root, { recursive: true }))

const at = (path: string) => join(root, path)
const bytes = (text: string) => new TextEncoder().encode(text)
const names = () => fs.readdirSync(root).sort()

/** Replaces `a.md` by `new`, checking that it still is `old`; tells the code and what the check has seen. */
async function replace(disk: Disk): Promise<{ code: string | null; seen: string[] }> {
  const seen: string[] = []
  const check = (current: Uint8Array) => {
    seen.push(new TextDecoder().decode(current))
    if (seen.at(-1) !== 'old') throw new VaultError('conflict', 'changed', { hint: '' })
  }
  const storage = await openLocalStorage(root, { disk })
  return { code: await codeOf(storage.write('a.md', bytes('new'), { mode: 'replace', check })), seen }
}

/** What other programs do to a file while it is being edited. */
const EDITORS = [
  { name: 'writes in place', edit: () => fs.writeFileSync(at('a.md'), 'theirs') },
  {
    name: 'saves by temporary file and rename',
    edit: () => {
      fs.writeFileSync(at('theirs.tmp'), 'theirs')
      fs.renameSync(at('theirs.tmp'), at('a.md'))
    },
  },
]

/** The call that puts a file in place, by the means that a system has. */
const WAYS = [
  {
    way: 'by exchange',
    exchangeSync: nodeDisk.exchangeSync,
    calls: ['readFileSync', 'realpathSync', 'exchangeSync'],
  },
  {
    way: 'by hard link',
    exchangeSync: null,
    calls: ['linkSync', 'readFileSync', 'realpathSync', 'renameSync'],
  },
] as const

describe.each(EDITORS)('another program $name', ({ edit }) => {
  describe.each(WAYS)('$way', ({ exchangeSync, calls }) => {
    const moments = calls.flatMap((call) => [
      { call, when: 'before' as const },
      // What is written after the files changed places is an edit of our text, by the next one's turn.
      ...(call === 'exchangeSync' || call === 'renameSync' ? [] : [{ call, when: 'after' as const }]),
    ])
    test.each(moments)(
      '$when $call: its bytes stay, ours are not written, a conflict is told',
      async ({ call, when }) => {
        // On a system without the exchange there is no such moment.
        if (call === 'exchangeSync' && exchangeSync === null) return
        const disk = interrupted({ ...nodeDisk, exchangeSync }, { call, when, edit })
        // The window that is left where two files cannot change places.
        const isLost = call === 'renameSync' && edit === EDITORS[1]!.edit
        const { code, seen } = await replace(disk)
        if (isLost) return expect(code).toBeNull()
        expect([code, seen.at(-1)]).toEqual(['conflict', 'theirs'])
        expect([fs.readFileSync(at('a.md'), 'utf8'), names()]).toEqual(['theirs', ['a.md']])
      },
    )
  })
})

/** A disk on which another program does its work before or after the first call of that name. */
function interrupted(
  disk: Disk,
  { call, when, edit }: { call: keyof Disk; when: 'before' | 'after'; edit: () => void },
): Disk {
  let done = false
  const around = (...args: unknown[]) => {
    const first = !done
    done = true
    if (first && when === 'before') edit()
    const result = (disk[call] as (...a: unknown[]) => unknown)(...args)
    if (first && when === 'after') edit()
    return result
  }
  return { ...disk, [call]: around }
}

test.each(WAYS)(
  'a program that holds the file open and writes right after it was displaced keeps its file ($way)',
  async ({ exchangeSync }) => {
    const open = fs.openSync(at('a.md'), 'r+')
    let waiting = true
    const sync = {
      ...nodeDisk.promises,
      open: openedBy((path) => {
        // The folder is synced after the files have changed places.
        if (path !== root || !waiting) return
        waiting = false
        fs.writeSync(open, 'more than that')
        fs.closeSync(open)
      }),
    }
    const { code, seen } = await replace({ ...nodeDisk, exchangeSync, promises: sync })
    expect([code, seen]).toEqual(['conflict', ['old', 'more than that']])
    expect([fs.readFileSync(at('a.md'), 'utf8'), names()]).toEqual(['more than that', ['a.md']])
  },
)

test('a program that empties a file and fills it a moment later is waited for', async () => {
  fs.writeFileSync(at('a.md'), 'old')
  const open = fs.openSync(at('a.md'), 'r+')
  setTimeout(() => {
    fs.writeSync(open, 'all of it')
    fs.closeSync(open)
  }, 8)
  expect((await replace(nodeDisk)).code).toBe('conflict')
  expect([fs.readFileSync(at('a.md'), 'utf8'), names()]).toEqual(['all of it', ['a.md']])
})

function openedBy(then: (path: string) => void): Disk['promises']['open'] {
  return async (path, ...rest) => {
    then(String(path))
    return nodeDisk.promises.open(path, ...rest)
  }
}

test('where there are no hard links the last check still holds, and a new file is still put in place whole', async () => {
  const linkSync = () => {
    throw Object.assign(new Error('no links'), { code: 'ENOTSUP' })
  }
  const disk: Disk = {
    ...nodeDisk,
    linkSync,
    promises: { ...nodeDisk.promises, link: async () => linkSync() },
  }
  expect(await replace(disk)).toEqual({ code: null, seen: ['old'] })
  expect((await replace(disk)).code).toBe('conflict')
  const storage = await openLocalStorage(root, { disk })
  await storage.write('f/n.md', bytes('n'), { mode: 'create' })
  expect(await codeOf(storage.write('f/n.md', bytes('m'), { mode: 'create' }))).toBe('already_exists')
  await storage.rename('f/n.md', 'm.md')
  expect(await codeOf(storage.rename('a.md', 'm.md'))).toBe('already_exists')
  expect([fs.readFileSync(at('m.md'), 'utf8'), names()]).toEqual(['n', ['a.md', 'f', 'm.md']])
})

describe('a failing disk', () => {
  const CODES = {
    ENOSPC: 'disk_full',
    EDQUOT: 'disk_full',
    EROFS: 'read_only',
    EACCES: 'read_only',
    EPERM: 'read_only',
    EIO: 'unavailable',
    EMFILE: 'unavailable',
    ETIMEDOUT: 'timeout',
  }
  const CALLS = ['writeFile', 'sync', 'chmod'] as const

  test.each(Object.entries(CODES))(
    '%s is %s, by its number alone; the note stays, no temporary file does',
    async (errno, code) => {
      for (const call of CALLS) {
        const disk = failing(call, errno)
        const storage = await openLocalStorage(root, { disk })
        const error = await storage.write('a.md', bytes('new'), { mode: 'replace' }).then(String, (e) => e)
        expect([error.code, error.message.includes(root)]).toEqual([code, false])
        if (call !== 'chmod')
          expect(await codeOf(storage.write('d/n.md', bytes('new'), { mode: 'create' }))).toBe(code)
        expect([fs.readFileSync(at('a.md'), 'utf8'), names()]).toEqual(['old', ['a.md']])
      }
    },
  )

  test.each(Object.entries(CODES))('%s while reading', async (errno, code) => {
    const readFile = (async () => {
      throw Object.assign(new Error('no such luck'), { code: errno })
    }) as never
    const disk = { ...nodeDisk, promises: { ...nodeDisk.promises, readFile } }
    const storage = await openLocalStorage(root, { disk })
    expect(await codeOf(storage.read('a.md'))).toBe(
      code === 'read_only' && errno !== 'EROFS' ? 'unavailable' : code,
    )
  })

  /** A disk on which one call of every open file fails. */
  function failing(call: 'writeFile' | 'sync' | 'chmod', errno: string): Disk {
    const open: Disk['promises']['open'] = async (...args) => {
      const handle = await nodeDisk.promises.open(...args)
      const fail = async () => {
        throw Object.assign(new Error('no space left, not found, permission denied'), { code: errno })
      }
      return new Proxy(handle, {
        get: (target, name) => {
          const value = Reflect.get(target, name, target)
          return name === call ? fail : typeof value === 'function' ? value.bind(target) : value
        },
      })
    }
    return { ...nodeDisk, promises: { ...nodeDisk.promises, open } }
  }
})

test('a parent that is swapped for a link out of the vault, in the last moment, is not written through', async () => {
  const outside = fs.mkdtempSync(join(tmpdir(), 'knap-outside-'))
  fs.mkdirSync(at('d'))
  fs.writeFileSync(at('d/a.md'), 'old')
  const promises = {
    ...nodeDisk.promises,
    open: (async (path, ...rest) => {
      const handle = await nodeDisk.promises.open(path, ...rest)
      if (
        String(path).includes('.knap-tmp-') &&
        fs.existsSync(at('d')) &&
        !fs.lstatSync(at('d')).isSymbolicLink()
      ) {
        fs.renameSync(at('d'), at('e'))
        fs.symlinkSync(outside, at('d'))
        fs.writeFileSync(join(outside, 'a.md'), 'outside')
      }
      return handle
    }) as Disk['promises']['open'],
  }
  const storage = await openLocalStorage(root, { disk: { ...nodeDisk, promises } })
  const code = await codeOf(storage.write('d/a.md', bytes('new'), { mode: 'replace', check: () => {} }))
  expect(['outside_vault', 'not_found']).toContain(code!)
  expect([fs.readdirSync(outside), fs.readFileSync(join(outside, 'a.md'), 'utf8')]).toEqual([
    ['a.md'],
    'outside',
  ])
  fs.rmSync(outside, { recursive: true })
})

test('a disk that hangs is given up on, and other files are still answered', async () => {
  const lstat = ((path: string) =>
    path.endsWith('a.md')
      ? new Promise(() => {})
      : nodeDisk.promises.lstat(path)) as Disk['promises']['lstat']
  fs.writeFileSync(at('b.md'), 'b')
  const storage = await openLocalStorage(root, {
    disk: { ...nodeDisk, promises: { ...nodeDisk.promises, lstat } },
    timeoutMs: 30,
  })
  const hanging = Array.from({ length: 100 }, () => codeOf(storage.read('a.md')))
  expect(new TextDecoder().decode(await storage.read('b.md'))).toBe('b')
  expect(new Set(await Promise.all(hanging))).toEqual(new Set(['timeout']))
})

test('a time in the future still moves on', async () => {
  const future = new Date(Date.now() + 3_600_000)
  fs.utimesSync(at('a.md'), future, future)
  const storage = await openLocalStorage(root)
  await storage.write('a.md', bytes('new'), { mode: 'replace' })
  expect((await storage.stat('a.md'))!.mtimeMs).toBeGreaterThan(future.getTime())
})

test('what is no regular file is neither listed nor read', async () => {
  Bun.spawnSync(['mkfifo', at('pipe.md')])
  const storage = await openLocalStorage(root)
  expect((await storage.list('', { recursive: true })).entries.map((e) => e.path)).toEqual(['a.md'])
  expect(await codeOf(storage.read('pipe.md'))).toBe('unavailable')
})
