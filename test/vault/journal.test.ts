import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Storage } from '../../src/storage/storage.ts'
import type { Editor } from '../../src/vault/edit.ts'
import { ownIdentity } from '../../src/vault/process_identity.ts'
import { codeOf } from '../storage/contract.ts'
import { type Fault, type FaultyStorage, faultyStorage } from '../storage/faulty.ts'
import { ACTOR, type EditBench, editBench, set, swap } from './edit_bench.ts'

const FILES = {
  'a.md': 'one [[b]]\n',
  'b.md': 'two\n',
  'c.md': 'three [[f/d]]\n',
  'f/d.md': 'four\n',
  'f/e.png': 'png',
  'old/x.md': 'gone',
}

/** Operations of several steps, with what the vault holds once they are done. */
const OPERATIONS = [
  {
    name: 'three notes changed and one made',
    run: (editor: Editor) =>
      editor.changeMany(
        [swap('a.md', 'one', '1'), swap('b.md', 'two', '2'), swap('c.md', 'three', '3'), set('n/n.md', 'n')],
        ACTOR,
      ),
    right: { ...FILES, 'a.md': '1 [[b]]\n', 'b.md': '2\n', 'c.md': '3 [[f/d]]\n', 'n/n.md': 'n' },
  },
  {
    name: 'a note moved, with the links to it and its own text',
    run: (editor: Editor) =>
      editor.move({
        from: 'b.md',
        to: 'deep/er/n.md',
        edits: [swap('a.md', '[[b]]', '[[n]]'), swap('b.md', 'two', '2')],
        ...ACTOR,
      }),
    right: without({ ...FILES, 'a.md': 'one [[n]]\n', 'deep/er/n.md': '2\n' }, 'b.md'),
  },
  {
    name: 'a note moved over another one',
    run: (editor: Editor) =>
      editor.move({ from: 'b.md', to: 'old/x.md', overwrite: true, edits: [], ...ACTOR }),
    right: without({ ...FILES, 'old/x.md': 'two\n' }, 'b.md'),
  },
  {
    name: 'a folder moved, with links to what is in it',
    run: (editor: Editor) =>
      editor.move({
        from: 'f',
        to: 'g',
        edits: [swap('c.md', 'f/d', 'g/d'), swap('f/d.md', 'four', '4')],
        ...ACTOR,
      }),
    right: without(
      { ...FILES, 'c.md': 'three [[g/d]]\n', 'g/d.md': '4\n', 'g/e.png': 'png' },
      'f/d.md',
      'f/e.png',
    ),
  },
]

function without(files: Record<string, string>, ...names: string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(files).filter(([name]) => !names.includes(name)))
}

async function withFault(
  fault: Fault,
  work: (bench: EditBench, storage: FaultyStorage) => Promise<void>,
): Promise<void> {
  let faulty: FaultyStorage | undefined
  const wrap = (storage: Storage) => (faulty = faultyStorage(storage, fault))
  const bench = await editBench(FILES, { wrap })
  try {
    await work(bench, faulty!)
  } finally {
    bench.close()
  }
}

const plans = (bench: EditBench) =>
  existsSync(join(bench.dataDir, 'journal')) ? readdirSync(join(bench.dataDir, 'journal')) : []

/** Makes plans and locks look as if the process that made them were gone. */
function orphan(bench: EditBench, pid = Bun.spawnSync(['true']).pid): void {
  for (const name of plans(bench)) {
    const file = join(bench.dataDir, 'journal', name)
    const plan = JSON.parse(new TextDecoder().decode(Bun.zstdDecompressSync(readFileSync(file))))
    const owner = { ...ownIdentity(), token: 'other', pid }
    writeFileSync(file, Bun.zstdCompressSync(JSON.stringify({ ...plan, owner })))
  }
  rmSync(join(bench.dataDir, 'locks'), { recursive: true, force: true })
}

describe.each(OPERATIONS)('$name', ({ run, right }) => {
  test('works', () =>
    withFault({ at: 0, kind: 'before' }, async (bench) => {
      await run(bench.editor)
      expect([bench.files(), plans(bench), (await bench.history.list()).length]).toEqual([right, [], 1])
    }))

  test.each(['before', 'after'] as const)(
    'whichever step fails (%s), all is done or nothing is',
    async (kind) => {
      let steps = 0
      for (let at = 1; at <= Math.max(steps, 1); at++) {
        await withFault({ at, kind }, async (bench, storage) => {
          const code = await codeOf(run(bench.editor))
          if (at === 1) steps = Math.max(storage.calls(), 2)
          if (code === null) expect([bench.files(), kind]).toEqual([right, 'after'])
          else expect(bench.files()).toEqual(FILES)
          expect(plans(bench)).toEqual([])
          expect((await bench.history.list()).length).toBe(code === null ? 1 : 0)
          const later = await bench.open()
          await run(later.editor).catch(() => {})
          expect(bench.files()).toEqual(right)
        })
      }
      expect(steps).toBeGreaterThan(1)
    },
  )

  test.each(['dead', 'dead_after'] as const)(
    'wherever the process dies (%s), the next start makes it whole',
    async (kind) => {
      let alive = false
      for (let at = 1; !alive; at++) {
        await withFault({ at, kind }, async (bench, storage) => {
          alive = await Promise.race([run(bench.editor).then(() => true), storage.died.then(() => false)])
          if (!alive) orphan(bench)
          await bench.open()
          // The plan was on disk before the first step, so the operation is finished.
          expect([at, bench.files(), plans(bench)]).toEqual([at, right, []])
        })
      }
    },
  )
})

describe('a plan that was left', () => {
  /** A vault whose last operation died after `at - 1` steps, its plan as a process that is gone would leave it. */
  async function left(at: number): Promise<EditBench> {
    let faulty: FaultyStorage | undefined
    const wrap = (storage: Storage) => (faulty = faultyStorage(storage, { at, kind: 'dead' }))
    const bench = await editBench(FILES, { wrap })
    await Promise.race([codeOf(OPERATIONS[0]!.run(bench.editor)), faulty!.died])
    orphan(bench)
    return bench
  }

  test('and cannot be finished, since a note was changed meanwhile, is taken back; that note stays', async () => {
    const bench = await left(2)
    bench.put('c.md', 'mine\n')
    const { editor } = await bench.open()
    expect(bench.files()).toEqual({ ...FILES, 'c.md': 'mine\n' })
    expect([plans(bench), await editor.recover()]).toEqual([[], []])
    bench.close()
  })

  test('is not touched while its process runs', async () => {
    const bench = await left(2)
    orphan(bench, process.pid)
    const { editor } = await bench.open()
    expect([await editor.recover(), plans(bench).length]).toEqual([[], 1])
    orphan(bench)
    expect((await editor.recover()).map((r) => r.outcome)).toEqual(['finished'])
    expect(bench.files()).toEqual(OPERATIONS[0]!.right)
    bench.close()
  })

  test('and is torn is left alone', async () => {
    const bench = await left(2)
    const [name] = plans(bench)
    const file = join(bench.dataDir, 'journal', name!)
    writeFileSync(file, readFileSync(file).subarray(0, 20))
    const { editor } = await bench.open()
    expect(await editor.recover()).toEqual([])
    bench.close()
  })
})
