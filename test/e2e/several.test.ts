import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync, utimesSync } from 'node:fs'
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
    { args: { path: 'plan' }, says: /vault.*one of work, home/ },
    { args: { vault: 'wrk', path: 'plan' }, says: /work/ },
  ])('$args is refused', async ({ args, says }) => {
    const answer = await client.call('note_read', args)
    expect([answer.isError, JSON.parse(answer.text).code]).toEqual([true, 'bad_argument'])
    expect(answer.text).toMatch(says)
  })

  describe('a search of all is one list', () => {
    const shared = Object.fromEntries(
      ['b', 'd', 'f'].map((n, i) => [
        `${n}.md`,
        `---\nrank: ${2 * i + 1}\n---\n#many ${'numbat '.repeat(2 * i + 1)}\n`,
      ]),
    )
    const other = Object.fromEntries(
      ['a', 'c', 'e'].map((n, i) => [
        `${n}.md`,
        `---\nrank: ${2 * i}\n---\n#many ${'numbat '.repeat(2 * i + 1)}\n`,
      ]),
    )
    let one: TemporaryVault
    let two: TemporaryVault
    let both: AnyClient
    beforeAll(async () => {
      one = temporaryVault(shared)
      two = temporaryVault(other)
      for (const [index, name] of ['b', 'a', 'd', 'c', 'f', 'e'].entries()) {
        const at = new Date(2020, 0, 1 + index)
        utimesSync((index % 2 === 0 ? one : two).path(`${name}.md`), at, at)
      }
      const named = ['--vault', `one=${one.dir}`, '--vault', `two=${two.dir}`]
      both = await connect('modern stdio', { ...one, dir: '' }, named)
    })
    afterAll(async () => {
      await both.close()
      one.remove()
      two.remove()
    })

    const cases: { tool: string; args: Record<string, unknown>; right: string }[] = [
      { tool: 'search_regex', args: { pattern: '(?m)#many' }, right: 'abcdef' },
      { tool: 'search_regex', args: { pattern: '(?m)#many', max_results: 3 }, right: 'abc' },
      { tool: 'search_metadata', args: { type: 'tag', tag: 'many' }, right: 'abcdef' },
      { tool: 'search_metadata', args: { type: 'tag', tag: 'many', limit: 2, offset: 3 }, right: 'de' },
      { tool: 'search_metadata', args: { type: 'tag', tag: 'many', sort: '-rank' }, right: 'fedcba' },
      { tool: 'note_find', args: { recent: true }, right: 'efcdab' },
      { tool: 'note_find', args: { recent: true, limit: 3 }, right: 'efc' },
    ]
    test.each(cases)('$tool $args is $right', async ({ tool, args, right }) => {
      const { structured } = await both.call(tool, args)
      const hits = structured.results as { path: string }[]
      expect(hits.map(({ path }) => path[0]).join('')).toBe(right)
    })

    test.each([
      { tool: 'search_text', size: 'max_results' },
      { tool: 'search_metadata', size: 'limit' },
    ])('the pages of $tool make up the whole', async ({ tool, size }) => {
      const args = tool === 'search_text' ? { query: 'numbat' } : { type: 'tag', tag: 'many', sort: 'rank' }
      const hitsOf = async (page: object) =>
        (await both.call(tool, { ...args, ...page })).structured.results as unknown[]
      const pages = [0, 2, 4].map((offset) => hitsOf({ [size]: 2, offset }))
      const whole = (await hitsOf({})) as { vault: string; path: string }[]
      const places = (hits: unknown[]) => (hits as typeof whole).map(({ vault, path }) => `${vault}/${path}`)
      expect(places((await Promise.all(pages)).flat())).toEqual(places(whole))
      expect(whole.length).toBe(6)
    })

    test('search_hybrid takes the best of both', async () => {
      const { structured } = await both.call('search_hybrid', { query: 'numbat', limit: 4 })
      const hits = structured.results as { vault: string; match_percent: number }[]
      expect(new Set(hits.map(({ vault }) => vault)).size).toBe(2)
      const matches = hits.map(({ match_percent }) => match_percent)
      expect(matches).toEqual(matches.toSorted((x, y) => y - x))
    })

    test.each([
      { query: 'nummbat', right: ['numbat'] },
      { query: 'numbat', right: [] },
    ])('other words for $query are $right', async ({ query, right }) => {
      const { structured } = await both.call('search_text', { query })
      const found = structured.did_you_mean as { near: string[] }[] | undefined
      expect(found?.flatMap(({ near }) => near) ?? []).toEqual([...right])
    })
  })
})
