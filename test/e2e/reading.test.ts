import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { symlinkSync, writeFileSync } from 'node:fs'
import { type AnyClient, connect, type TemporaryVault, temporaryVault } from './clients.ts'

setDefaultTimeout(30_000)

const BOM_CRLF =
  '\ufeff---\r\ntitle: Bom\r\nowner: Red Fox\r\n---\r\n# H1\r\n\r\nalpha 🚀 beta\r\n\r\n## H2\r\ngamma\r\n'

let vault: TemporaryVault
let client: AnyClient
beforeAll(async () => {
  vault = temporaryVault({
    'crlf.md': BOM_CRLF,
    'dup.md': '# A\n\none\n\n## S\n\ntwo\n\n## S\n\nthree\n',
    'F/a.md': 'apple pear\n',
    'b.md': 'apple #x\n',
    'İ.md': 'x\n',
    'mentions.md': 'İİİ i̇ and İ here\n',
    'zh1.md': '认证系统使用JWT令牌\n',
    'words.md': 'deployed Straße Ёлка café ＡＰＩ i18n WorkspaceLeaf ご案内データ 데이터베이스를 ตลาดผลไม้\n',
  })
  client = await connect('old stdio', vault)
  await client.call('index', { action: 'sync' })
})
afterAll(async () => {
  await client.close()
  vault.remove()
})

type Row = Record<string, unknown>
async function refusal(tool: string, args: Row): Promise<Row> {
  const { isError, text } = await client.call(tool, args)
  expect([tool, isError]).toEqual([tool, true])
  return JSON.parse(text)
}
async function found(tool: string, args: Row): Promise<unknown[]> {
  const { isError, structured, text } = await client.call(tool, args)
  expect([tool, isError ? text : 'answered']).toEqual([tool, 'answered'])
  return (structured.results as Row[]).map(({ path, source_path }) => path ?? source_path)
}

describe('a note with a byte-order mark and CR LF', () => {
  const bytes = Buffer.from(BOM_CRLF)
  test.each([
    [{ section: 'H2' }, '## H2\r\ngamma\r\n'],
    [{ format: 'body' }, BOM_CRLF.slice(BOM_CRLF.indexOf('# H1'))],
    [{ lines: { start: 2, end: 3 } }, 'title: Bom\r\nowner: Red Fox\r\n'],
    [{ range: { start_byte: 3, end_byte: 6 } }, '---'],
  ])('%j reads %j and says which bytes', async (part, right) => {
    const { structured } = await client.call('note_read', { path: 'crlf', ...part })
    const { start_byte, end_byte } = structured.returned_range as { start_byte: number; end_byte: number }
    expect([structured.content, bytes.subarray(start_byte, end_byte).toString()]).toEqual([right, right])
  })

  test.each(['beta', '(?i)ALPHA', '(?m)gamma$', '^---', '🚀'])(
    'the pattern %s names the bytes',
    async (pattern) => {
      const { structured } = await client.call('search_regex', { pattern, path: 'crlf.md' })
      type Match = { text: string; range: { start_byte: number; end_byte: number } }
      const matches = (structured.results as { matches: Match[] }[]).flatMap((hit) => hit.matches)
      const named = matches.map(({ range }) => bytes.subarray(range.start_byte, range.end_byte).toString())
      expect([matches.length, named]).toEqual([1, matches.map(({ text }) => text)])
    },
  )

  test('a hit in its properties is shown with its line', async () => {
    const { structured } = await client.call('search_text', { query: 'fox' })
    const [hit] = structured.results as { matches: Row[] }[]
    expect(hit?.matches[0]).toMatchObject({ line: 3, context: expect.stringContaining('Red Fox') })
  })
})

test('a section that fits twice is refused with the lines of each', async () => {
  expect(await refusal('note_read', { path: 'dup', section: 'S' })).toMatchObject({
    code: 'ambiguous',
    hint: 'Read the one you mean with lines: {start: 5, end: 8} or {start: 9, end: 11}.',
  })
})

describe('the path of a search', () => {
  const tools: [string, Row][] = [
    ['search_text', { query: 'apple' }],
    ['search_regex', { pattern: 'apple' }],
    ['search_metadata', { type: 'tag', tag: 'x' }],
  ]
  test.each(tools)('%s refuses what leads out of the vault', async (tool, args) => {
    expect((await refusal(tool, { ...args, path: '../x' })).code).toBe('outside_vault')
    expect((await refusal(tool, { ...args, path: 'F\\a' })).code).toBe('bad_path')
  })

  test('is read as meant; in a question it is never an error', async () => {
    expect(await found('search_text', { query: 'apple', path: '/F/../F/' })).toEqual(['F/a.md'])
    expect(await found('search_text', { query: 'apple path:../x' })).toEqual([])
  })
})

test.each([
  ['deploying', ['words.md']],
  ['strasse', ['words.md']],
  ['елка', ['words.md']],
  ['cafe', ['words.md']],
  ['api', ['words.md']],
  ['18n', []],
  ['leaf', ['words.md']],
  ['データ', ['words.md']],
  ['데이터베이스', ['words.md']],
  ['ผลไม้', ['words.md']],
  ['认证', ['zh1.md']],
  ['jwt', ['zh1.md']],
])('%s finds %j', async (query, right) => {
  expect(await found('search_text', { query })).toEqual(right)
})

test('a mention of a name that grows in lower case stands in its line', async () => {
  expect(await found('wikilinks', { query: 'unlinked', path: 'İ' })).toEqual(['mentions.md'])
})

test('a note is found under the name of a link to it after it has changed', async () => {
  symlinkSync('F/a.md', vault.path('link.md'))
  await client.call('index', { action: 'sync' })
  writeFileSync(vault.path('F/a.md'), 'quokka\n')
  await client.call('index', { action: 'sync' })
  expect((await found('search_text', { query: 'quokka' })).sort()).toEqual(['F/a.md', 'link.md'])
})

test('the index says when it last looked, and that nothing failed', async () => {
  const { structured } = await client.call('index', { action: 'status' })
  expect(Date.parse(String(structured.last_look))).toBeGreaterThan(0)
  expect(structured.last_error).toBeNull()
})
