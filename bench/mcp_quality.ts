/**
 * Search quality as a client sees it: `search_text` over stdio on collections with judged answers, any MCP vault
 * servers beside this one, the same notes and the same questions.
 *
 *   bun bench/mcp_quality.ts --collections FOLDER [--only a,b] [--every 8] [--peer 'NAME=COMMAND {vault}'] …
 *
 * FOLDER is laid out as for `bench/quality.ts`; `{vault}` in a command becomes the folder of the notes, `K=V` words
 * before it are its environment. A question that a server refuses scores nothing, as one it finds nothing for.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Collection, collectionNames, noteOf, readCollection } from './lib/collection.ts'
import { mean, qualityOf, standardError } from './lib/quality.ts'
import { StdioServer } from './lib/stdio_server.ts'
import { type Cell, table } from './lib/table.ts'

const { values: flags } = parseArgs({
  options: {
    collections: { type: 'string' },
    only: { type: 'string' },
    every: { type: 'string', default: '1' },
    peer: { type: 'string', multiple: true, default: [] },
  },
})

if (flags.collections === undefined) {
  console.error(
    "Usage: bun bench/mcp_quality.ts --collections FOLDER [--only a,b] [--every N] [--peer 'NAME=COMMAND {vault}'] …",
  )
  process.exit(2)
}

const PLANTED = 'qzplanted'
const OURS = `knap=OBSIDIAN_EMBEDDINGS=false ${process.execPath} --no-env-file --config=/dev/null --no-install ${join(import.meta.dir, '../src/main.ts')} {vault}`

/** What one server made of a collection's questions. */
interface Figures {
  /** nDCG@10 of each question. */
  readonly ndcg: readonly number[]
  readonly hit1: number
  readonly refused: number
  readonly empty: number
}

const servers = [OURS, ...flags.peer].map((spec) => ({
  name: spec.slice(0, spec.indexOf('=')),
  command: spec.slice(spec.indexOf('=') + 1),
}))
const rows: Cell[][] = []
for (const name of flags.only?.split(',') ?? collectionNames(flags.collections))
  rows.push(await compare(readCollection(flags.collections, name)))
const columns = servers.flatMap(({ name }) => [name, 'hit@1', 'refused', 'none found'])
console.log(
  table(['collection', 'questions', ...columns, ...servers.slice(1).flatMap(() => ['gain', 's.e.'])], rows),
)

async function compare(collection: Collection): Promise<Cell[]> {
  const folder = mkdtempSync(join(tmpdir(), 'knap-quality-'))
  try {
    const vault = join(folder, 'vault')
    writeNotes(collection, vault)
    const all: Figures[] = []
    for (const { name, command } of servers) {
      const data = Object.fromEntries(
        ['DATA', 'STATE', 'CACHE'].map((kind) => [`XDG_${kind}_HOME`, join(folder, name, kind)]),
      )
      const server = new StdioServer(command.replaceAll('{vault}', vault), data)
      all.push(await judged(server, collection))
      await server.stop()
    }
    return rowOf(collection.name, all)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function writeNotes({ docs }: Collection, vault: string): void {
  for (const doc of docs) {
    const path = join(vault, `${doc.id}.md`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, noteOf(doc))
  }
  writeFileSync(join(vault, `${PLANTED}.md`), `${PLANTED}\n`)
}

async function judged(server: StdioServer, { queries, judged }: Collection): Promise<Figures> {
  await server.initialize()
  await ready(server)
  const qualities: ReturnType<typeof qualityOf>[] = []
  let [refused, empty] = [0, 0]
  for (const [i, { id, query }] of queries.filter((q) => judged.has(q.id)).entries()) {
    if (i % Number(flags.every) !== 0) continue
    const { text, failed } = await server.call('search_text', { query, max_results: 10 })
    const ranked = failed ? [] : ranking(text)
    if (failed) refused++
    else if (ranked.length === 0) empty++
    qualities.push(qualityOf(ranked, judged.get(id) ?? new Map()))
  }
  return { ndcg: qualities.map((q) => q.ndcg), hit1: mean(qualities.map((q) => q.hit1)), refused, empty }
}

/** Waits until all notes are indexed: a server may answer before that. */
async function ready(server: StdioServer): Promise<void> {
  const deadline = performance.now() + 300_000
  for (let found = false; !found; ) {
    if (performance.now() > deadline) throw new Error('no index after five minutes')
    await Bun.sleep(100)
    const { text } = await server.call('search_text', { query: PLANTED })
    found = text.includes(`${PLANTED}.md`) && !text.includes('"building"')
  }
}

function ranking(answer: string): string[] {
  const { structuredContent, content } = JSON.parse(answer) as {
    structuredContent?: { results: { path: string }[] }
    content: { text: string }[]
  }
  const { results } =
    structuredContent ?? (JSON.parse(content[0]?.text ?? '') as { results: { path: string }[] })
  return results.map(({ path }) => path.replace(/\.md$/, ''))
}

function rowOf(name: string, all: readonly Figures[]): Cell[] {
  const ours = all[0] as Figures
  const cells = all.flatMap(({ ndcg, hit1, refused, empty }) => [
    mean(ndcg).toFixed(3),
    hit1.toFixed(3),
    refused,
    empty,
  ])
  const gains = all.slice(1).flatMap((theirs) => {
    const differences = ours.ndcg.map((value, i) => value - (theirs.ndcg[i] ?? 0))
    const gain = mean(differences)
    return [`${gain < 0 ? '' : '+'}${gain.toFixed(3)}`, standardError(differences).toFixed(4)]
  })
  return [name, ours.ndcg.length, ...cells, ...gains]
}
