import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { writeVault } from '../../bench/lib/vault.ts'
import { type AnyClient, connect, type TemporaryVault, temporaryVault } from './clients.ts'

setDefaultTimeout(120_000)

const NOTES = 5000
let vault: TemporaryVault
beforeAll(() => {
  vault = temporaryVault()
  writeVault(vault.dir, NOTES, 7)
  writeFileSync(vault.path('planted.md'), '# Planted\n\nqzxplanted [[edited while building]]\n')
})
afterAll(() => vault.remove())

const stateOf = (answer: { structured: Record<string, unknown> }) =>
  answer.structured.index as { state: string; indexed: number; total: number }
const pathsOf = (answer: { structured: Record<string, unknown> }) =>
  (answer.structured.results as { path: string }[]).map((r) => r.path)

async function whenReady(client: AnyClient) {
  for (;;) {
    const answer = await client.call('search_text', { query: 'qzxplanted' })
    if (stateOf(answer).state === 'ready') return answer
    await Bun.sleep(20)
  }
}

test('a vault of 5,000 notes answers while it is read, and in the end everything is there', async () => {
  const client = await connect('modern stdio', vault)
  const listed = await client.call('vault_list', { recursive: true, limit: 1 })
  expect(listed.structured.total).toBeGreaterThan(NOTES)
  const early = await client.call('search_text', { query: 'qzxplanted' })
  expect(early.isError).toBe(false)
  if (stateOf(early).state === 'building') expect(early.structured.notice).toMatch(/still being built/)

  // An edit made meanwhile must win over the text that the indexing children read before it.
  const path = (await client.call('vault_list', { recursive: true, glob: '*.md', limit: 1 })).structured
    ?.results as string[]
  await client.call('note_write', { path: path[0], content: 'qzxrewritten\n' })
  await client.call('note_create', { path: 'edited while building', content: 'qzxcreated\n' })

  expect(pathsOf(await whenReady(client))).toEqual(['planted.md'])
  expect(pathsOf(await client.call('search_text', { query: 'qzxrewritten' }))).toEqual(path)
  expect(pathsOf(await client.call('search_text', { query: 'qzxcreated' }))).toEqual([
    'edited while building.md',
  ])
  const info = (await client.call('vault_info', {})).structured as {
    total_notes: number
    index: object
    problems: unknown[]
  }
  expect([info.total_notes, info.index]).toMatchObject([NOTES + 2, { indexed: NOTES + 2, total: NOTES + 2 }])
  const links = await client.call('wikilinks', { query: 'backlinks', path: 'edited while building.md' })
  expect((links.structured.results as { source_path: string }[]).map((r) => r.source_path)).toEqual([
    'planted.md',
  ])
  await client.close()
  expect(existsSync(vault.path('.knap'))).toBe(false)
  expect(readFileSync(vault.path(path[0] as string), 'utf8')).toBe('qzxrewritten\n')
})

test('the next start answers from the snapshot', async () => {
  const client = await connect('old stdio', vault)
  const first = await client.call('search_text', { query: 'qzxcreated' })
  expect([stateOf(first).state, pathsOf(first)]).toEqual(['ready', ['edited while building.md']])
  await client.close()
})
