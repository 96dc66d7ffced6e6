import { expect, test } from 'bun:test'
import type { Disk } from '../../src/storage/disk.ts'
import { openLocalStorage } from '../../src/storage/local.ts'
import { Editor } from '../../src/vault/edit.ts'
import { History } from '../../src/vault/history.ts'
import { Journal } from '../../src/vault/journal.ts'
import { Locks } from '../../src/vault/lock.ts'
import { ownIdentity } from '../../src/vault/process_identity.ts'
import { RecentBytes } from '../../src/vault/recent_bytes.ts'
import { createRules } from '../../src/vault/rules.ts'
import { forgetfulDisk } from '../storage/forgetful_disk.ts'
import { ACTOR, rev, set, swap } from './edit_bench.ts'

const FILES = { 'a.md': 'one [[b]]\n', 'b.md': 'two\n', 'f/c.md': 'three [[b]]\n' }

/** A process that is not there: no system gives such a number. */
const GONE = { ...ownIdentity(), pid: 2 ** 30 }

async function open(disk: Disk) {
  const storage = await openLocalStorage('/v', { disk })
  const locks = new Locks({ folder: null })
  const history = new History({ folder: '/d/history', locks, disk })
  const journal = new Journal({ folder: '/d/journal', storage, locks, disk, self: GONE })
  const editor = new Editor({
    storage,
    rules: createRules({}),
    history,
    journal,
    locks,
    recent: new RecentBytes(),
    systemTrash: null,
    onChange: () => {},
  })
  return { storage, history, journal, editor }
}

const OPERATIONS = [
  {
    name: 'a change',
    run: (e: Editor) => e.change({ ...swap('a.md', 'one', '1'), ...ACTOR }),
    right: { ...FILES, 'a.md': '1 [[b]]\n' },
  },
  {
    name: 'a new note in new folders',
    run: (e: Editor) => e.change({ ...set('n/m/n.md', 'n'), ...ACTOR }),
    right: { ...FILES, 'n/m/n.md': 'n' },
  },
  {
    name: 'several changes',
    run: (e: Editor) =>
      e.changeMany([swap('a.md', 'one', '1'), set('n.md', 'n'), swap('b.md', 'two', '2')], ACTOR),
    right: { ...FILES, 'a.md': '1 [[b]]\n', 'n.md': 'n', 'b.md': '2\n' },
  },
  {
    name: 'a move with the links to it',
    run: (e: Editor) =>
      e.move({
        from: 'b.md',
        to: 'g/z.md',
        edits: [swap('a.md', 'b', 'z'), swap('f/c.md', '[b]', '[z]')],
        ...ACTOR,
      }),
    right: { 'a.md': 'one [[z]]\n', 'f/c.md': 'three [[z]]\n', 'g/z.md': 'two\n' },
  },
  {
    name: 'a deletion',
    run: (e: Editor) => e.remove({ path: 'b.md', ...ACTOR }),
    right: { 'a.md': FILES['a.md'], 'f/c.md': FILES['f/c.md'], '.trash/b.md': 'two\n' },
  },
]

/** Systems may keep nothing of what was not synced, all of it, or any part. */
const MEMORIES = [() => false, () => true, ...[1, 2, 3].map((seed) => coin(seed))]

function coin(seed: number): () => boolean {
  let x = seed
  return () => ((x = (x * 1103515245 + 12345) & 0x7fffffff) >> 16) % 2 === 0
}

test.each(OPERATIONS)(
  '$name: wherever the power goes, the vault is as before or as after, and never loses a text',
  async ({ run, right }) => {
    let finished = false
    for (let at = 1; !finished; at++) {
      for (const keep of MEMORIES) {
        const power = forgetfulDisk(['/v', '/d'])
        const before = await open(power.disk)
        for (const [path, text] of Object.entries(FILES)) {
          await before.storage.write(path, new TextEncoder().encode(text), { mode: 'create' })
        }
        power.cutPowerAt(at)
        const answered = await run(before.editor).then(
          () => true,
          () => false,
        )
        power.restart(keep)
        const after = await open(power.disk)
        await after.journal.recover()
        const found = await filesOf(after.storage)
        const expected = answered ? [right] : [FILES, right]
        expect({ at, found }).toEqual({
          at,
          found: expected.find((e) => Bun.deepEquals(e, found)) ?? expected[0]!,
        })
        for (const [path, text] of Object.entries(FILES)) {
          if ((found as Record<string, string>)[path] === text) continue
          const kept = await after.history.bytesOf(rev(text))
          if (kept !== null) expect(new TextDecoder().decode(kept)).toBe(text)
          else expect(Object.values(found)).toContain(text)
        }
        await after.editor.change({ ...set('later.md', 'x'), ...ACTOR })
        expect((await after.history.list({ path: 'later.md' })).length).toBe(1)
        finished = answered && keep === MEMORIES.at(-1)
      }
    }
  },
)

async function filesOf(
  storage: Awaited<ReturnType<typeof openLocalStorage>>,
): Promise<Record<string, string>> {
  const { entries } = await storage.list('', { recursive: true })
  const found: Record<string, string> = {}
  for (const { path, kind } of entries) {
    if (kind === 'file') found[path] = new TextDecoder().decode(await storage.read(path))
  }
  return found
}
