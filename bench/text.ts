/**
 * The full-text index beside SQLite's FTS5 and MiniSearch, in one process each, in memory.
 *
 *   bun bench/text.ts [VAULT] [--notes 1000,5000,20000] [--engines knap,fts5,minisearch]
 *
 * VAULT is a folder of Markdown files; without it notes are made up (see `lib/vault.ts`). Building is one process,
 * answering another that loads what the first one saved: so memory is what an index takes that serves. "edit" is a
 * changed note until it is found.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fastFacts } from '../src/note/fast.ts'
import type { IndexDocument } from '../src/note/note.ts'
import { tokenize } from '../src/text/tokenize.ts'
import { type Random, randomFrom } from './lib/random.ts'
import { type Cell, table } from './lib/table.ts'
import { analyseAll, ENGINES, type Engine, type Kind } from './lib/text_engines.ts'
import { makeVault } from './lib/vault.ts'

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    notes: { type: 'string', default: '1000,5000,20000' },
    engines: { type: 'string', default: Object.keys(ENGINES).join(',') },
    child: { type: 'string' },
    saved: { type: 'string', default: '' },
  },
})

interface Built {
  readonly notes: number
  /** Splitting alone, in ms. */
  readonly analyse: number
  readonly build: number
  readonly saved: number
}

interface Serving {
  readonly memory: number
  readonly load: number
  readonly edit: number
  readonly queries: Readonly<Record<Kind, { p50: number; p95: number }>>
}

async function printTable(): Promise<void> {
  const sizes = positionals.length > 0 ? [0] : flags.notes.split(',').map(Number)
  const rows: Cell[][] = []
  for (const size of sizes)
    for (const engine of flags.engines.split(',')) rows.push(await rowOf(engine, size))
  const kinds = KINDS.map(({ kind }) => `${kind} p50 / p95`)
  const head = [
    'engine',
    'notes',
    'splitting ms',
    'build ms',
    'saved MB',
    'load ms',
    'memory MB',
    'edit ms',
    ...kinds,
  ]
  console.log(table(head, rows, 2))
}

async function rowOf(engine: string, size: number): Promise<Cell[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-text-'))
  try {
    const built = await inChild<Built>('build', engine, size, folder)
    const { memory, load, edit, queries } = await inChild<Serving>('serve', engine, size, folder)
    const times = KINDS.map(({ kind }) => `${queries[kind].p50.toFixed(2)} / ${queries[kind].p95.toFixed(2)}`)
    const { notes, analyse, build, saved } = built
    return [
      engine,
      notes,
      Math.round(analyse),
      Math.round(build),
      saved,
      Math.round(load),
      Math.round(memory),
      edit,
      ...times,
    ]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function inChild<T>(step: 'build' | 'serve', engine: string, size: number, folder: string): Promise<T> {
  const given = [
    '--child',
    step,
    '--engines',
    engine,
    '--notes',
    String(size),
    '--saved',
    join(folder, 'index'),
  ]
  const child = Bun.spawn([process.execPath, import.meta.path, ...positionals, ...given], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const answer = await new Response(child.stdout).text()
  if (answer === '') throw new Error(`${engine} with ${size} notes did not finish.`)
  return JSON.parse(answer)
}

function build(engine: Engine, docs: readonly IndexDocument[], file: string): Built {
  const analyse = flags.engines === 'knap' ? timed(() => analyseAll(docs)) : 0
  const time = timed(() => engine.build(docs))
  const bytes = engine.save()
  writeFileSync(file, bytes)
  return { notes: docs.length, analyse, build: time, saved: bytes.length / 1e6 }
}

function serve(engine: Engine, docs: readonly IndexDocument[], file: string): Serving {
  Bun.gc(true)
  const before = process.memoryUsage().rss
  const load = timed(() => engine.load(readFileSync(file)))
  const queries = Object.fromEntries(
    KINDS.map((one) => [one.kind, queryTimes(engine, docs, one)]),
  ) as Serving['queries']
  Bun.gc(true)
  const memory = (process.memoryUsage().rss - before) / 1e6
  const edit = median(docs.slice(0, 50).map((doc, i) => editTime(engine, doc, i)))
  return { memory, load, edit, queries }
}

function editTime(engine: Engine, doc: IndexDocument, i: number): number {
  const word = `editedword${i}`
  return timed(() => {
    engine.put({ ...doc, body: `${doc.body}\n${word}` })
    if (engine.search('word', [word]) !== 1) throw new Error(`${word} is not found after the edit`)
  })
}

interface KindOfQuery {
  readonly kind: Kind
  readonly words: (body: readonly string[], random: Random) => readonly string[]
}

const KINDS: readonly KindOfQuery[] = [
  { kind: 'word', words: (body, random) => [longOf(body, random)] },
  {
    kind: 'common word',
    words: (_, random) => [['the', 'and', 'of', 'to', 'in'][Math.floor(random() * 5)]!],
  },
  { kind: 'three words', words: (body, random) => [1, 2, 3].map(() => longOf(body, random)) },
  {
    kind: 'phrase',
    words: (body, random) => body.slice(Math.floor(random() * (body.length - 3))).slice(0, 2),
  },
  { kind: 'prefix', words: (body, random) => [longOf(body, random).slice(0, 3)] },
  { kind: 'fuzzy', words: (body, random) => [swapped(longOf(body, random))] },
]

function queryTimes(engine: Engine, docs: readonly IndexDocument[], { kind, words }: KindOfQuery) {
  const random = randomFrom(7)
  const questions: (readonly string[])[] = []
  while (questions.length < 60) {
    const body = wordsOf(docs[Math.floor(random() * docs.length)]!)
    if (body.length > 10) questions.push(words(body, random))
  }
  for (const question of questions.slice(0, 20)) engine.search(kind, question)
  const times = questions.map((question) => timed(() => engine.search(kind, question)))
  return { p50: median(times), p95: times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)]! }
}

function wordsOf({ body }: IndexDocument): string[] {
  const words: string[] = []
  let last = -1
  tokenize(body.slice(0, 4000), (term, _start, _end, position) => {
    if (position !== last && /^[a-z]+$/.test(term)) words.push(term)
    last = position
  })
  return words
}

function longOf(words: readonly string[], random: Random): string {
  const long = words.filter((word) => word.length >= 5)
  return (long.length > 0 ? long : words)[Math.floor(random() * (long.length || words.length))]!
}

function swapped(word: string): string {
  return word.length < 4 ? word : word.slice(0, 1) + word[2]! + word[1]! + word.slice(3)
}

function madeUp(count: number): IndexDocument[] {
  return Array.from(makeVault(count), ({ path, text }) => fastFacts(path, text).document)
}

function folder(root: string): IndexDocument[] {
  const files = (readdirSync(root, { recursive: true }) as string[]).filter((file) => file.endsWith('.md'))
  return files.sort().map((file) => fastFacts(file, readFileSync(join(root, file), 'utf8')).document)
}

function timed(work: () => void): number {
  const start = performance.now()
  work()
  return performance.now() - start
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1]!
}

if (flags.child === undefined) await printTable()
else {
  const make = ENGINES[flags.engines]
  if (make === undefined)
    throw new Error(`No engine is called ${flags.engines}; there are ${Object.keys(ENGINES).join(', ')}.`)
  const docs = positionals[0] === undefined ? madeUp(Number(flags.notes)) : folder(positionals[0])
  const step = flags.child === 'build' ? build : serve
  console.log(JSON.stringify(step(make(), docs, flags.saved)))
}
