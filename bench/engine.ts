/**
 * What several clients of one vault cost together, sharing an engine or each with its own:
 * `bun bench/engine.ts [NOTES]` (default 5000). Prints the memory of all processes in MiB (`rss` counts what they
 * share once each, `pss` once in all; Linux only), the time from a start to the answer of `initialize`, and of calls.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { table } from './lib/table.ts'
import { writeVault } from './lib/vault.ts'

const MAIN = ['--no-env-file', '--config=/dev/null', '--no-install', join(import.meta.dir, '../src/main.ts')]
const CALLS = 300
/** After the first calls, until what starting has left behind is gone (ms). */
const REST_MS = 8000
const INFO = { name: 'bench', version: '1' }

const notes = Number(process.argv[2] ?? 5000)
const top = mkdtempSync(join(tmpdir(), 'knap-bench-engine-'))
const vault = join(top, 'vault')
mkdirSync(join(top, 'run'), { mode: 0o700 })
writeVault(vault, notes)
const rows: (string | number)[][] = []
await measure('the first start of all: reads every note', 1, [])
for (const [what, count, flags] of [
  ['one', 1, []],
  ['three that stand alone', 3, ['--standalone']],
  ['ten that share, one after the other', 10, []],
  ['ten that share, all at once', 10, []],
] as const)
  await measure(what, count, flags)
console.log(table(['clients', 'rss', 'pss', 'start ms', 'call p50', 'call p95'], rows, 2))
rmSync(top, { recursive: true })
process.exit(0)

async function measure(what: string, count: number, flags: readonly string[]): Promise<void> {
  const clients: Client[] = []
  const starts: number[] = []
  const begin = async () => {
    const since = performance.now()
    const client = startClient(flags)
    clients.push(client)
    await client.ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: INFO })
    starts.push(performance.now() - since)
    await client.ask('tools/list', {})
    await client.ask('tools/call', { name: 'search_text', arguments: { query: 'project meeting' } })
  }
  if (what.endsWith('once')) await Promise.all(Array.from({ length: count }, begin))
  else for (let i = 0; i < count; i++) await begin()
  await Bun.sleep(REST_MS)
  const memory = clients.map(({ pid }) => memoryOf(pid))
  const times: number[] = []
  for (let i = 0; i < CALLS; i++) {
    const since = performance.now()
    await clients.at(-1)!.ask('ping', {})
    times.push(performance.now() - since)
  }
  rows.push([
    what,
    sum(memory.map(({ rss }) => rss)),
    sum(memory.map(({ pss }) => pss)),
    quantile(starts, 0.5),
    quantile(times, 0.5),
    quantile(times, 0.95),
  ])
  for (const client of clients.reverse()) await client.end()
}

interface Client {
  readonly pid: number
  ask(method: string, params: object): Promise<unknown>
  end(): Promise<unknown>
}

function startClient(flags: readonly string[]): Client {
  const child = Bun.spawn([process.execPath, ...MAIN, ...flags, vault], {
    env: {
      PATH: process.env.PATH ?? '',
      HOME: top,
      XDG_RUNTIME_DIR: join(top, 'run'),
      OBSIDIAN_MCP_DATA: join(top, 'data'),
      OBSIDIAN_EMBEDDINGS: 'false',
    },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const waiting = new Map<number, (message: unknown) => void>()
  let lastId = 0
  void (async () => {
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of child.stdout) {
      text += decoder.decode(chunk, { stream: true })
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
        const message = JSON.parse(text.slice(0, end)) as { id: number }
        text = text.slice(end + 1)
        waiting.get(message.id)?.(message)
      }
    }
  })()
  return {
    pid: child.pid,
    ask: (method, params) =>
      new Promise((resolve) => {
        waiting.set(++lastId, resolve)
        child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params })}\n`)
        child.stdin.flush()
      }),
    end: () => {
      child.stdin.end()
      return child.exited
    },
  }
}

function memoryOf(pid: number): { rss: number; pss: number } {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const mib = (name: string) => Number(new RegExp(`^${name}: +(\\d+)`, 'm').exec(text)?.[1] ?? 0) / 1024
  return { rss: mib('Rss'), pss: mib('Pss') }
}

function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0)
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
