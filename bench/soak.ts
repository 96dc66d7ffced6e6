/**
 * Many clients on one server over HTTP for a while: searches, reads and edits bound to revisions, at a fixed rate
 * whether answers come or not.
 *
 *   bun run bench soak [--clients 50] [--seconds 600] [--rate 100] [--notes 20000] [--seed 1] [--picture FILE.svg]
 *
 * Prints answers, failures and memory by quarter. Each edit adds a line of its own to a note: at the end every
 * accepted line stands in its note once, and no other does. Ends with 1 where that does not hold, or where anything
 * but a conflict failed.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { HttpClient } from './lib/http_client.ts'
import { type Random, randomFrom } from './lib/random.ts'
import { table } from './lib/table.ts'
import { makeVault, writeVault } from './lib/vault.ts'

const { values: flags } = parseArgs({
  options: {
    clients: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '600' },
    rate: { type: 'string', default: '100' },
    notes: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
    picture: { type: 'string' },
  },
})
const seconds = Number(flags.seconds)
const notes = Number(flags.notes)

const folder = mkdtempSync(join(tmpdir(), 'knap-soak-'))
const vault = join(folder, 'vault')
writeVault(vault, notes)
const paths = [...makeVault(notes)].map(({ path }) => path)
const random = randomFrom(Number(flags.seed))

interface Sample {
  readonly at: number
  readonly ms: number
  readonly kind: 'search' | 'read' | 'edit'
}
const samples: Sample[] = []
const memory: { at: number; mb: number }[] = []
const failures = new Map<string, number>()
const accepted: { path: string; line: string }[] = []
let conflicts = 0

const { child, url } = await startServer()
const clients = await Promise.all(
  Array.from({ length: Number(flags.clients) }, () => HttpClient.connect(url)),
)
await ready(clients[0] as HttpClient)

const began = performance.now()
const since = () => (performance.now() - began) / 1000
const pending = new Set<Promise<void>>()
for (let sent = 0; since() < seconds; sent++) {
  const due = sent / Number(flags.rate)
  if (due > since()) await Bun.sleep((due - since()) * 1000)
  const work = request(clients[sent % clients.length] as HttpClient, sent)
  pending.add(work)
  void work.finally(() => pending.delete(work))
  if (sent % Number(flags.rate) === 0) memory.push({ at: since(), mb: residentMb(child.pid) })
}
await Promise.all(pending)
const wrong = checkEdits()
child.kill()
await child.exited
print()
rmSync(folder, { recursive: true, force: true })
process.exit(wrong.length === 0 && failures.size === 0 ? 0 : 1)

async function startServer() {
  const main = join(import.meta.dir, '../src/main.ts')
  const options = [
    '--no-env-file',
    '--config=/dev/null',
    '--no-install',
    main,
    '--http',
    '--port',
    '0',
    vault,
  ]
  const started = Bun.spawn([process.execPath, ...options], {
    env: {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      OBSIDIAN_MCP_DATA: join(folder, 'data'),
      OBSIDIAN_EMBEDDINGS: 'false',
    },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  let log = ''
  const reader = started.stderr.getReader()
  for (let found: string | undefined; ; ) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`the server ended before it listened:\n${log}`)
    log += new TextDecoder().decode(value)
    found = /http:\/\/[^\s]+\/mcp/.exec(log)?.[0]
    if (found === undefined) continue
    void (async () => {
      while (!(await reader.read()).done);
    })()
    return { child: started, url: found }
  }
}

async function ready(client: HttpClient): Promise<void> {
  for (;;) {
    const { data } = await client.call('index', { action: 'sync' })
    if (!/building|warming/.test(JSON.stringify(data))) return
    await Bun.sleep(500)
  }
}

async function request(client: HttpClient, id: number): Promise<void> {
  const roll = random()
  const kind = roll < 0.7 ? 'search' : roll < 0.9 ? 'read' : 'edit'
  const at = since()
  const started = performance.now()
  try {
    if (kind === 'search') note(kind, await client.call('search_text', { query: question(random) }))
    else if (kind === 'read') note(kind, await client.call('note_read', { path: pathOf(random) }))
    else await edit(client, id)
  } catch (error) {
    failures.set(`${kind}: ${error}`, (failures.get(`${kind}: ${error}`) ?? 0) + 1)
  }
  samples.push({ at, ms: performance.now() - started, kind })
}

function note(kind: string, { code }: { code: string | null }): void {
  if (code !== null) failures.set(`${kind}: ${code}`, (failures.get(`${kind}: ${code}`) ?? 0) + 1)
}

/** Half of the edits meet in fifty notes, so that they get into each other's way. */
async function edit(client: HttpClient, id: number): Promise<void> {
  const path = random() < 0.5 ? (paths[Math.floor(random() * 50)] as string) : pathOf(random)
  const line = `soak ${id} was here`
  const read = await client.call('note_read', { path })
  if (read.code !== null) return note('edit', read)
  const answer = await client.call('note_insert', {
    path,
    content: line,
    expected_revision: read.data.revision,
  })
  if (answer.code === null) accepted.push({ path, line })
  else if (answer.code === 'conflict') conflicts++
  else note('edit', answer)
}

function pathOf(from: Random): string {
  return paths[Math.floor(from() * paths.length)] as string
}

function question(from: Random): string {
  const text = readFileSync(join(vault, pathOf(from)), 'utf8').match(/\p{L}{4,}/gu) ?? ['note']
  return Array.from(
    { length: 1 + Math.floor(from() * 3) },
    () => text[Math.floor(from() * text.length)],
  ).join(' ')
}

/** Lines that are missing, doubled, or were never accepted. */
function checkEdits(): string[] {
  const written = new Map<string, number>()
  for (const path of paths)
    for (const line of readFileSync(join(vault, path), 'utf8').match(/soak \d+ was here/g) ?? [])
      written.set(`${path}: ${line}`, (written.get(`${path}: ${line}`) ?? 0) + 1)
  const due = new Set(accepted.map(({ path, line }) => `${path}: ${line}`))
  return [
    ...[...due].filter((line) => written.get(line) !== 1),
    ...[...written.keys()].filter((line) => !due.has(line)),
  ]
}

function residentMb(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0
}

function print(): void {
  const rows = [0, 1, 2, 3].map((quarter) => {
    const within = ({ at }: { at: number }) => Math.min(3, Math.floor((at / seconds) * 4)) === quarter
    const own = samples.filter(within)
    const ms = (kind: Sample['kind'], q: number) =>
      quantile(
        own.filter((s) => s.kind === kind).map((s) => s.ms),
        q,
      ).toFixed(1)
    const mb = memory.filter(within).map((m) => m.mb)
    return [
      `${quarter + 1}`,
      own.length,
      `${ms('search', 0.5)} / ${ms('search', 0.95)}`,
      `${ms('read', 0.5)} / ${ms('read', 0.95)}`,
      `${ms('edit', 0.5)} / ${ms('edit', 0.95)}`,
      Math.round(mb.reduce((a, b) => a + b, 0) / Math.max(1, mb.length)),
    ]
  })
  const head = ['quarter', 'answers', 'search ms p50 / p95', 'read', 'read and edit', 'memory MB']
  console.log(`${flags.clients} clients, ${flags.rate} requests a second, ${notes} notes, ${seconds} s\n`)
  console.log(table(head, rows))
  console.log(
    `\n${accepted.length} edits accepted, ${conflicts} refused as conflicts, ${wrong.length} wrong on disk`,
  )
  for (const [failure, count] of failures) console.log(`${count} × ${failure}`)
  if (flags.picture !== undefined) writeFileSync(flags.picture, picture())
}

/** p95 of searches (ms) and memory (MB) over time, each on its own scale from 0. */
function picture(): string {
  const [width, height, steps] = [800, 300, 100]
  const p95 = Array.from({ length: steps }, (_, i) => {
    const from = (seconds * i) / steps
    return quantile(
      samples
        .filter((s) => s.kind === 'search' && s.at >= from && s.at < from + seconds / steps)
        .map((s) => s.ms),
      0.95,
    )
  })
  const line = (values: readonly number[], colour: string, unit: string, row: number) => {
    const top = Math.max(...values, 1)
    const points = values.map(
      (v, i) =>
        `${((i / (values.length - 1)) * width).toFixed(1)},${(height - (v / top) * height).toFixed(1)}`,
    )
    return `<polyline fill="none" stroke="${colour}" points="${points.join(' ')}"/><text x="8" y="${16 + row * 16}" fill="${colour}">${unit}, up to ${top.toFixed(0)}</text>`
  }
  const both =
    line(p95, '#c33', 'search p95 in ms', 0) +
    line(
      memory.map((m) => m.mb),
      '#36c',
      'memory in MB',
      1,
    )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12"><title>p95 of searches and memory over time</title>${both}</svg>\n`
}
