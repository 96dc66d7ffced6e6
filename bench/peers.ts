/**
 * Any MCP vault servers beside this one over stdio: the same vault, the same calls, one run, rounds interleaved.
 *
 *   bun run bench peers VAULT [--peer 'NAME=COMMAND {vault}'] … [--rounds 3] [--questions 100] [--seed 1] [--json]
 *
 * `{vault}` in a command becomes a private copy of VAULT; `K=V` words before it are its environment. Figures are
 * medians of the rounds, in ms unless they say otherwise. "cold" has no index yet, "warm" starts on what cold left.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Random, randomFrom } from './lib/random.ts'
import { StdioServer } from './lib/stdio_server.ts'
import { table } from './lib/table.ts'

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    peer: { type: 'string', multiple: true, default: [] },
    rounds: { type: 'string', default: '3' },
    questions: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
})

const PLANTED = 'qzplanted'
const OURS = `knap=OBSIDIAN_EMBEDDINGS=false ${process.execPath} --no-env-file --config=/dev/null --no-install ${join(import.meta.dir, '../src/main.ts')} {vault}`

interface Server {
  readonly name: string
  readonly command: string
  readonly folder: string
}

type Figures = Map<string, number[]>

const [vault] = positionals
if (vault === undefined) {
  console.error("usage: bun run bench peers VAULT [--peer 'NAME=COMMAND {vault}'] …")
  process.exit(2)
}

const { notes, questions } = sampled(vault, randomFrom(Number(flags.seed)), Number(flags.questions))
const servers = [OURS, ...flags.peer].map(prepared)
const figures = new Map(servers.map(({ name }) => [name, new Map() as Figures]))
for (let round = 0; round < Number(flags.rounds); round++)
  for (const server of servers) {
    for (const kept of ['data', 'state', 'cache'])
      rmSync(join(server.folder, kept), { recursive: true, force: true })
    for (const phase of ['cold', 'warm'] as const) await measure(server, phase, round)
  }
print()
for (const { folder } of servers) rmSync(folder, { recursive: true, force: true })

function prepared(spec: string): Server {
  const folder = mkdtempSync(join(tmpdir(), 'knap-peers-'))
  const copy = join(folder, 'vault')
  cpSync(vault as string, copy, { recursive: true })
  writeFileSync(join(copy, 'zz planted.md'), `# Planted\n\n${PLANTED}\n`)
  const command = spec.slice(spec.indexOf('=') + 1).replaceAll('{vault}', copy)
  return { name: spec.slice(0, spec.indexOf('=')), command, folder }
}

async function measure(
  { name, command, folder }: Server,
  phase: 'cold' | 'warm',
  round: number,
): Promise<void> {
  const note = (what: string, ms: number) => {
    const own = figures.get(name) as Figures
    own.set(`${phase} ${what}`, [...(own.get(`${phase} ${what}`) ?? []), ms])
  }
  const server = new StdioServer(command, {
    XDG_DATA_HOME: join(folder, 'data'),
    XDG_STATE_HOME: join(folder, 'state'),
    XDG_CACHE_HOME: join(folder, 'cache'),
  })
  await server.initialize()
  note('start', server.age())
  await server.call('vault_list', {})
  note('first list', server.age())
  await until(server, PLANTED, 'zz planted')
  note('first ranked answer', server.age())
  const times = async (what: string, calls: readonly [tool: string, args: object][]) => {
    const taken: number[] = []
    for (const [tool, args] of calls) {
      const since = performance.now()
      await server.call(tool, args)
      taken.push(performance.now() - since)
    }
    taken.sort((a, b) => a - b)
    note(`${what} p50`, taken[Math.floor(taken.length / 2)] ?? Number.NaN)
    note(`${what} p95`, taken[Math.floor(taken.length * 0.95)] ?? Number.NaN)
  }
  await times(
    'search_text',
    questions.map((query) => ['search_text', { query }]),
  )
  await times(
    'note_read',
    notes.slice(0, 200).map((path) => ['note_read', { path }]),
  )
  await times(
    'backlinks',
    notes.slice(0, 40).map((path) => ['wikilinks', { query: 'backlinks', path }]),
  )
  const patterns = questions.slice(0, 10).map((q) => `\\b${q.split(' ')[0]}\\w+`)
  await times(
    'search_regex',
    patterns.map((pattern) => ['search_regex', { pattern, max_results: 20 }]),
  )
  note('memory MB', server.memory())
  if (phase === 'cold') await edits(server, join(folder, 'vault'), round, note)
  await server.stop()
}

/** From the edit to the search that finds its word: one of the server's own, one by another program. */
async function edits(
  server: StdioServer,
  folder: string,
  round: number,
  note: (what: string, ms: number) => void,
): Promise<void> {
  mkdirSync(join(folder, 'bench'), { recursive: true })
  for (let i = 0; i < 8; i++) {
    const id = `${'abcdefgh'[i]}${'jklmnopqrstuvwxyz'[round % 17]}`
    let since = performance.now()
    await server.call('note_create', { path: `bench/own ${id}.md`, content: `qzown${id} text\n` })
    await until(server, `qzown${id}`, `own ${id}`)
    note('own edit searchable', performance.now() - since)
    since = performance.now()
    writeFileSync(join(folder, `bench/outside ${id}.md`), `qzout${id} text\n`)
    await until(server, `qzout${id}`, `outside ${id}`)
    note('outside edit searchable', performance.now() - since)
  }
}

async function until(server: StdioServer, query: string, path: string): Promise<void> {
  const since = performance.now()
  while (!(await server.call('search_text', { query })).text.includes(path)) {
    if (performance.now() - since > 300_000) throw new Error(`${query} was not found in five minutes`)
    await Bun.sleep(2)
  }
}

/** Notes in mixed order, and questions of one to five words of theirs: common, middling and rare ones. */
function sampled(folder: string, random: Random, count: number): { notes: string[]; questions: string[] } {
  const all = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((path) => path.endsWith('.md') && !path.split('/').some((part) => part.startsWith('.')))
  const mixed = all.map((path) => ({ path, at: random() })).sort((a, b) => a.at - b.at)
  const frequency = new Map<string, number>()
  for (const { path } of mixed.slice(0, 1500))
    for (const word of new Set(
      readFileSync(join(folder, path), 'utf8')
        .toLowerCase()
        .match(/[a-z]{4,14}/g),
    ))
      frequency.set(word, (frequency.get(word) ?? 0) + 1)
  const words = [...frequency].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([word]) => word)
  const word = (from: number, to: number) =>
    words[Math.floor(words.length * (from + random() * (to - from)))] ?? 'note'
  const kinds = [
    () => word(0, 0.01),
    () => `${word(0.01, 0.15)} ${word(0, 0.01)}`,
    () => word(0.4, 1),
    () => `how to ${word(0.01, 0.15)} the ${word(0.01, 0.15)} ${word(0, 0.01)}`,
  ]
  const questions = Array.from({ length: count }, (_, i) => (kinds[i % kinds.length] as () => string)())
  return { notes: mixed.map(({ path }) => path), questions }
}

function print(): void {
  const median = (values: readonly number[]) =>
    [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]
  const kinds = [...(figures.get(servers[0]?.name as string) as Figures).keys()]
  const rows = kinds.map((kind) => {
    const own = servers.map(({ name }) => median(figures.get(name)?.get(kind) ?? []) ?? Number.NaN)
    const ratios = own.slice(1).map((theirs) => `${((own[0] as number) / theirs).toFixed(2)}×`)
    return [kind, ...own.map((ms) => (ms < 10 ? ms.toFixed(2) : ms.toFixed(0))), ...ratios]
  })
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, ${process.platform}, Bun ${Bun.version}`
  if (flags.json)
    console.log(JSON.stringify({ machine, seed: flags.seed, rounds: flags.rounds, rows }, null, 1))
  else {
    console.log(`${machine}; seed ${flags.seed}, ${flags.rounds} rounds, ${notes.length} notes\n`)
    console.log(
      table(
        ['', ...servers.map((s) => s.name), ...flags.peer.map((_, i) => `knap / ${servers[i + 1]?.name}`)],
        rows,
      ),
    )
  }
}
