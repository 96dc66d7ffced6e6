/**
 * What the protocol costs, and how the server holds under many clients.
 *
 *   bun run bench server [--vault DIR] [--notes 2000] [--rounds 400] [--clients 50] [--rate 200] [--seconds 60]
 *                        [--closed 20] [--closed-seconds 10] [--peer 'NAME=COMMAND {port} {vault}']
 *
 * Prints (1) the bytes that a model reads of each tool; (2) tools/list and a call that finds nothing, over standard
 * input and output and over HTTP, beside a bare server on the same library, in turns; (3) clients that ask at a fixed
 * rate whether answers come or not; (4) clients that ask as fast as they are answered, of a peer that serves HTTP too. The vault is copied first;
 * without one it is made up.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { SHIPPED_PROFILES } from '../src/mcp/profile_files.ts'
import { describeTool } from '../src/mcp/registry.ts'
import { TOOLS } from '../src/mcp/tools.ts'
import { HttpClient } from './lib/http_client.ts'
import { startHttpProcess } from './lib/http_process.ts'
import { type Random, randomFrom } from './lib/random.ts'
import { StdioServer } from './lib/stdio_server.ts'
import { table } from './lib/table.ts'
import { writeVault } from './lib/vault.ts'

const { values: flags } = parseArgs({
  options: {
    vault: { type: 'string' },
    notes: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '400' },
    clients: { type: 'string', default: '50' },
    rate: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '60' },
    closed: { type: 'string', default: '20' },
    'closed-seconds': { type: 'string', default: '10' },
    peer: { type: 'string', multiple: true, default: [] },
  },
})

const folder = mkdtempSync(join(tmpdir(), 'knap-server-'))
const vault = join(folder, 'vault')
if (flags.vault === undefined) writeVault(vault, Number(flags.notes))
else cpSync(flags.vault, vault, { recursive: true })
const paths = readdirSync(vault, { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.md') && !path.split('/').some((name) => name.startsWith('.')),
)
const random = randomFrom(1)
const words = wordsOf(paths)
let asked = 0

const BUN = [process.execPath, '--no-env-file', '--config=/dev/null', '--no-install']
const MAIN = join(import.meta.dir, '../src/main.ts')
const BARE = fileURLToPath(import.meta.resolve('./lib/bare_server.ts'))
const env = {
  PATH: process.env.PATH ?? '',
  HOME: folder,
  OBSIDIAN_MCP_DATA: join(folder, 'data'),
  OBSIDIAN_EMBEDDINGS: 'false',
}

try {
  printBytes()
  await printProtocol()
  await printLoad()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function printBytes(): void {
  const rows = TOOLS.map((tool) => {
    const { name, description, inputSchema } = describeTool(tool, 'open')
    return { name, bytes: Buffer.byteLength(name + description + JSON.stringify(inputSchema)) }
  }).sort((a, b) => b.bytes - a.bytes)
  const sums = ['classic', 'core', 'full'].map((profile) => {
    const { tools, readingActionsOf } = SHIPPED_PROFILES.get(profile) ?? { tools: [], readingActionsOf: [] }
    const open = rows.filter(({ name }) => [...tools, ...readingActionsOf].includes(name))
    return [`all of ${profile}`, open.reduce((sum, { bytes }) => sum + bytes, 0)]
  })
  console.log(`${table(['tool', 'bytes'], [...rows.map(({ name, bytes }) => [name, bytes]), ...sums])}\n`)
}

type Ask = () => Promise<unknown>

async function printProtocol(): Promise<void> {
  const stdio = {
    knap: new StdioServer([...BUN, MAIN, '--standalone', vault].join(' '), env),
    bare: new StdioServer([...BUN, BARE].join(' '), env),
  }
  const processes = await Promise.all([
    startHttpProcess([...BUN, MAIN, '--standalone', '--http', '--port', '0', vault], {
      ...env,
      OBSIDIAN_MCP_DATA: join(folder, 'http-data'),
    }),
    startHttpProcess([...BUN, BARE, '--http'], env),
  ])
  await Promise.all([stdio.knap.initialize(), stdio.bare.initialize()])
  const [knap, bare] = (await Promise.all(processes.map(({ url }) => HttpClient.connect(url)))) as [
    HttpClient,
    HttpClient,
  ]
  const noop = { name: 'search_text', arguments: { query: '' } }
  await ready((query) => knap.call('search_text', { query }).then(({ data }) => data))
  await ready(async (query) => {
    const { result } = await stdio.knap.request('tools/call', { name: 'search_text', arguments: { query } })
    return result?.structuredContent as Record<string, unknown>
  })
  const rows: (string | number)[][] = []
  for (const [what, method, params] of [
    ['tools/list', 'tools/list', {}],
    ['no-op call', 'tools/call', noop],
  ] as const) {
    rows.push(
      await compared(
        `${what}, stdio`,
        () => stdio.knap.request(method, params),
        () => stdio.bare.request(method, params),
      ),
      await compared(
        `${what}, HTTP`,
        () => knap.request(method, params),
        () => bare.request(method, params),
      ),
    )
  }
  console.log(`${table(['one at a time', 'p50', 'p95', 'bare p50', 'bare p95', 'ratio p50'], rows)}\n`)
  await Promise.all([stdio.knap.stop(), stdio.bare.stop(), ...processes.map((server) => server.stop())])
}

/** Both in turns, so that what else the machine does falls on both. */
async function compared(what: string, ours: Ask, bare: Ask): Promise<(string | number)[]> {
  const times: [number[], number[]] = [[], []]
  for (let round = 0; round < Number(flags.rounds) + 50; round++) {
    for (const [at, ask] of [ours, bare].entries()) {
      const began = performance.now()
      await ask()
      if (round >= 50) times[at]?.push(performance.now() - began)
    }
  }
  const [a, b] = times
  return [what, at(a, 0.5), at(a, 0.95), at(b, 0.5), at(b, 0.95), at(a, 0.5) / at(b, 0.5)]
}

async function printLoad(): Promise<void> {
  const server = await startHttpProcess([...BUN, MAIN, '--standalone', '--http', '--port', '0', vault], env)
  const clients = await Promise.all(
    Array.from({ length: Number(flags.clients) }, () => HttpClient.connect(server.url)),
  )
  await ready((query) => (clients[0] as HttpClient).call('search_text', { query }).then(({ data }) => data))
  const open = await openLoop(clients, server.memory)
  console.log(
    `${table(
      [
        `${clients.length} clients, ${flags.rate} requests/s, ${flags.seconds} s`,
        'answers',
        'errors',
        'p50',
        'p95',
        'p99',
      ],
      [...open.times].map(([kind, { ms, errors }]) => [
        kind,
        ms.length,
        errors,
        at(ms, 0.5),
        at(ms, 0.95),
        at(ms, 0.99),
      ]),
    )}\nmemory in the middle ${open.middle.toFixed(0)} MB, at the end ${open.end.toFixed(0)} MB\n`,
  )
  const rows = [await closedRow('knap', clients.slice(0, Number(flags.closed)))]
  await server.stop()
  for (const peer of flags.peer) rows.push(await peerRow(peer))
  console.log(table([`${flags.closed} clients, search_text`, 'answers/s', 'p50', 'p95'], rows))
}

async function closedRow(name: string, clients: readonly HttpClient[]): Promise<(string | number)[]> {
  const { perSecond, ms } = await closedLoop(clients)
  return [name, perSecond, at(ms, 0.5), at(ms, 0.95)]
}

/** @param spec NAME=COMMAND, where {vault} and {port} are put in */
async function peerRow(spec: string): Promise<(string | number)[]> {
  const port = 20_000 + (process.pid % 20_000)
  const words = spec.slice(spec.indexOf('=') + 1).split(' ')
  const put = (word: string) => word.replaceAll('{vault}', vault).replaceAll('{port}', String(port))
  const child = Bun.spawn(words.map(put), { env, stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' })
  try {
    const url = `http://127.0.0.1:${port}/mcp`
    while ((await fetch(url, { method: 'DELETE' }).catch(() => null)) === null) await Bun.sleep(100)
    const clients = await Promise.all(
      Array.from({ length: Number(flags.closed) }, () => HttpClient.connect(url)),
    )
    return await closedRow(spec.slice(0, spec.indexOf('=')), clients)
  } finally {
    child.kill()
    await child.exited
  }
}

async function openLoop(clients: readonly HttpClient[], memory: () => number) {
  const times = new Map<string, { ms: number[]; errors: number }>()
  const began = performance.now()
  const since = () => (performance.now() - began) / 1000
  const pending = new Set<Promise<void>>()
  let middle = 0
  for (let sent = 0; since() < Number(flags.seconds); sent++) {
    const due = sent / Number(flags.rate)
    if (due > since()) await Bun.sleep((due - since()) * 1000)
    if (middle === 0 && since() > Number(flags.seconds) / 2) middle = memory()
    const [kind, args] = nextCall(random)
    const row = times.get(kind) ?? { ms: [], errors: 0 }
    times.set(kind, row)
    const asked = performance.now()
    const work = (clients[sent % clients.length] as HttpClient)
      .call(kind, args)
      .then(({ code }) => {
        row.ms.push(performance.now() - asked)
        if (code === null) return
        row.errors++
        console.error(`${kind} ${JSON.stringify(args)}: ${code}`)
      })
      .catch(() => void row.errors++)
      .finally(() => pending.delete(work))
    pending.add(work)
  }
  await Promise.all(pending)
  return { times, middle, end: memory() }
}

/** Six searches, three reads and a look for a name of ten. */
function nextCall(pick: Random): [string, Record<string, unknown>] {
  const dice = pick()
  if (dice < 0.6) return ['search_text', { query: query() }]
  if (dice < 0.9) return ['note_read', { path: paths[Math.floor(pick() * paths.length)] }]
  return ['note_find', { query: query() }]
}

async function closedLoop(clients: readonly HttpClient[]) {
  const ms: number[] = []
  const began = performance.now()
  const until = began + Number(flags['closed-seconds']) * 1000
  const work = clients.map(async (client) => {
    while (performance.now() < until) {
      const asked = performance.now()
      await client.call('search_text', { query: query() })
      ms.push(performance.now() - asked)
    }
  })
  await Promise.all(work)
  return { ms, perSecond: ms.length / ((performance.now() - began) / 1000) }
}

async function ready(search: (query: string) => Promise<Record<string, unknown>>): Promise<void> {
  while (((await search('a')).index as { state: string }).state !== 'ready') await Bun.sleep(50)
}

/** By turns a common word, two words, a rare one with another, a rare one, a question. */
function query(): string {
  const kind = asked++ % 5
  const { common, medium, rare } = words
  if (kind === 0) return oneOf(common)
  if (kind === 1) return `${oneOf(medium)} ${oneOf(common)}`
  if (kind === 2) return `${oneOf(rare)} ${oneOf(medium)}`
  if (kind === 3) return oneOf(rare)
  return `how do I ${oneOf(medium)} the ${oneOf(medium)} ${oneOf(common)}`
}

function oneOf(some: readonly string[]): string {
  return some[Math.floor(random() * some.length)] ?? 'note'
}

/** Words of the vault that stand in more than one of some of its notes, by how many have them. */
function wordsOf(all: readonly string[]) {
  const counts = new Map<string, number>()
  for (let i = 0; i < all.length; i += Math.max(1, Math.floor(all.length / 500))) {
    const text = readFileSync(join(vault, all[i] as string), 'utf8').toLowerCase()
    for (const word of new Set(text.match(/[a-z]{4,14}/g) ?? []))
      counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const sorted = [...counts].filter(([, count]) => count > 1).sort((a, b) => b[1] - a[1])
  const band = (from: number, to: number) =>
    sorted.slice(Math.floor(sorted.length * from), Math.ceil(sorted.length * to)).map(([word]) => word)
  return { common: band(0, 0.01), medium: band(0.01, 0.15), rare: band(0.4, 1) }
}

function at(ms: readonly number[], part: number): number {
  return [...ms].sort((a, b) => a - b)[Math.floor(ms.length * part)] ?? 0
}
