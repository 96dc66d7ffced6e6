/**
 * Words, meaning and both together on collections with judged answers, default settings.
 *
 *   bun bench/hybrid.ts --collections FOLDER --models FOLDER [--model bge-small-en-v1.5] [--only a,b] [--queries 400] [--cache FILE]
 *
 * FOLDER as for `bench/quality.ts`. Vectors are made by the same chunks and the same child process as the server's,
 * and kept in --cache between runs. Each row also tells how the fused ranking does against the better half.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { buildSegment } from '../src/index/segment_writer.ts'
import { TextIndex } from '../src/index/text_index.ts'
import { fastFacts } from '../src/note/fast.ts'
import { parseNote } from '../src/note/parse.ts'
import { fuseRanks, fuseScores, type Sides } from '../src/search/fuse.ts'
import { searchText } from '../src/search/search.ts'
import { selfCommand } from '../src/vault/self.ts'
import { chunkNote } from '../src/vector/chunk.ts'
import type { Embedder } from '../src/vector/embedder.ts'
import { localEmbedder } from '../src/vector/embedders/local.ts'
import { localModelNamed } from '../src/vector/embedders/local_models.ts'
import { VectorStore } from '../src/vector/store.ts'
import { type Collection, collectionNames, noteOf, readCollection } from './lib/collection.ts'
import { mean, qualityOf, standardError } from './lib/quality.ts'
import { type Cell, table } from './lib/table.ts'

const { values: flags } = parseArgs({
  options: {
    collections: { type: 'string' },
    models: { type: 'string' },
    model: { type: 'string', default: 'bge-small-en-v1.5' },
    only: { type: 'string' },
    queries: { type: 'string', default: '400' },
    cache: { type: 'string' },
  },
})
const model = localModelNamed(flags.model)
if (flags.collections === undefined || flags.models === undefined || model === undefined) {
  console.error(
    'Usage: bun bench/hybrid.ts --collections FOLDER --models FOLDER [--model NAME] [--only a,b] [--queries N] [--cache FILE]',
  )
  process.exit(2)
}

const CANDIDATES = 100
const never = new AbortController().signal
const cache = new Map<string, Float32Array>(readCache())

await run(
  flags.collections,
  localEmbedder({ model, folder: flags.models, command: [...selfCommand(), '__embed'] }),
)
process.exit(0)

async function run(folder: string, embedder: Embedder): Promise<void> {
  const rows: Cell[][] = []
  for (const name of flags.only?.split(',') ?? collectionNames(folder)) {
    rows.push(await compare(readCollection(folder, name, ''), embedder))
    writeCache()
    console.error(`${name} done`)
  }
  console.log(`nDCG@10, ${flags.model}\n`)
  console.log(
    table(
      ['collection', 'queries', 'words', 'meaning', 'rrf', 'fused', 'fused − better half', 's.e.', 'hit@1'],
      rows,
    ),
  )
}

async function compare(collection: Collection, embedder: Embedder): Promise<Cell[]> {
  const notes = new Map(collection.docs.map((doc) => [doc.id, noteOf(doc)]))
  const index = new TextIndex()
  index.addSegment(buildSegment([...notes].map(([id, text]) => fastFacts(`${id}.md`, text).document)))
  const store = await storeOf(notes, embedder)
  const queries = collection.queries
    .filter(({ id }) => collection.judged.has(id))
    .slice(0, Number(flags.queries))
  const figures = {
    words: [] as number[],
    meaning: [] as number[],
    rrf: [] as number[],
    fused: [] as number[],
    hit1: [] as number[],
  }
  for (const { id, query } of queries) {
    const right = collection.judged.get(id)!
    const words = searchText(index, query, { limit: CANDIDATES }).hits.map((h) => ({
      id: h.path.slice(0, -3),
      score: h.score,
    }))
    const speaks = embedder.speaks(query)
    const vector = speaks ? await embedQuery(embedder, query) : null
    const near =
      vector === null
        ? []
        : store.search(vector, { most: CANDIDATES, perNote: 1 }).map((h) => ({ id: h.path, score: h.cosine }))
    const quality = (ids: readonly string[]) => qualityOf(ids.slice(0, 10), right)
    figures.words.push(quality(words.map((w) => w.id)).ndcg)
    figures.meaning.push(quality(near.map((n) => n.id)).ndcg)
    const fused = fuse(words, near, fuseScores)
    figures.fused.push(quality(fused).ndcg)
    figures.hit1.push(quality(fused).hit1)
    figures.rrf.push(quality(fuse(words, near, fuseRanks)).ndcg)
  }
  const better = mean(figures.words) >= mean(figures.meaning) ? figures.words : figures.meaning
  const difference = figures.fused.map((x, i) => x - better[i]!)
  const shown = [figures.words, figures.meaning, figures.rrf, figures.fused].map((list) =>
    mean(list).toFixed(3),
  )
  return [
    collection.name,
    queries.length,
    ...shown,
    mean(difference).toFixed(4),
    standardError(difference).toFixed(4),
    mean(figures.hit1).toFixed(3),
  ]
}

type Hit = { readonly id: string; readonly score: number }

function fuse(
  words: readonly Hit[],
  near: readonly Hit[],
  by: (sides: Sides[], hasVector: (at: number) => boolean) => number[],
): string[] {
  const lexical = new Map(words.map((w) => [w.id, w.score]))
  const semantic = new Map(near.map((n) => [n.id, n.score]))
  const ids = [...new Set([...lexical.keys(), ...semantic.keys()])]
  const scores = by(
    ids.map((id) => ({ lexical: lexical.get(id) ?? null, semantic: semantic.get(id) ?? null })),
    () => near.length > 0,
  )
  return ids
    .map((id, i) => ({ id, score: scores[i]! }))
    .sort((a, b) => b.score - a.score)
    .map((x) => x.id)
}

async function embedQuery(embedder: Embedder, query: string): Promise<Float32Array> {
  const key = `${flags.model} query ${query}`
  const known = cache.get(key) ?? (await embedder.embedQuery(query, never))
  cache.set(key, known)
  return known
}

async function storeOf(notes: ReadonlyMap<string, string>, embedder: Embedder): Promise<VectorStore> {
  const store = new VectorStore(embedder.identity, embedder.dimensions)
  for (const [id, text] of notes) {
    const { headings, frontmatter } = parseNote(text)
    if (!embedder.speaks(text)) continue
    const source = { path: id, text, title: id, aliases: [], bodyStart: frontmatter.bodyStart, headings }
    const chunks = await chunkNote(source, {
      maxTokens: embedder.maxTokens,
      countTokens: (t) => embedder.countTokens(t),
      identity: embedder.space,
    })
    const missing = chunks.filter((c) => !cache.has(c.id))
    const made =
      missing.length === 0
        ? []
        : await embedder.embedDocuments(
            missing.map((c) => c.text),
            never,
          )
    for (const [i, { id: chunk }] of missing.entries()) cache.set(chunk, made[i]!)
    const vectors = new Float32Array(chunks.length * embedder.dimensions)
    for (const [i, { id: chunk }] of chunks.entries()) vectors.set(cache.get(chunk)!, i * embedder.dimensions)
    store.set({ path: id, revision: '', chunks, vectors })
  }
  return store
}

/** A line of JSON with the keys, then all vectors end to end. */
function readCache(): [string, Float32Array][] {
  if (flags.cache === undefined || !existsSync(flags.cache)) return []
  const bytes = readFileSync(flags.cache)
  const cut = bytes.indexOf(10)
  const { keys, dimensions } = JSON.parse(bytes.subarray(0, cut).toString()) as {
    keys: string[]
    dimensions: number
  }
  const all = new Float32Array(new Uint8Array(bytes.subarray(cut + 1)).buffer)
  return keys.map((key, i) => [key, all.slice(i * dimensions, (i + 1) * dimensions)])
}

function writeCache(): void {
  if (flags.cache === undefined) return
  const dimensions = [...cache.values()][0]?.length ?? 0
  const head = Buffer.from(`${JSON.stringify({ keys: [...cache.keys()], dimensions })}\n`)
  writeFileSync(
    flags.cache,
    Buffer.concat([
      head,
      ...[...cache.values()].map((v) => Buffer.from(v.buffer, v.byteOffset, v.byteLength)),
    ]),
  )
}
