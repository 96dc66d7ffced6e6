import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AnyClient, connect, type TemporaryVault, temporaryVault } from './clients.ts'

setDefaultTimeout(60_000)

/**
 * A working session of an agent on the example vault: it finds, reads, cites, patches, moves, renames, plans, ticks off
 * and takes back. `expected` follows by plain replacements of text what every file must hold in the end.
 */
const EXAMPLE = join(import.meta.dir, '../../examples/vault')
const OVEN = 'Projects/New Oven.md'
const MOVED = 'Projects/Electric Oven.md'

let vault: TemporaryVault
let client: AnyClient
let expected: Map<string, string>

beforeAll(async () => {
  vault = temporaryVault()
  cpSync(EXAMPLE, vault.dir, { recursive: true })
  expected = filesOf(vault.dir)
  vault.env.OBSIDIAN_TIMEZONE = 'UTC'
  vault.env.OBSIDIAN_EMBEDDINGS = 'false'
  client = await connect('modern stdio', vault)
})
afterAll(async () => {
  await client.close()
  vault.remove()
})

function filesOf(dir: string): Map<string, string> {
  const names = readdirSync(dir, { recursive: true, withFileTypes: true })
  const paths = names.filter((e) => e.isFile()).map((e) => join(e.parentPath, e.name))
  return new Map(
    paths.map((p) => [p.slice(dir.length + 1), readFileSync(p, 'latin1')]).sort() as [string, string][],
  )
}

/** The file's text is changed in the record of what must be, at the one place that is meant. */
function expectIn(path: string, from: string, to: string): void {
  const text = Buffer.from(expected.get(path) ?? '', 'latin1').toString('utf8')
  expect([path, from, text.split(from).length]).toEqual([path, from, 2])
  expected.set(path, Buffer.from(text.replace(from, () => to)).toString('latin1'))
}

function expectMoved(from: string, to: string): void {
  expected.set(to, expected.get(from) as string)
  expected.delete(from)
}

type Row = Record<string, unknown>

async function ask(tool: string, args: Row): Promise<Row & { results: Row[] }> {
  const { isError, structured, text } = await client.call(tool, args)
  if (isError) throw new Error(`${tool}: ${text}`)
  return structured as Row & { results: Row[] }
}

async function refused(tool: string, args: Row): Promise<string> {
  const { isError, text } = await client.call(tool, args)
  expect(isError).toBe(true)
  return JSON.parse(text).code
}

const paths = ({ results }: { results: Row[] }) => results.map((row) => row.path ?? row.source_path ?? row)
const revisionOf = async (path: string) => (await ask('note_read', { path })).revision as string

test('forty steps of an agent leave exactly the bytes that they should', async () => {
  // ——— Looking around
  expect((await ask('vault_info', {})).total_notes).toBe(28)
  expect(paths(await ask('vault_list', { path: 'Projects' }))).toContain(OVEN)
  await ask('index', { action: 'sync' })
  expect(paths(await ask('search_text', { query: '"steam in every deck"' }))).toEqual([OVEN])
  expect(paths(await ask('search_text', { query: 'Bienen Honig' }))[0]).toBe('Projects/Sommermarkt.md')
  expect(paths(await ask('search_text', { query: '陆羽' }))).toEqual(['Reading/茶经笔记.md'])
  expect(paths(await ask('note_find', { query: 'sumer market' }))[0]).toBe('Projects/Sommermarkt.md')
  expect(paths(await ask('search_regex', { pattern: '\\d+ kW', path: 'Projects' }))).toEqual([OVEN])
  expect(
    paths(await ask('search_metadata', { type: 'frontmatter', field: 'status', value: 'waiting' })),
  ).toEqual(['Projects/Website Relaunch.md'])
  const cited = await ask('search_hybrid', { query: 'what if the electrician cannot raise the connection' })
  expect(String(cited.results[0]?.citation)).toStartWith(`${OVEN}#`)
  expect(cited.results[0]?.content).toContain('^electrician-risk')
  const section = await ask('note_read', { path: OVEN, section: 'Risks' })
  expect(section.content).toContain('the oven stands in the yard under a sheet')
  const linking = await ask('wikilinks', { query: 'backlinks', path: OVEN })
  expect(new Set(paths(linking))).toEqual(
    new Set([
      'People/Tomás Ferreira.md',
      'Reading/How Buildings Learn.md',
      'Boards/Spring.canvas',
      'Meetings/2026-03-04 Oven decision.md',
      'Home.md',
    ]),
  )
  const brokenBefore = (await ask('wikilinks', { query: 'broken' })).total

  // ——— Small exact changes, bound to what was read
  const read = await revisionOf(OVEN)
  const patched = await ask('note_patch', {
    path: OVEN,
    operation: 'append',
    target_type: 'heading',
    target: 'What we need',
    content: '- A stone floor in the lowest deck',
    expected_revision: read,
  })
  expectIn(OVEN, '1.46 m wide\n', '1.46 m wide\n- A stone floor in the lowest deck\n')
  const stale = { path: OVEN, operation: 'replace', target_type: 'block', target: 'electrician-risk' }
  expect(await refused('note_patch', { ...stale, content: 'gone', expected_revision: read })).toBe('conflict')
  await ask('note_patch', { ...stale, content: 'We rent a generator.', expected_revision: patched.revision })
  expectIn(
    OVEN,
    'If the electrician cannot raise the connection in time, the oven stands in the yard under a sheet. ^electrician-risk',
    'We rent a generator. ^electrician-risk',
  )
  await ask('frontmatter', { action: 'set', path: OVEN, key: 'budget', value: 23000 })
  expectIn(OVEN, 'budget: 21500', 'budget: 23000')
  await ask('note_patch', {
    path: OVEN,
    operation: 'append',
    target_type: 'frontmatter',
    target: 'aliases',
    content: 'Brennwerk',
  })
  expectIn(OVEN, '  - Deck oven\n', '  - Deck oven\n  - Brennwerk\n')
  await ask('note_replace', { path: OVEN, search: '19,800 €', replace: '20,300 €', expected_count: 1 })
  expectIn(OVEN, '19,800 €', '20,300 €')
  expect(
    await refused('note_replace', { path: OVEN, search: 'Fornello', replace: 'x', expected_count: 2 }),
  ).toBe('ambiguous')

  // ——— Tasks
  expect(await refused('tasks', { action: 'list', path: OVEN, status: 'open' })).toBe('bad_argument')
  const open = await ask('tasks', { action: 'list', path: OVEN, status: ' ' })
  const order = open.results.find((row) => String(row.text).startsWith('Order the oven')) as Row
  const done = await ask('tasks', { action: 'set', path: OVEN, line: order.line, status: 'x' })
  expect(done.message).toBeString()
  const today = new Date().toISOString().slice(0, 10)
  expectIn(
    OVEN,
    '- [ ] Order the oven from Brennwerk 🔺 📅 2026-03-20',
    `- [x] Order the oven from Brennwerk 🔺 📅 2026-03-20 ✅ ${today}`,
  )

  // ——— Names change, links follow
  const planned = await ask('note_move', { from: OVEN, to: MOVED, dry_run: true })
  expect(planned.links_changed).toBe(5)
  await ask('note_move', { from: OVEN, to: MOVED })
  expectMoved(OVEN, MOVED)
  expectIn('People/Tomás Ferreira.md', '[[New Oven]]', '[[Electric Oven]]')
  expectIn('Reading/How Buildings Learn.md', '[[New Oven]]', '[[Electric Oven]]')
  expectIn('Boards/Spring.canvas', '"Projects/New Oven.md"', '"Projects/Electric Oven.md"')
  expectIn('Meetings/2026-03-04 Oven decision.md', '"[[New Oven]]"', '"[[Electric Oven]]"')
  expectIn('Home.md', '[[New Oven]]', '[[Electric Oven]]')
  await ask('note_move', { from: 'Reading', to: 'Library' })
  for (const path of [...expected.keys()].filter((p) => p.startsWith('Reading/')))
    expectMoved(path, path.replace('Reading/', 'Library/'))
  await ask('note_patch', {
    path: 'Meetings/2026-03-04 Oven decision.md',
    operation: 'rename',
    target_type: 'heading',
    target: 'Decision',
    content: 'What we decided',
  })
  expectIn('Meetings/2026-03-04 Oven decision.md', '## Decision\n', '## What we decided\n')
  expectIn('Home.md', '[[2026-03-04 Oven decision#Decision]]', '[[2026-03-04 Oven decision#What we decided]]')
  expect((await ask('wikilinks', { query: 'broken' })).total).toBe(brokenBefore)

  // ——— A tag of five notes, renamed and taken back
  const renamed = await ask('tags', { action: 'rename', tag: 'project', to: 'work' })
  expect((await ask('tags', { action: 'list' })).results.map((row) => row.tag)).toContain('work/bees')
  const newest = await ask('history', { action: 'list', limit: 1 })
  expect(newest.results[0]).toMatchObject({ tool: 'tags', client: 'modern' })
  await ask('history', { action: 'restore', revision: newest.results[0]?.id })
  expect(renamed.message).toBeString()

  // ——— The day's note, in the vault's own shape
  await ask('periodic', { action: 'create', period: 'daily', date: '2026-03-19' })
  await ask('periodic', {
    action: 'append',
    period: 'daily',
    date: '2026-03-19',
    content: '- The oven is ordered',
  })
  expected.set(
    'Daily/2026-03-19.md',
    '---\ntags:\n  - daily\n---\n# Thursday, 19 March 2026\n\n- \n- The oven is ordered\n',
  )
  await ask('note_create', { path: 'Meetings/2026-03-19 Call', content: '# Call\n\nBrennwerk confirms.\n' })
  await ask('note_insert', { path: 'Meetings/2026-03-19 Call', content: 'See [[Electric Oven#Offers]].' })
  expected.set(
    'Meetings/2026-03-19 Call.md',
    '# Call\n\nBrennwerk confirms.\nSee [[Electric Oven#Offers]].\n',
  )

  // ——— What goes wrong is taken back
  const hives = 'Projects/Roof Hives.md'
  await ask('note_write', {
    path: hives,
    content: 'everything lost',
    expected_revision: await revisionOf(hives),
  })
  const [lost] = (await ask('history', { action: 'list', path: hives })).results as Row[]
  await ask('history', { action: 'restore', revision: lost?.id })
  await ask('note_delete', { path: 'Recipes/Rye Starter.md', confirm: true })
  const [deleted] = (await ask('history', { action: 'list', path: 'Recipes/Rye Starter.md' }))
    .results as Row[]
  await ask('history', { action: 'restore', revision: deleted?.id })
  await ask('note_write', { path: 'Home.md', content: 'never written', dry_run: true })
  expect(await refused('note_write', { path: '../outside.md', content: 'x', create: true })).toBe(
    'outside_vault',
  )
  expect(await refused('note_write', { path: '.obsidian/app.md', content: 'x', create: true })).toBe(
    'bad_path',
  )

  // ——— What was written is found at once, and nothing else changed
  expect(paths(await ask('search_text', { query: 'generator' }))).toEqual([MOVED])
  expect(paths(await ask('search_text', { query: '"Brennwerk confirms"' }))).toEqual([
    'Meetings/2026-03-19 Call.md',
  ])
  const visible = [...filesOf(vault.dir)].filter(([path]) => !path.startsWith('.trash/'))
  expect(new Map(visible)).toEqual(new Map([...expected].sort()))
})
