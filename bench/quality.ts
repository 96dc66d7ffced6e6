/**
 * Search quality on collections with judged answers, beside plain BM25; default settings, no tuning per collection.
 *
 *   bun bench/quality.ts --collections FOLDER [--only a,b] [--split train] [--every 8] [--weights '{"saturation":1.5}']
 *
 * FOLDER holds a folder for each collection: `docs.jsonl.gz` (`{"id","title","text"}` a line), `queries.jsonl`
 * (`{"id","query"}`), `qrels.tsv` (query, document, grade). A document is a note: `# title`, a blank line, the text;
 * its file is named by its id.
 */
import { parseArgs } from 'node:util'
import { buildSegment } from '../src/index/segment_writer.ts'
import { TextIndex } from '../src/index/text_index.ts'
import { fastFacts } from '../src/note/fast.ts'
import { searchText } from '../src/search/search.ts'
import { WEIGHTS, type Weights } from '../src/search/weights.ts'
import { type Collection, collectionNames, noteOf, readCollection } from './lib/collection.ts'
import { plainBm25 } from './lib/plain_bm25.ts'
import { mean, type Quality, qualityOf, standardError } from './lib/quality.ts'
import { type Cell, table } from './lib/table.ts'

type Ranker = (query: string, limit: number) => string[]

const { values: flags } = parseArgs({
  options: {
    collections: { type: 'string' },
    only: { type: 'string' },
    split: { type: 'string', default: '' },
    every: { type: 'string', default: '1' },
    weights: { type: 'string', default: '{}' },
  },
})

if (flags.collections === undefined) {
  console.error(
    'Usage: bun bench/quality.ts --collections FOLDER [--only a,b] [--split train] [--every N] [--weights JSON]',
  )
  process.exit(2)
}
run(flags.collections, flags.only?.split(',') ?? collectionNames(flags.collections))

function run(folder: string, names: readonly string[]): void {
  const weights = withChanges(JSON.parse(flags.weights))
  const rows: Cell[][] = []
  const gains: number[] = []
  for (const name of names) {
    const collection = readCollection(folder, name, flags.split)
    const { row, gain } = compare(collection, weights)
    rows.push(row)
    gains.push(gain)
  }
  const head = [
    'collection',
    'queries',
    'plain',
    'ours',
    'gain',
    's.e.',
    'recall@10',
    'MRR',
    'hit@1',
    'hit@10',
    'below',
  ]
  console.log(table(head, rows))
  console.log(`\nMean gain over plain BM25, nDCG@10: ${mean(gains).toFixed(4)} (aim 0.02)`)
}

/** `below` marks a collection where ours is worse than plain BM25 by more than the standard error of the difference. */
function compare(collection: Collection, weights: Weights): { row: Cell[]; gain: number } {
  const notes = new Map(collection.docs.map((doc) => [doc.id, noteOf(doc)]))
  const plain = judge(collection, plainBm25(notes))
  const ours = judge(collection, knapRanker(notes, weights))
  const differences = ours.map(({ ndcg }, i) => ndcg - plain[i]!.ndcg)
  const gain = mean(differences)
  const error = standardError(differences)
  const of = (list: readonly Quality[], key: keyof Quality) => mean(list.map((quality) => quality[key]))
  const figures = (['recall', 'mrr', 'hit1', 'hit10'] as const).map((key) => of(ours, key).toFixed(3))
  const scores = [of(plain, 'ndcg').toFixed(3), of(ours, 'ndcg').toFixed(3), signed(gain), error.toFixed(4)]
  return { row: [collection.name, ours.length, ...scores, ...figures, gain < -error ? 'yes' : ''], gain }
}

function judge(collection: Collection, rank: Ranker): Quality[] {
  const judged = collection.queries.filter(({ id }) => collection.judged.has(id))
  const some = judged.filter((_, i) => i % Number(flags.every) === 0)
  return some.map(({ id, query }) => qualityOf(rank(query, 10), collection.judged.get(id)!))
}

/** The engine as the server uses it, in this process: the same parser, analyser, index and search. */
function knapRanker(notes: ReadonlyMap<string, string>, weights: Weights): Ranker {
  const index = new TextIndex()
  index.addSegment(buildSegment([...notes].map(([id, text]) => fastFacts(`${id}.md`, text).document)))
  return (query, limit) =>
    searchText(index, query, { limit, weights }).hits.map(({ path }) => path.slice(0, -3))
}

function withChanges(changes: Partial<Weights>): Weights {
  return {
    ...WEIGHTS,
    ...changes,
    boost: { ...WEIGHTS.boost, ...changes.boost },
    lengthNorm: { ...WEIGHTS.lengthNorm, ...changes.lengthNorm },
  }
}

function signed(value: number): string {
  return `${value < 0 ? '' : '+'}${value.toFixed(4)}`
}
