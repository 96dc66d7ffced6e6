import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AnyClient, connect, temporaryVault } from './clients.ts'

/** What the README's five questions promise, on a copy of the example vault, without a model. */

setDefaultTimeout(60_000)
const vault = temporaryVault()
const DAILY = 'Daily/2026-03-18.md'
const note = (path: string) => readFileSync(vault.path(path), 'utf8')
let client: AnyClient

beforeAll(async () => {
  cpSync(join(import.meta.dir, '../../examples/vault'), vault.dir, { recursive: true })
  vault.env.OBSIDIAN_EMBEDDINGS = 'false'
  client = await connect('modern stdio', vault)
})
afterAll(async () => {
  await client.close()
  vault.remove()
})

test.each([
  ['what will the new oven cost and what is still to do', 'Projects/New Oven.md', /^Paid from savings/m],
  ['customer rice balls free of gluten', 'Reference/Allergens.md', /nothing here is free of gluten/],
])('%s', async (query, path, answer) => {
  const { structured } = await client.call('search_hybrid', { query })
  const found = structured.results as { path: string }[]
  expect(found.map((hit) => hit.path)).toContain(path)
  expect((await client.call('note_read', { path })).text).toMatch(answer)
})

test('the note is renamed with five links', async () => {
  const move = { from: 'Projects/New Oven.md', to: 'Projects/Oven 2026.md' }
  const { structured } = await client.call('note_move', { ...move, dry_run: true })
  expect(structured).toMatchObject({ links_changed: 5 })
  const files = [
    'Boards/Spring.canvas',
    'Home.md',
    'Meetings/2026-03-04 Oven decision.md',
    'People/Tomás Ferreira.md',
    'Reading/How Buildings Learn.md',
  ]
  expect((structured.notes as { path: string }[]).map(({ path }) => path)).toEqual(
    expect.arrayContaining(files),
  )
  expect((await client.call('note_move', move)).structured).toMatchObject({ links_changed: 5 })
  expect(note('Home.md')).toContain('[[Oven 2026]] decides')
})

test('a line is put under a heading that is made for it, and taken back byte for byte', async () => {
  const before = note(DAILY)
  const line = { content: '- Oven inspected, no faults.', heading: 'Log' }
  await client.call('periodic', { action: 'append', period: 'daily', date: '2026-03-18', ...line })
  expect(note(DAILY)).toStartWith(before)
  expect(note(DAILY).slice(before.length)).toMatch(/^\n#+ Log\n- Oven inspected, no faults\.\n?$/)
  const { structured } = await client.call('history', { action: 'list', limit: 1 })
  const [entry] = structured.results as { id: string }[]
  await client.call('history', { action: 'restore', revision: entry?.id })
  expect(note(DAILY)).toBe(before)
})
