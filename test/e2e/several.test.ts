import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { type AnyClient, connect, type TemporaryVault, temporaryVault } from './clients.ts'

setDefaultTimeout(30_000)

let work: TemporaryVault
let home: TemporaryVault
let client: AnyClient
beforeAll(async () => {
  work = temporaryVault({ 'plan.md': 'wombat wombat\n', 'only work.md': 'quokka\n' })
  home = temporaryVault({ 'plan.md': 'a wombat among many other words that make this note longer\n' })
  client = await connect('modern stdio', { ...work, dir: '' }, [
    '--vault',
    `work=${work.dir}`,
    '--vault',
    `home=${home.dir}`,
  ])
})
afterAll(async () => {
  await client.close()
  work.remove()
  home.remove()
})

describe('two vaults behind one server', () => {
  test('every tool takes vault: required, but for searches', async () => {
    for (const { name, inputSchema } of await client.tools()) {
      const { properties, required = [] } = inputSchema as {
        properties: Record<string, { enum?: string[] }>
        required?: string[]
      }
      expect([name, properties.vault?.enum]).toEqual([name, ['work', 'home']])
      const isSearch = name.startsWith('search_') || name === 'note_find'
      expect([name, required.includes('vault')]).toEqual([name, !isSearch])
    }
  })

  test('a search without it asks all and names the vault of each hit, best first', async () => {
    const { structured } = await client.call('search_text', { query: 'wombat' })
    const hits = structured.results as { vault: string; path: string; score: number }[]
    expect(hits.map((h) => [h.vault, h.path])).toEqual([
      ['work', 'plan.md'],
      ['home', 'plan.md'],
    ])
    expect([structured.total, structured.truncated]).toEqual([2, false])
    const one = await client.call('search_text', { query: 'wombat', max_results: 1 })
    expect([(one.structured.results as unknown[]).length, one.structured.truncated]).toEqual([1, true])
  })

  test('a named vault is the only one looked at, and the answer names it', async () => {
    const { structured } = await client.call('search_text', { query: 'wombat', vault: 'home' })
    expect([structured.total, structured.vault]).toEqual([1, 'home'])
    const read = await client.call('note_read', { vault: 'home', path: 'plan' })
    expect(read.structured.content).toBe('a wombat among many other words that make this note longer\n')
  })

  test('a change goes where it is told and nowhere else', async () => {
    await client.call('note_create', { vault: 'home', path: 'new', content: 'x\n' })
    expect([existsSync(home.path('new.md')), existsSync(work.path('new.md'))]).toEqual([true, false])
    await client.call('note_write', { vault: 'work', path: 'plan', content: 'y\n' })
    expect(readFileSync(home.path('plan.md'), 'utf8')).toMatch(/^a wombat/)
    expect(readFileSync(work.path('plan.md'), 'utf8')).toBe('y\n')
  })

  test.each([
    { args: { path: 'plan' }, says: /vault/ },
    { args: { vault: 'wrk', path: 'plan' }, says: /work/ },
  ])('$args is refused', async ({ args, says }) => {
    const answer = await client.call('note_read', args)
    expect([answer.isError, JSON.parse(answer.text).code]).toEqual([true, 'bad_argument'])
    expect(answer.text).toMatch(says)
  })
})
