/**
 * The graph beside the exact scan on real vectors, and what embedding costs.
 *
 *   bun bench/vector.ts --collections FOLDER --models FOLDER --cache FILE [--model bge-small-en-v1.5] [--sizes 10000,100000]
 *
 * --cache is what `bench/hybrid.ts --cache` has left for that model: the vectors of all passages and questions. Sizes
 * above the number of passages are filled with copies of them that are turned a little (--noise, the length of what is
 * added to a vector of length 1). Each size runs in a process of its own; times are of the wall clock.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { selfCommand } from '../src/vault/self.ts'
import { normalise } from '../src/vector/embedder.ts'
import { localEmbedder } from '../src/vector/embedders/local.ts'
import { localModelNamed } from '../src/vector/embedders/local_models.ts'
import { ExactIndex } from '../src/vector/exact.ts'
import { HnswIndex } from '../src/vector/hnsw.ts'
import { HnswGraph, hnswLibrary } from '../src/vector/hnsw_graph.ts'
import type { StoredNote, VectorIndex } from '../src/vector/vector_index.ts'
import { collectionNames, noteOf, readCollection } from './lib/collection.ts'
import { type Random, randomFrom } from './lib/random.ts'
import { table } from './lib/table.ts'
import { cacheKey, readVectorCache } from './lib/vector_cache.ts'

const { values: flags } = parseArgs({
  options: {
    collections: { type: 'string' },
    models: { type: 'string' },
    cache: { type: 'string' },
    model: { type: 'string', default: 'bge-small-en-v1.5' },
    sizes: { type: 'string', default: '10000,20000,50000,100000' },
    noise: { type: 'string', default: '0.3' },
    one: { type: 'string' },
  },
})
const model = localModelNamed(flags.model)
const { collections, models, cache } = flags
if (collections === undefined || models === undefined || cache === undefined || model === undefined) {
  console.error(
    'Usage: bun bench/vector.ts --collections FOLDER --models FOLDER --cache FILE (see the head of the file)',
  )
  process.exit(2)
}
const embedder = localEmbedder({ model, folder: models, command: [...selfCommand(), '__embed'] })

/** Questions that are asked of each size. */
const QUESTIONS = 300
const UPDATES = 1000
const TOP = 10

if (flags.one === undefined) await all()
else console.log(JSON.stringify(await measure(Number(flags.one))))
process.exit(0)

async function all(): Promise<void> {
  const head = [
    'vectors',
    'exact p50',
    'graph p50',
    'p95',
    'half of notes p50',
    'recall@10',
    'filling s',
    'MB',
    'file MB',
    'write s',
    'read s',
    'ms an update',
  ]
  const rows: (string | number)[][] = []
  for (const size of flags.sizes.split(',')) {
    const run = Bun.spawnSync([process.execPath, ...process.argv.slice(1), '--one', size], {
      stderr: 'inherit',
    })
    rows.push(JSON.parse(run.stdout.toString()) as number[])
  }
  console.log(`${flags.model}; ms unless said otherwise\n\n${table(head, rows, 2)}\n`)
  await throughput()
}

async function measure(size: number): Promise<(string | number)[]> {
  const library = await hnswLibrary()
  if (library === null) throw new Error('hnswlib-node is not built on this machine')
  const { passages, questions } = vectorsIn()
  const random = randomFrom(1)
  const notes = Array.from({ length: size }, (_, i) =>
    noteAt(
      i,
      i < passages.length
        ? (passages[i] as Float32Array)
        : turned(passages[i % passages.length] as Float32Array, random),
    ),
  )
  const exact = new ExactIndex()
  for (const note of notes) exact.add(note)
  const dimensions = passages[0]?.length ?? 0
  const empty = (room: number) => HnswGraph.empty(library, dimensions, room)
  Bun.gc(true)
  const before = process.memoryUsage.rss()
  const index = new HnswIndex(empty)
  const filling = await seconds(async () => {
    for (const note of notes) index.add(note)
    await index.settled()
  })
  Bun.gc(true)
  const memory = (process.memoryUsage.rss() - before) / 2 ** 20
  const right = times(exact, questions)
  const found = times(index, questions)
  const half = times(index, questions, (path) => path.charCodeAt(path.length - 1) % 2 === 0)
  const folder = mkdtempSync(join(tmpdir(), 'knap-bench-'))
  const file = join(folder, 'graph')
  let graph: Awaited<ReturnType<HnswIndex['write']>> | undefined
  const writing = await seconds(async () => {
    graph = await index.write(file)
  })
  const megabytes = statSync(file).size / 2 ** 20
  const reading = await seconds(async () => {
    const read = await HnswGraph.read(library, dimensions, { file, table: graph! })
    const again = new HnswIndex(empty, { read })
    for (const note of notes) again.add(note)
    await again.settled()
  })
  const updating = await seconds(async () => {
    for (let i = 0; i < UPDATES; i++) {
      const note = notes[(i * 7) % notes.length] as StoredNote
      index.drop(note)
      index.add(noteAt(size + i, turned(note.vectors, random)))
    }
    await index.settled()
  })
  rmSync(folder, { recursive: true, force: true })
  const recall = mean(found.answers.map((paths, i) => share(paths, right.answers[i] as string[])))
  return [
    size,
    right.p50,
    found.p50,
    found.p95,
    half.p50,
    recall.toFixed(4),
    filling,
    Math.round(memory),
    Math.round(megabytes),
    writing,
    reading,
    (1000 * updating) / UPDATES,
  ]
}

/** Passages and questions: what the collections ask is told from the rest of the cache by its key. */
function vectorsIn(): { passages: Float32Array[]; questions: Float32Array[] } {
  const vectors = readVectorCache(cache)
  const questions: Float32Array[] = []
  for (const name of collectionNames(collections as string)) {
    for (const split of ['', 'train', 'withsource']) {
      for (const { query } of readCollection(collections as string, name, split).queries) {
        const key = cacheKey(embedder.space, 'query', query)
        const vector = vectors.get(key)
        if (vector !== undefined) questions.push(vector)
        vectors.delete(key)
      }
    }
  }
  if (questions.length === 0)
    throw new Error(`${cache} holds no question: fill it with bench/hybrid.ts --cache`)
  const step = Math.max(1, Math.floor(questions.length / QUESTIONS))
  return {
    passages: [...vectors.values()],
    questions: questions.filter((_, i) => i % step === 0).slice(0, QUESTIONS),
  }
}

function noteAt(i: number, vectors: Float32Array): StoredNote {
  const chunk = {
    id: `${i}`,
    scope: 'note' as const,
    range: { start: 0, end: 1 },
    headingPath: [],
    section: null,
  }
  return { path: `${i}`, revision: '', chunks: [chunk], vectors }
}

/** The vector and something of --noise's length in any direction. */
function turned(vector: Float32Array, random: Random): Float32Array {
  const noise = normalise(vector.map(() => random() + random() + random() - 1.5))
  return normalise(vector.map((x, i) => x + Number(flags.noise) * (noise[i] as number)))
}

function times(index: VectorIndex, questions: readonly Float32Array[], filter?: (path: string) => boolean) {
  const answers: string[][] = []
  const ms: number[] = []
  for (const question of questions) {
    const start = performance.now()
    const near = index.nearest(question, { most: TOP, filter })
    ms.push(performance.now() - start)
    answers.push(near.map(({ note }) => note.path))
  }
  ms.sort((a, b) => a - b)
  return {
    answers,
    p50: ms[Math.floor(ms.length * 0.5)] as number,
    p95: ms[Math.floor(ms.length * 0.95)] as number,
  }
}

async function throughput(): Promise<void> {
  const texts = collectionNames(collections as string)
    .flatMap((name) =>
      readCollection(collections as string, name)
        .docs.slice(0, 40)
        .map(noteOf),
    )
    .slice(0, 320)
  const signal = new AbortController().signal
  await embedder.embedQuery('warm', signal)
  const sorted = texts.sort((a, b) => a.length - b.length)
  const documents = await seconds(async () => {
    for (let i = 0; i < sorted.length; i += embedder.batch)
      await embedder.embedDocuments(sorted.slice(i, i + embedder.batch), signal)
  })
  const one = await seconds(async () => {
    for (const text of sorted.slice(0, 50)) await embedder.embedQuery(text.slice(0, 80), signal)
  })
  const length = Math.round(mean(texts.map((text) => text.length)))
  console.log(
    `Embedding: ${(texts.length / documents).toFixed(1)} passages a second (${texts.length} of ${length} characters on average); a question ${(20 * one).toFixed(0)} ms.`,
  )
  await embedder.close()
}

async function seconds(run: () => Promise<void>): Promise<number> {
  // What waits in here holds nothing open by itself.
  const open = setInterval(() => {}, 1000)
  const start = performance.now()
  await run()
  clearInterval(open)
  return (performance.now() - start) / 1000
}

function share(found: readonly string[], right: readonly string[]): number {
  return right.filter((path) => found.includes(path)).length / right.length
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, n) => sum + n, 0) / numbers.length
}
