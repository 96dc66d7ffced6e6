/**
 * A first start on a vault, and one on what it left: how soon calls are answered, and how long they take while the
 * vault is being indexed.
 *
 *   bun run bench start VAULT
 *
 * Times in ms since the program was started. VAULT is only read.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StdioServer } from './lib/stdio_server.ts'
import { type Cell, table } from './lib/table.ts'

const vault = process.argv[2]
if (vault === undefined) {
  console.error('usage: bun run bench start VAULT')
  process.exit(2)
}
const data = mkdtempSync(join(tmpdir(), 'knap-start-'))
const main = join(import.meta.dir, '../src/main.ts')
const rows: Cell[][] = []
for (const phase of ['cold', 'warm']) rows.push(await started(phase))
rmSync(data, { recursive: true, force: true })
console.log(
  table(
    [
      'start',
      'initialize',
      'first list',
      'first hit',
      'all indexed',
      'calls meanwhile',
      'p50',
      'p95',
      'longest',
      'MB',
    ],
    rows,
    1,
  ),
)

async function started(phase: string): Promise<Cell[]> {
  const command = `${process.execPath} --no-env-file --config=/dev/null --no-install ${main} --read-only ${vault}`
  const env = { OBSIDIAN_MCP_DATA: data, OBSIDIAN_EMBEDDINGS: 'false', OBSIDIAN_STANDALONE: 'true' }
  const server = new StdioServer(command, env)
  await server.initialize()
  const initialized = server.age()
  const list = await server.call('vault_list', { limit: 500, recursive: true, glob: '**/*.md' })
  const listed = server.age()
  const paths = (JSON.parse(list.text).structuredContent as { results: string[] }).results
  let hit: number | null = null
  const taken: number[] = []
  for (let i = 0, ready = false; !ready; i++) {
    const calls = [
      ['search_text', { query: 'the', max_results: 5 }],
      ['note_read', { path: paths[i % paths.length] }],
      ['vault_list', { path: '' }],
    ] as const
    for (const [tool, args] of calls) {
      const since = performance.now()
      const { text } = await server.call(tool, args)
      taken.push(performance.now() - since)
      if (tool !== 'search_text') continue
      if (hit === null && !text.includes('"total":0')) hit = server.age()
      ready = /"state":"ready"/.test(text)
    }
    await Bun.sleep(5)
  }
  const indexed = server.age()
  const memory = server.memory()
  await server.stop()
  taken.sort((a, b) => a - b)
  const at = (share: number) => taken[Math.min(taken.length - 1, Math.floor(taken.length * share))] ?? 0
  const times = [initialized, listed, hit ?? indexed, indexed].map(Math.round)
  return [phase, ...times, taken.length, at(0.5), at(0.95), at(1), Math.round(memory)]
}
