/**
 * How long an edit takes, fsync and history included, in vaults of growing size: `bun bench/edit.ts [NOTES...]`
 * (default 1000 5000 20000). Prints milliseconds for a patch of one note, a new note, a move, and a listing.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { patchNote } from '../src/note/patch.ts'
import { openLocalStorage } from '../src/storage/local.ts'
import type { Storage } from '../src/storage/storage.ts'
import { type Editor, openEditor } from '../src/vault/edit.ts'
import { createRules } from '../src/vault/rules.ts'
import { randomFrom } from './lib/random.ts'
import { table } from './lib/table.ts'
import { writeVault } from './lib/vault.ts'

const ROUNDS = 200
const ACTOR = { client: 'bench', tool: 'bench' }

const sizes = process.argv.slice(2).map(Number)
const rows: (string | number)[][] = []
for (const notes of sizes.length > 0 ? sizes : [1000, 5000, 20_000]) rows.push(...(await measure(notes)))
console.log(table(['notes', 'what', 'p50 ms', 'p95 ms'], rows, 2))

async function measure(notes: number): Promise<(string | number)[][]> {
  const top = mkdtempSync(join(tmpdir(), 'knap-bench-edit-'))
  const root = join(top, 'vault')
  writeVault(root, notes)
  const storage = await openLocalStorage(root)
  const { editor } = await openEditor({
    storage,
    rules: createRules({}),
    dataDir: join(top, 'data'),
    onChange: () => {},
  })
  const listing: number[] = []
  for (let i = 0; i < 5; i++) listing.push(await timed(() => storage.list('', { recursive: true })))
  const paths = await notePaths(storage)
  const random = randomFrom(1)
  const any = () => paths[Math.floor(random() * paths.length)]!
  const works = {
    'patch a note': (i: number) => patch(editor, any(), i),
    'make a note': (i: number) => make(editor, i),
    'patch 10 notes at once': (i: number) => patchTen(editor, new Set(Array.from({ length: 10 }, any)), i),
    'move a note there and back': () => move(editor, any()),
  }
  const rows = Object.entries(works).map(([what]) => ({ what, times: [] as number[] }))
  for (let i = 0; i < ROUNDS; i++) {
    for (const [n, work] of Object.values(works).entries()) rows[n]!.times.push(await timed(() => work(i)))
  }
  editor.close()
  rmSync(top, { recursive: true })
  return [{ what: 'list all', times: listing }, ...rows].map(({ what, times }) => [
    notes,
    what,
    quantile(times, 0.5),
    quantile(times, 0.95),
  ])
}

async function notePaths(storage: Storage): Promise<string[]> {
  const { entries } = await storage.list('', { recursive: true })
  return entries
    .map((e) => e.path)
    .filter((path) => path.endsWith('.md'))
    .sort()
}

function patch(editor: Editor, path: string, i: number): Promise<unknown> {
  return editor.change({
    path,
    mode: 'replace',
    edit: (before) => ({ text: patched(before!.text, i) }),
    ...ACTOR,
  })
}

function patchTen(editor: Editor, paths: ReadonlySet<string>, i: number): Promise<unknown> {
  const edits = [...paths].map((path) => ({
    path,
    mode: 'replace' as const,
    edit: (before: { text: string } | null) => ({ text: patched(before!.text, i) }),
  }))
  return editor.changeMany(edits, ACTOR)
}

/** A line below the first heading, or at the top where there is none. */
function patched(text: string, i: number): string {
  const heading = /^#{1,6} .*$/m.exec(text)
  const content = `Line ${i}.`
  if (heading === null) return `${text}\n${content}\n`
  const target = String(text.slice(0, heading.index).split('\n').length)
  return patchNote(text, { operation: 'append', targetType: 'lines', target, content }).text
}

function make(editor: Editor, i: number): Promise<unknown> {
  return editor.change({
    path: `made/n${i}.md`,
    mode: 'create',
    edit: () => ({ text: `# ${i}\n` }),
    ...ACTOR,
  })
}

async function move(editor: Editor, path: string): Promise<void> {
  await editor.move({ from: path, to: `moved/${path}`, edits: [], ...ACTOR })
  await editor.move({ from: `moved/${path}`, to: path, edits: [], ...ACTOR })
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

function quantile(times: readonly number[], q: number): number {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))]!
}
