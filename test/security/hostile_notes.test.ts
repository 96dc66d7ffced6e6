import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { type AnyClient, connect, type TemporaryVault, temporaryVault } from '../e2e/clients.ts'

setDefaultTimeout(240_000)

const MB = 1024 * 1024
const many = (count: number, make: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => make(i)).join('')

/** Notes that have brought parsers, indexes and editors to fall or to a halt. */
const HOSTILE: Record<string, string | Uint8Array> = {
  'js frontmatter.md': '---js\nthrow process.exit(1)\n---\nbody\n',
  'alias bomb.md': `---\n${many(30, (i) => `a${i}: &a${i} [${i === 0 ? 'x' : many(9, () => `*a${i - 1},`)}]\n`)}---\nbody\n`,
  'large properties.md': `---\nlong: "${'x'.repeat(20 * MB)}"\n---\nbody\n`,
  'many properties.md': `---\n${many(20_000, (i) => `key${i}: value ${i}\n`)}---\nbody\n`,
  'nested quotes.md': `${'>'.repeat(100_000)} deep\n`,
  'nested lists.md': many(3000, (i) => `${' '.repeat(i * 2)}- x\n`),
  'long line.md': `${'word '.repeat(2 * MB)}\n`,
  'no blank.md': 'x'.repeat(10 * MB),
  'tags.md': many(200_000, (i) => `#t${i} `),
  'links.md': many(100_000, (i) => `[[note ${i}|x]] `),
  'open brackets.md': '['.repeat(200_000),
  'open links.md': '[[a'.repeat(100_000),
  'emphasis.md': '*a _b '.repeat(100_000),
  'backticks.md': many(2000, (i) => `${'`'.repeat(i)} `),
  'comments.md': '%% '.repeat(99_999),
  'math.md': '$$ '.repeat(99_999),
  'html.md': '<a '.repeat(200_000),
  'entities.md': '&amp;'.repeat(200_000),
  'tables.md': `${'|a'.repeat(5000)}|\n${'|-'.repeat(5000)}|\n${many(20, () => `${'|b'.repeat(5000)}|\n`)}`,
  'headings.md': many(50_000, (i) => `# h ${i % 10}\n`),
  'setext.md': many(50_000, () => 'a\n=\n'),
  'tasks.md': many(50_000, (i) => `- [ ] t ${i} 📅 2026-01-01\n`),
  'block ids.md': many(20_000, (i) => `p ^b${i}\n\n`),
  'footnotes.md': many(20_000, (i) => `[^${i}]: x\n`),
  'fences.md': many(20_000, () => '```\na\n~~~\n'),
  'nul.md': 'a\0b\0\n# h\0\n',
  'utf16.md': Buffer.from('\ufeff# Title\n\ntext\n', 'utf16le'),
  'bytes.md': Uint8Array.from({ length: 100_000 }, (_, i) => (i * 7919) & 255),
  'surrogates.md': Buffer.from('eda080 0a eda0bdedb880'.replaceAll(' ', ''), 'hex'),
  'bidi \u202e\u2066.md': '# \u202eevil\u2069\n',
  'combining.md': `a${'\u0301'.repeat(100_000)}`,
  'family.md': '👨‍👩‍👧‍👦'.repeat(20_000),
  'ideographs.md': '漢字'.repeat(500_000),
  'base64.md': `![](data:image/png;base64,${'QUJD'.repeat(MB)})\n`,
  'deep.canvas': `${'{"nodes":['.repeat(50_000)}`,
  'lines.md': '\n'.repeat(2 * MB),
  'carriage returns.md': '\r'.repeat(MB),
  'template.md': '{{date:'.repeat(50_000),
}

/** Milliseconds for one call on one such note: far above what it takes, far below what a client waits for. */
const LIMIT_MS = 20_000

let vault: TemporaryVault
let client: AnyClient

beforeAll(async () => {
  vault = temporaryVault({ ...HOSTILE, 'plain.md': '# Plain\n\nquokka [[tags]]\n' })
  vault.env.OBSIDIAN_EMBEDDINGS = 'false'
  client = await connect('modern stdio', vault)
})
afterAll(async () => {
  await client.close()
  vault.remove()
})

async function timed(tool: string, args: Record<string, unknown>) {
  const since = performance.now()
  const answer = await client.call(tool, args)
  const ms = performance.now() - since
  if (ms > LIMIT_MS) throw new Error(`${tool} ${JSON.stringify(args)} took ${ms} ms`)
  if (answer.isError) expect([args, JSON.parse(answer.text).code]).not.toEqual([args, 'internal'])
  return answer
}

test('a vault of hostile notes is served: the plain one is found, the others are read, edited exactly or refused', async () => {
  await timed('index', { action: 'sync' })
  expect((await timed('search_text', { query: 'quokka' })).structured.total).toBe(1)
  for (const path of Object.keys(HOSTILE)) {
    const before = readFileSync(vault.path(path))
    await timed('note_read', { path })
    await timed('note_inspect', { path })
    await timed('wikilinks', { query: 'outgoing', path, limit: 5 })
    await timed('search_text', { query: path.split('.')[0] })
    if (path.endsWith('.md')) {
      await timed('note_patch', {
        path,
        operation: 'rename',
        target_type: 'heading',
        target: 'h 3',
        content: 'z',
      })
      await timed('frontmatter', { action: 'set', path, key: 'k', value: 1, dry_run: true })
      const added = await timed('note_insert', { path, content: 'qzadded' })
      const after = readFileSync(vault.path(path))
      if (added.isError) expect(after.equals(before)).toBe(true)
      else expect([path, after.subarray(0, before.length).equals(before)]).toEqual([path, true])
    }
  }
  const inspected = await timed('note_inspect', { path: 'tasks.md', max_bytes: 4096 })
  expect(inspected.structured).toMatchObject({ tasks_total: 50_000, truncated: true })
  expect(inspected.text.length).toBeLessThan(10_000)
  for (const query of ['broken', 'orphans', 'unlinked'])
    await timed('wikilinks', { query, path: 'plain', limit: 5 })
  await timed('tags', { action: 'list', limit: 5 })
  await timed('tags', { action: 'rename', tag: 't7', to: 'u7', dry_run: true })
  await timed('tasks', { action: 'list', limit: 5 })
  await timed('search_regex', { pattern: '(a|aa)+$', max_results: 3 })
  await timed('note_move', { from: 'plain.md', to: 'moved.md' })
  expect((await timed('search_text', { query: 'quokka' })).structured.results).toMatchObject([
    { path: 'moved.md' },
  ])
})
