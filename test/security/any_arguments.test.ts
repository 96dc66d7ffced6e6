import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Random, randomFrom } from '../../bench/lib/random.ts'
import {
  type AnyClient,
  connect,
  type TemporaryVault,
  type ToolInfo,
  temporaryVault,
} from '../e2e/clients.ts'

setDefaultTimeout(120_000)

/** Every tool is called with arguments of every kind; a seed that failed is run again with KNAP_SEED. */
const SEED = Number(process.env.KNAP_SEED ?? Date.now() % 1_000_000)
const CALLS = Number(process.env.KNAP_CALLS ?? 1500)

const CODES = new Set(
  'not_found already_exists bad_path outside_vault excluded not_a_note conflict target_not_found ambiguous is_folder not_configured bad_encoding bad_argument bad_frontmatter too_large not_ready unavailable read_only disk_full timeout'.split(
    ' ',
  ),
)

const FILES = {
  'a.md': '---\ntags: [x, y/z]\nstatus: open\n---\n# A\n\ntext [[b]] ^id\n\n- [ ] task #x 📅 2026-01-01\n',
  'b.md': '# B\n\n[[a#A]] ![[c.png]] %%note%%\n\n## Sub\n\nmore\r\nlines\n',
  'dir/c d.md': '\ufeff# Ünïcode\r\n\r\n| a | b |\r\n| - | - |\r\n| 1 | 2 |\r\n',
  'dir/broken.md': '---\na: [1\n---\nbody',
  'dir/deep/empty.md': '',
  'c.png': new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0]),
  'board.canvas':
    '{"nodes":[{"id":"1","type":"file","file":"a.md","x":0,"y":0,"width":1,"height":1}],"edges":[]}',
  'broken.canvas': '{"nodes":',
  'latin.md': new Uint8Array([0x23, 0x20, 0xe9, 0x0a]),
}

const TEXTS: readonly unknown[] = [
  ...Object.keys(FILES),
  ...[
    'a',
    'b',
    'B#Sub',
    'A',
    'A::Sub',
    '^id',
    'id',
    'x',
    'x/y',
    '#x',
    'status',
    'dir',
    'dir/',
    '/',
    '.',
    '',
    ' ',
  ],
  ...[
    '../out.md',
    '/etc/passwd',
    '.obsidian/app.json',
    'a\u0000b',
    'CON',
    'a.md/b.md',
    '..',
    'x'.repeat(5000),
  ],
  ...[
    '**',
    '[',
    '(a|',
    '(?<n>x)',
    '$1',
    '\\',
    '*.md',
    '{{date}}',
    '2026-02-30',
    '2026-W53',
    '9999-12-31',
    'today',
  ],
  ...[
    '"',
    '“a b”~2',
    '-',
    'a AND',
    'tag:',
    '[p:]',
    'path:"',
    '茶',
    'e\u0301',
    '\ud800',
    '🏳️‍🌈',
    '__proto__',
    'constructor',
  ],
  ...[
    '# H\n\ntext\n',
    '- [ ] t',
    '---\na: 1\n---\n',
    '\r\n',
    '```\n',
    'true',
    '0',
    'null',
    '[]',
    '{}',
    '{"a":1}',
  ],
]
const ODD: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1.5,
  1e21,
  '',
  [],
  {},
  [[]],
  ['a.md', 'a.md'],
  { a: { b: [] } },
  'x',
]

let vault: TemporaryVault
let client: AnyClient
let tools: ToolInfo[]

beforeAll(async () => {
  vault = temporaryVault(FILES)
  writeFileSync(join(vault.root, 'out.md'), 'outside')
  vault.env.OBSIDIAN_EMBEDDINGS = 'false'
  client = await connect('modern stdio', vault)
  tools = (await client.tools()).filter(({ name }) => name !== 'open_in_obsidian')
})
afterAll(async () => {
  await client.close()
  vault.remove()
})

interface Schema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly properties?: Record<string, Schema>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}

function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T
}

function valueFor(random: Random, schema: Schema): unknown {
  if (random() < 0.06) return pick(random, ODD)
  if (schema.enum) return pick(random, schema.enum)
  if (schema.anyOf) return valueFor(random, pick(random, schema.anyOf))
  if (schema.type === 'boolean') return random() < 0.5
  if (schema.type === 'integer' || schema.type === 'number') return pick(random, [0, 1, 2, 3, 10, 100, 65536])
  if (schema.type === 'array')
    return Array.from({ length: Math.floor(random() * 4) }, () => valueFor(random, schema.items ?? {}))
  if (schema.type === 'object') return argumentsFor(random, schema, 0.7)
  return pick(random, TEXTS)
}

function argumentsFor(random: Random, { properties = {}, required = [] }: Schema, share: number) {
  const args: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(properties))
    if (random() < (required.includes(name) ? 0.97 : share)) args[name] = valueFor(random, schema)
  if (random() < 0.03) args[String(pick(random, TEXTS))] = pick(random, ODD)
  return args
}

test(`no arguments bring a tool to fall, and nothing leaves the vault (seed ${SEED})`, async () => {
  const random = randomFrom(SEED)
  const answered = new Map<string, number>()
  for (let i = 0; i < CALLS; i++) {
    const tool = pick(random, tools)
    const args = argumentsFor(random, tool.inputSchema as Schema, 0.25)
    const said = `${tool.name} ${JSON.stringify(args).slice(0, 500)}`
    const answer = await client.call(tool.name, args).catch((error: unknown) => {
      throw new Error(`${said}: ${error}`)
    })
    if (answer.isError) {
      const { code, message, hint } = JSON.parse(answer.text) as Record<string, string>
      expect([said, CODES.has(code ?? ''), typeof message, typeof hint]).toEqual([
        said,
        true,
        'string',
        'string',
      ])
    } else answered.set(tool.name, (answered.get(tool.name) ?? 0) + 1)
    if (answer.text.includes(vault.root) && !('include_paths' in args))
      throw new Error(`${said} names the vault's folder: ${answer.text}`)
  }
  // Most tools were used in earnest, not only refused.
  expect(answered.size).toBeGreaterThan(tools.length / 2)
  expect(readFileSync(join(vault.root, 'out.md'), 'utf8')).toBe('outside')
  // The home's own: its trash, caches of the runtime.
  expect(
    readdirSync(vault.root)
      .filter((name) => !name.startsWith('.'))
      .sort(),
  ).toEqual(['data', 'out.md', 'vault'])
  expect(readdirSync(join(vault.dir, '.obsidian'))).toEqual([])
  const strays = readdirSync(vault.dir, { recursive: true }).filter((name) =>
    String(name).includes('.knap-tmp-'),
  )
  expect([strays, existsSync('/tmp/out.md')]).toEqual([[], false])
})
