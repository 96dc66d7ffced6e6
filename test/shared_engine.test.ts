import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { loadConfig } from '../src/config.ts'
import { circumstances } from '../src/engine/circumstances.ts'
import type { OpenTools } from '../src/engine/greeting.ts'
import { TOOLS } from '../src/mcp/tools.ts'
import { ENGINE_PARTS } from '../src/program.ts'
import { admission } from '../src/shared_engine.ts'

const home = mkdtempSync(join(tmpdir(), 'knap-admission-'))
afterAll(() => rmSync(home, { recursive: true }))

const ENV = { HOME: home, OBSIDIAN_MCP_DATA: join(home, 'data'), OBSIDIAN_VAULT_PATH: join(home, 'vault') }
const NAMES = TOOLS.map(({ name }) => name)

function configOf(env: Record<string, string>) {
  return loadConfig({ argv: [], env, readFile: () => null, machine: { cwd: home, home } }).config
}

/** What an engine with these variables says to a client with those. */
function admitted(
  engine: Record<string, string>,
  client: Record<string, string>,
  more: { argv?: string[]; circumstances?: string; atMost?: OpenTools } = {},
) {
  const admit = admission(configOf({ ...ENV, ...engine }), [], { ...ENGINE_PARTS, readFile: () => null })
  return admit({
    wire: 1,
    circumstances: more.circumstances ?? circumstances(process.env),
    inputs: { argv: more.argv ?? [], env: { ...ENV, ...client }, cwd: home },
    ...(more.atMost === undefined ? {} : { atMost: more.atMost }),
  })
}

function toolsOf(answer: ReturnType<typeof admitted>): OpenTools | null {
  return 'refused' in answer ? null : answer.welcome.tools
}

const some = fc.subarray(NAMES, { minLength: 1 })
const filter = fc.oneof(
  fc.constantFrom('', 'full', 'core', 'read', 'minimal', 'classic'),
  some.map((names) => names.join(',')),
  some.map((names) => names.map((name) => `!${name}`).join(',')),
  some.map((names) => ['read', ...names.map((name) => `+${name}`)].join(',')),
)

test('a client has the tools that it would have alone, whatever the engine was started with', () => {
  fc.assert(
    fc.property(filter, filter, fc.boolean(), (engine, client, readOnly) => {
      const env = { OBSIDIAN_TOOLS: client, OBSIDIAN_READ_ONLY: String(readOnly) }
      const alone = ENGINE_PARTS.toolsOf(configOf({ ...ENV, ...env })).open()
      const expected = Object.fromEntries(alone.map(({ tool, access }) => [tool.name, access]))
      expect(toolsOf(admitted({ OBSIDIAN_TOOLS: engine }, env))).toEqual(expected as OpenTools)
    }),
    { numRuns: 60 },
  )
})

test('a client that had another engine gets nothing that it did not have there', () => {
  const before = fc.dictionary(fc.constantFrom(...NAMES), fc.constantFrom('read' as const, 'open' as const))
  fc.assert(
    fc.property(filter, before, (client, atMost) => {
      const tools = toolsOf(admitted({}, { OBSIDIAN_TOOLS: client }, { atMost })) as OpenTools
      for (const [name, access] of Object.entries(tools)) {
        expect(Object.hasOwn(atMost, name)).toBe(true)
        if (atMost[name] === 'read') expect(access).toBe('read')
      }
    }),
    { numRuns: 60 },
  )
})

const refused = [
  { what: 'another build, user or environment', more: { circumstances: 'x' } },
  { what: 'a search from the terminal', more: { argv: ['search', 'x'] } },
  { what: 'a server over HTTP', more: { argv: ['--http'] } },
  { what: 'one that stands alone', more: { argv: ['--standalone'] } },
  { what: 'wrong settings', client: { OBSIDIAN_WATCH: 'perhaps' } },
  { what: 'a tool that is none', client: { OBSIDIAN_TOOLS: 'note_reed' } },
  { what: 'rules for folders', client: { OBSIDIAN_DENY_PATHS: 'Private/' } },
  { what: 'rules for changes', client: { OBSIDIAN_WRITE_PATHS: 'Inbox/' } },
  { what: 'open dot-folders', client: { OBSIDIAN_ALLOW_HIDDEN: 'true' } },
  { what: 'another model', client: { OBSIDIAN_EMBEDDING_PROVIDER: 'hash' } },
  { what: 'another vault', client: { OBSIDIAN_VAULT_PATH: join(home, 'other') } },
  { what: 'another level of the log', client: { OBSIDIAN_LOG_LEVEL: 'warn' } },
  { what: 'changes, where the engine only reads', engine: { OBSIDIAN_READ_ONLY: 'true' } },
] as { what: string; engine?: Record<string, string>; client?: Record<string, string>; more?: object }[]
test.each(refused)('refused: $what', ({ engine = {}, client = {}, more = {} }) => {
  expect(toolsOf(admitted(engine, client, more))).toBeNull()
})

test('a client that only reads would become an engine of its own kind', () => {
  const writer = admitted({}, {})
  const reader = admitted({}, { OBSIDIAN_READ_ONLY: 'true' })
  if ('refused' in writer || 'refused' in reader) throw new Error('refused')
  expect(writer.welcome.own).toBe(writer.welcome.key)
  expect(reader.welcome.key).toBe(writer.welcome.key)
  expect(reader.welcome.own).not.toBe(reader.welcome.key)
})
