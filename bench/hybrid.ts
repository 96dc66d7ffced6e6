/**
 * Words, meaning and both together on collections with judged answers, default settings.
 *
 *   bun bench/hybrid.ts --collections FOLDER --models FOLDER [--model bge-small-en-v1.5] [--only a,b] [--split train]
 *                       [--queries 400] [--cache FILE] [--ask xquad-de,xquad-zh --of xquad-en]
 *
 * FOLDER as for `bench/quality.ts`. Each collection is a vault of the server's own: its parser, chunks, model child, and
 * the search behind `search_hybrid`. Vectors are kept in --cache between runs. Each row also tells how the fused ranking
 * does against the better half, and at the end against each half over all queries. --ask puts the questions of other
 * languages to the notes of one.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { memoryStorage } from '../src/storage/memory.ts'
import { hybridSearch } from '../src/vault/hybrid.ts'
import { createRules } from '../src/vault/rules.ts'
import { searchNotes } from '../src/vault/search_notes.ts'
import { selfCommand } from '../src/vault/self.ts'
import { Vault } from '../src/vault/vault.ts'
import type { Embedder } from '../src/vector/embedder.ts'
import { localEmbedder } from '../src/vector/embedders/local.ts'
import { localModelNamed } from '../src/vector/embedders/local_models.ts'
import { type Collection, collectionNames, noteOf, readCollection } from './lib/collection.ts'
import { mean, type Quality, qualityOf, randomisationTest, standardError } from './lib/quality.ts'
import { type Cell, table } from './lib/table.ts'
import { cacheKey, readVectorCache, writeVectorCache } from './lib/vector_cache.ts'

const { values: flags } = parseArgs({
  options: {
    collections: { type: 'string' },
    models: { type: 'string' },
    model: { type: 'string', default: 'bge-small-en-v1.5' },
    only: { type: 'string' },
    split: { type: 'string', default: '' },
    queries: { type: 'string', default: '400' },
    cache: { type: 'string' },
    ask: { type: 'string' },
    of: { type: 'string' },
  },
})
const model = localModelNamed(flags.model)
if (flags.collections === undefined || flags.models === undefined || model === undefined) {
  console.error('Usage: bun bench/hybrid.ts --collections FOLDER --models FOLDER (see the head of the file)')
  process.exit(2)
}

const WAYS = ['words', 'meaning', 'rrf', 'fused'] as const
type Way = (typeof WAYS)[number]
type Figures = Record<Way, Quality[]>

const cache = readVectorCache(flags.cache)
await run(
  flags.collections,
  cached(localEmbedder({ model, folder: flags.models, command: [...selfCommand(), '__embed'] })),
)
process.exit(0)

async function run(folder: string, embedder: Embedder): Promise<void> {
  const rows: Cell[][] = []
  const pooled: Figures = { words: [], meaning: [], rrf: [], fused: [] }
  for (const collection of collectionsOf(folder)) {
    const figures = await compare(collection, embedder)
    rows.push(rowOf(collection.name, figures))
    for (const way of WAYS) pooled[way].push(...figures[way])
    writeVectorCache(flags.cache, cache)
    console.error(`${collection.name} done`)
  }
  const head = ['collection', 'queries', ...WAYS, 'fused − better half', 's.e.', 'hit@1', 'recall@10']
  console.log(`nDCG@10, ${flags.model}\n\n${table(head, rows)}\n`)
  for (const half of ['words', 'meaning'] as const) {
    const gains = pooled.fused.map(({ ndcg }, i) => ndcg - (pooled[half][i] as Quality).ndcg)
    const p = randomisationTest(gains)
    console.log(
      `All ${gains.length} queries, fused − ${half}: ${mean(gains).toFixed(4)} (randomisation test, p ${p.toFixed(4)})`,
    )
  }
}

/** The collections of the folder, or the questions of some over the notes of one: their ids differ in the language's letters. */
function collectionsOf(folder: string): Collection[] {
  const names = flags.only?.split(',') ?? collectionNames(folder)
  if (flags.ask === undefined || flags.of === undefined)
    return names.map((name) => readCollection(folder, name, flags.split))
  const notes = readCollection(folder, flags.of)
  const here = languageOf(flags.of)
  return flags.ask.split(',').map((name) => {
    const asked = readCollection(folder, name)
    const translated = (id: string) => id.replace(languageOf(name), here)
    const judged = [...asked.judged].map(
      ([query, grades]) =>
        [query, new Map([...grades].map(([id, grade]) => [translated(id), grade]))] as const,
    )
    return { ...notes, name: `${name} → ${here}`, queries: asked.queries, judged: new Map(judged) }
  })
}

function languageOf(name: string): string {
  return name.slice(name.lastIndexOf('-') + 1)
}

async function compare(collection: Collection, embedder: Embedder): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'knap-bench-'))
  const vault = await vaultOf(collection, embedder, folder)
  await vault.semantic?.settled()
  const judged = collection.queries.filter(({ id }) => collection.judged.has(id))
  const step = Math.max(1, Math.ceil(judged.length / Number(flags.queries)))
  const figures: Figures = { words: [], meaning: [], rrf: [], fused: [] }
  for (const { id, query } of judged.filter((_, i) => i % step === 0)) {
    const right = collection.judged.get(id) as ReadonlyMap<string, number>
    for (const way of WAYS) {
      const paths = await ask(vault, query, way)
      figures[way].push(
        qualityOf(
          paths.map((path) => path.slice(0, -3)),
          right,
        ),
      )
    }
  }
  await vault.close()
  rmSync(folder, { recursive: true, force: true })
  return figures
}

async function ask(vault: Vault, query: string, way: Way): Promise<string[]> {
  if (way === 'words') return (await searchNotes(vault, { query, limit: 10 })).hits.map((hit) => hit.path)
  if (way === 'meaning') {
    const question = await vault.semantic?.ask(query)
    return question?.near({ most: 10, perNote: 1 }).map((hit) => hit.path) ?? []
  }
  const { passages } = await hybridSearch(vault, {
    query,
    limit: 10,
    perNote: 1,
    folders: [],
    tags: [],
    where: [],
    expandLinks: false,
    minSimilarity: 0,
    fusion: way === 'rrf' ? 'rrf' : 'auto',
  })
  return passages.map((passage) => passage.path)
}

async function vaultOf({ docs }: Collection, embedder: Embedder, folder: string): Promise<Vault> {
  const vault = await Vault.open({
    name: 'bench',
    storage: memoryStorage(Object.fromEntries(docs.map((doc) => [`${doc.id}.md`, noteOf(doc)]))),
    root: null,
    rules: createRules({}),
    excludePatterns: [],
    dataDir: join(folder, 'data'),
    cacheDir: join(folder, 'cache'),
    watch: false,
    allowHidden: false,
    locale: 'en',
    timezone: 'UTC',
    semantic: {
      open: async () => embedder,
      source: 'local',
      startAfterMs: 600_000,
      prefetch: 50,
      notesAtOnce: 64,
      alpha: 0.25,
      graphFrom: 20_000,
    },
  })
  await vault.built()
  return vault
}

function rowOf(name: string, figures: Figures): Cell[] {
  const of = (way: Way, key: keyof Quality = 'ndcg') => mean(figures[way].map((quality) => quality[key]))
  const better = of('words') >= of('meaning') ? 'words' : 'meaning'
  const difference = figures.fused.map(({ ndcg }, i) => ndcg - (figures[better][i] as Quality).ndcg)
  return [
    name,
    figures.fused.length,
    ...WAYS.map((way) => of(way).toFixed(3)),
    mean(difference).toFixed(4),
    standardError(difference).toFixed(4),
    of('fused', 'hit1').toFixed(3),
    of('fused', 'recall').toFixed(3),
  ]
}

/** The same model, asked once for each text. */
function cached(inner: Embedder): Embedder {
  const all = async (
    texts: readonly string[],
    kind: 'passage' | 'query',
    make: (missing: string[]) => Promise<Float32Array[]>,
  ) => {
    const key = (text: string) => cacheKey(inner.space, kind, text)
    const missing = texts.filter((text) => !cache.has(key(text)))
    const made = missing.length === 0 ? [] : await make(missing)
    for (const [i, text] of missing.entries()) cache.set(key(text), made[i] as Float32Array)
    return texts.map((text) => cache.get(key(text)) as Float32Array)
  }
  return {
    ...inner,
    embedDocuments: (texts, signal) =>
      all(texts, 'passage', (missing) => inner.embedDocuments(missing, signal)),
    embedQuery: async (text, signal) =>
      (await all([text], 'query', async () => [await inner.embedQuery(text, signal)]))[0] as Float32Array,
  }
}
