/**
 * How well questions find their pages in a manual: by words, by meaning, and as docs_search does it.
 *
 *   bun bench/docs.ts --corpus DIR [--golden FILE] [--models FOLDER] [--model bge-small-en-v1.5] [--cache FOLDER] [--misses]
 *
 * DIR is a folder of Markdown. FILE holds a question a line, as JSON: {"query": "…", "pages": ["Folder/Page.md"]}, any of
 * which is right; without it, twenty questions over the English help of Obsidian (the folder `en` of its repository).
 * A page counts once, at its best fragment. --cache keeps the index and its vectors between runs, --misses prints the
 * questions whose page does not come first.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Library } from '../src/docs/library.ts'
import { configureLog } from '../src/logger.ts'
import { selfCommand } from '../src/vault/self.ts'
import { localEmbedder } from '../src/vector/embedders/local.ts'
import { fingerprintOf, localModelNamed } from '../src/vector/embedders/local_models.ts'
import { mean } from './lib/quality.ts'
import { type Cell, table } from './lib/table.ts'

const { values: flags } = parseArgs({
  options: {
    corpus: { type: 'string' },
    golden: { type: 'string', default: join(import.meta.dir, 'docs_questions.jsonl') },
    models: { type: 'string', default: join(import.meta.dir, '..', 'models') },
    model: { type: 'string', default: 'bge-small-en-v1.5' },
    cache: { type: 'string' },
    misses: { type: 'boolean', default: false },
  },
})
const model = localModelNamed(flags.model)
if (flags.corpus === undefined || model === undefined) {
  console.error('Usage: bun bench/docs.ts --corpus DIR [--golden FILE] (see the head of the file)')
  process.exit(2)
}

interface Golden {
  readonly query: string
  readonly pages: readonly string[]
}

const WAYS = [
  ['keyword', 'words'],
  ['vector', 'meaning'],
  ['hybrid', 'both'],
] as const
/** Fragments that are asked for: enough for five pages. */
const FRAGMENTS = 50

configureLog({ level: 'warn' })
const folder = flags.cache ?? mkdtempSync(join(tmpdir(), 'knap-bench-docs-'))
const weights = await fingerprintOf(model, flags.models)
const library = await Library.open({
  corpora: [
    {
      name: 'corpus',
      place: { kind: 'folder', path: resolve(flags.corpus) },
      folders: [],
      prebuilt: null,
    },
  ],
  folder,
  openModel: async () =>
    localEmbedder({ model, folder: flags.models, weights, command: [...selfCommand(), '__embed'] }),
})
await library.start()
await library.settled()
const { corpora } = await library.status()
for (const { chunks, pages, embedded, last_error } of corpora) {
  console.log(
    `${pages} pages, ${chunks} chunks, ${embedded} with vectors of ${model.name}${last_error ?? ''}\n`,
  )
}
const golden = readFileSync(flags.golden, 'utf8')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => JSON.parse(line) as Golden)
const rows: Cell[][] = []
for (const [name, way] of WAYS) rows.push([name, golden.length, ...(await judge(way, name))])
console.log(table(['way', 'questions', 'hit@1', 'hit@3', 'MRR', 'nDCG@5'], rows))
await library.close()
if (flags.cache === undefined) rmSync(folder, { recursive: true, force: true })
process.exit(0)

async function judge(way: (typeof WAYS)[number][1], name: string): Promise<string[]> {
  const figures: { hit1: number; hit3: number; mrr: number; ndcg: number }[] = []
  for (const { query, pages } of golden) {
    const { hits } = await library.search(query, { limit: FRAGMENTS, way })
    const found = [...new Set(hits.map(({ fragment }) => fragment.path))]
    const rank = found.findIndex((path) => pages.includes(path))
    if (flags.misses && rank !== 0)
      console.log(`${name}: ${JSON.stringify(query)} at ${rank + 1}: ${found.slice(0, 3).join(', ')}`)
    figures.push({
      hit1: rank === 0 ? 1 : 0,
      hit3: rank >= 0 && rank < 3 ? 1 : 0,
      mrr: rank < 0 ? 0 : 1 / (rank + 1),
      ndcg: gain(found, pages) / gain(pages, pages),
    })
  }
  return (['hit1', 'hit3', 'mrr', 'ndcg'] as const).map((key) => mean(figures.map((f) => f[key])).toFixed(3))
}

/** Discounted gain of the first five pages. */
function gain(found: readonly string[], right: readonly string[]): number {
  return found
    .slice(0, 5)
    .reduce((sum, path, rank) => sum + (right.includes(path) ? 1 / Math.log2(rank + 2) : 0), 0)
}
