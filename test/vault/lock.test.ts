import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Locks, locksIn } from '../../src/vault/lock.ts'
import { ownIdentity } from '../../src/vault/process_identity.ts'
import { codeOf } from '../storage/contract.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'knap-locks-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** The name of the lock file of a path: the only file that is there while it is held, beside the owner's. */
async function lockFileOf(path: string): Promise<string> {
  const locks = new Locks({ folder })
  let name = ''
  await locks.hold([path], async () => {
    name = readdirSync(folder).find((n) => !n.startsWith('owner-'))!
  })
  locks.close()
  return join(folder, name)
}

const deadPid = () => Bun.spawnSync(['true']).pid

test('what others hold, and what they left, is told', async () => {
  const locks = new Locks({ folder })
  await locks.hold(['a.md'], async () => {
    expect(locksIn(folder)).toEqual([{ pid: process.pid, isLeftBehind: false }])
  })
  locks.close()
  expect(locksIn(folder)).toEqual([])
  const gone = { ...ownIdentity(), pid: deadPid() }
  writeFileSync(await lockFileOf('b.md'), JSON.stringify(gone))
  expect(locksIn(folder)).toEqual([{ pid: gone.pid, isLeftBehind: true }])
  expect(locksIn(join(folder, 'nowhere'))).toEqual([])
})

test('one holder at a time has a path, in the order they asked', async () => {
  const locks = new Locks({ folder })
  const order: string[] = []
  await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      locks.hold(['a.md'], async () => {
        order.push(`in ${i}`)
        await Bun.sleep(0)
        order.push(`out ${i}`)
      }),
    ),
  )
  expect(order).toEqual(Array.from({ length: 20 }, (_, i) => [`in ${i}`, `out ${i}`]).flat())
})

test('other paths are not waited for; other spellings of a name are', async () => {
  const locks = new Locks({ folder, timeoutMs: 60 })
  await locks.hold(['Caf\u00e9.md'], async () => {
    await locks.hold(['b.md'], async () => {})
    for (const twin of ['cafe\u0301.md', 'CAF\u00c9.md']) {
      expect(await codeOf(locks.hold([twin], async () => {}))).toBe('timeout')
    }
  })
  await locks.hold(['cafe\u0301.md'], async () => {})
})

test('two that want the same paths in another order do not wait for each other for ever', async () => {
  const [one, two] = [new Locks({ folder, timeoutMs: 5000 }), new Locks({ folder, timeoutMs: 5000 })]
  let done = 0
  const work = async () => {
    done++
    await Bun.sleep(1)
  }
  await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      (i % 2 ? one : two).hold(i % 3 ? ['a', 'b', 'c'] : ['c', 'a', 'b', 'a'], work),
    ),
  )
  expect(done).toBe(20)
})

test('a failure gives the lock back, and no lock file stays', async () => {
  const locks = new Locks({ folder })
  for (let i = 0; i < 100; i++) {
    await locks.hold(['a.md', 'b.md'], () => Promise.reject(new Error('no'))).catch(() => {})
  }
  await locks.hold(['a.md'], async () => {})
  locks.close()
  expect(readdirSync(folder)).toEqual([])
})

test('who waits too long is told who holds it, and does not stand in the way afterwards', async () => {
  const [one, two] = [new Locks({ folder }), new Locks({ folder, timeoutMs: 30 })]
  await one.hold(['a.md'], async () => {
    const error = await two.hold(['a.md'], async () => {}).then(String, String)
    expect(error).toContain(`a.md is being changed by another server (process ${process.pid})`)
  })
  await two.hold(['a.md'], async () => {})
})

const LEFT = [
  {
    name: 'of a process that is gone',
    owner: () => ({ ...ownIdentity(), pid: deadPid() }),
    age: 0,
    taken: true,
  },
  {
    name: 'of a process whose number runs again',
    owner: () => ({ ...ownIdentity(), start: '1' }),
    age: 0,
    taken: true,
  },
  {
    name: 'of another machine, silent',
    owner: () => ({ ...ownIdentity(), host: 'far' }),
    age: 60,
    taken: true,
  },
  {
    name: 'of another machine, alive',
    owner: () => ({ ...ownIdentity(), host: 'far' }),
    age: 1,
    taken: false,
  },
  { name: 'of a process that runs, silent', owner: () => ownIdentity(), age: 60, taken: false },
  { name: 'torn, old', owner: () => '{"pid":', age: 60, taken: true },
  { name: 'torn, new', owner: () => '', age: 0, taken: false },
]
test.each(LEFT)('a lock $name: taken over is $taken', async ({ owner, age, taken }) => {
  const file = await lockFileOf('a.md')
  const content = owner()
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  const at = new Date(Date.now() - age * 1000)
  utimesSync(file, at, at)
  const locks = new Locks({ folder, timeoutMs: 50, staleMs: 15_000 })
  expect(await codeOf(locks.hold(['a.md'], async () => {}))).toBe(taken ? null : 'timeout')
})

test('cleaning removes what is left behind and nothing else', async () => {
  const file = await lockFileOf('a.md')
  writeFileSync(file, JSON.stringify({ ...ownIdentity(), pid: deadPid() }))
  writeFileSync(join(folder, 'owner-dead'), JSON.stringify({ ...ownIdentity(), pid: deadPid() }))
  const locks = new Locks({ folder })
  await locks.hold(['b.md'], async () => {
    new Locks({ folder }).clean()
    expect(readdirSync(folder).length).toBe(2)
  })
})

test('processes exclude each other: a counter that is read and written back loses nothing', async () => {
  const counter = join(folder, 'counter')
  writeFileSync(counter, '0')
  const script = `
    import { Locks } from ${JSON.stringify(join(import.meta.dir, '../../src/vault/lock.ts'))}
    import { readFileSync, writeFileSync } from 'node:fs'
    const locks = new Locks({ folder: ${JSON.stringify(join(folder, 'locks'))} })
    for (let i = 0; i < 100; i++) await locks.hold(['counter'], async () => {
      const n = Number(readFileSync(${JSON.stringify(counter)}, 'utf8'))
      if (i % 10 === 0) await Bun.sleep(1)
      writeFileSync(${JSON.stringify(counter)}, String(n + 1))
    })
    locks.close()`
  const children = Array.from({ length: 3 }, () =>
    Bun.spawn([process.execPath, '-e', script], { stderr: 'inherit' }),
  )
  expect(await Promise.all(children.map((c) => c.exited))).toEqual([0, 0, 0])
  expect(await Bun.file(counter).text()).toBe('300')
  expect(readdirSync(join(folder, 'locks'))).toEqual([])
})

test('a process that always has the next holder ready does not starve another process', async () => {
  const [busy, other] = [new Locks({ folder }), new Locks({ folder, timeoutMs: 5000 })]
  let stop = false
  const loop = async () => {
    while (!stop) await busy.hold(['a.md'], () => Bun.sleep(1))
  }
  const busyOnes = Array.from({ length: 8 }, loop)
  await Bun.sleep(5)
  for (let i = 0; i < 5; i++) await other.hold(['a.md'], async () => {})
  stop = true
  await Promise.all(busyOnes)
})

test('a data folder that cannot be written is said, not waited for', async () => {
  writeFileSync(join(folder, 'file'), '')
  const locks = new Locks({ folder: join(folder, 'file', 'locks') })
  expect(await codeOf(locks.hold(['a.md'], async () => {}))).toBe('unavailable')
})
