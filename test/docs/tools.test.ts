import { afterAll, afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { offeredTools } from '../../src/documentation.ts'
import { SHIPPED_PROFILES } from '../../src/mcp/profile_files.ts'
import { accessIn, narrow, parseToolFilter, readOnlyFilter } from '../../src/mcp/profiles.ts'
import { TOOLS } from '../../src/mcp/tools.ts'
import { load, VAULT } from '../config/load.ts'
import { type AnyClient, COMMAND, connect, type TemporaryVault, temporaryVault } from '../e2e/clients.ts'
import { hostileServer } from './hostile_server.ts'

setDefaultTimeout(30_000)

const server = hostileServer()
const root = mkdtempSync(join(tmpdir(), 'knap-docs-tools-'))
afterAll(() => {
  server.stop()
  rmSync(root, { recursive: true, force: true })
})
const opened: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close()
  server.asked.length = 0
})

const FILES = {
  'en/Views.md': '# Views\n## Register\nCall `registerView` when the plugin loads.\n## Close\nA view closes.',
  'en/Menus.md':
    '# Menus\nA view may have a menu, and a plugin may register it when it loads: register, view.',
  'de/Ansichten.md': '# Ansichten\nWörter',
}
const manual = join(root, 'manual')
for (const [path, text] of Object.entries(FILES)) {
  mkdirSync(join(manual, dirname(path)), { recursive: true })
  writeFileSync(join(manual, path), text)
}

function vaultWith(env: Record<string, string>): TemporaryVault {
  const vault = temporaryVault({ 'Note.md': 'a note' })
  Object.assign(vault.env, { OBSIDIAN_EMBEDDINGS: 'false' }, env)
  opened.push({ close: () => vault.remove() })
  return vault
}

async function serve(env: Record<string, string>, flags: string[] = []): Promise<AnyClient> {
  const client = await connect('modern stdio', vaultWith(env), flags)
  opened.push(client)
  return client
}

async function settled(client: AnyClient) {
  for (;;) {
    const { structured } = await client.call('docs_status', {})
    if (structured.in_progress === false) return structured
    await Bun.sleep(10)
  }
}

/** Reindexes once; where the server has just begun by itself, after that. */
async function indexed(client: AnyClient, args: Record<string, unknown> = {}) {
  for (;;) {
    const { isError, structured, text } = await client.call('docs_reindex', args)
    if (isError && JSON.parse(text).code !== 'not_ready') throw new Error(text)
    if (!isError)
      expect(structured).toMatchObject({ message: expect.stringMatching(/^Reindexing/), in_progress: true })
    const status = await settled(client)
    if (!isError) return status
  }
}

const MANUAL = { OBSIDIAN_DOCS: `manual=${manual}` }
const ALL = ['docs_search', 'docs_reindex', 'docs_status']

describe('the tools are offered', () => {
  const filters = { tools: TOOLS, profiles: SHIPPED_PROFILES }
  const offered = (env: Record<string, string>, filter = '') => {
    const { config } = load({ env: { ...VAULT, ...env } })
    const asked = parseToolFilter(filter, filters)
    const own = config.readOnly ? narrow(asked, readOnlyFilter(TOOLS)) : asked
    return offeredTools(TOOLS, config, () => false)
      .filter(({ name }) => accessIn(own, name) !== 'closed')
      .map(({ name }) => name)
      .filter((name) => filter === 'docs' || name.startsWith('docs_'))
  }

  test.each([
    { title: 'only where a corpus is set up', env: {}, filter: '', right: [] },
    { title: 'with every profile that has them', env: MANUAL, filter: '', right: ALL },
    { title: 'alone with the profile docs', env: MANUAL, filter: 'docs', right: ALL },
    { title: 'not with that profile and no corpus', env: {}, filter: 'docs', right: [] },
    {
      title: 'without the one that acts for readers',
      env: MANUAL,
      filter: 'read',
      right: ['docs_search', 'docs_status'],
    },
    {
      title: 'all where no note may be changed',
      env: { ...MANUAL, OBSIDIAN_READ_ONLY: 'true' },
      filter: '',
      right: ALL,
    },
  ])('$title', ({ env, filter, right }) => {
    expect(offered(env as Record<string, string>, filter)).toEqual([...right])
  })

  test('without the parameter vault, also beside several vaults', async () => {
    const [one, two] = [vaultWith(MANUAL), vaultWith({})]
    const client = await connect('modern stdio', { ...one, dir: '' }, [
      '--vault',
      `a=${one.dir}`,
      '--vault',
      `b=${two.dir}`,
    ])
    opened.push(client)
    for (const { name, inputSchema } of await client.tools())
      if (name.startsWith('docs_')) expect(inputSchema.properties).not.toHaveProperty('vault')
    await indexed(client)
    const { structured } = await client.call('docs_search', { query: 'Wörter' })
    expect(structured).not.toHaveProperty('vault')
    expect(structured.results).toHaveLength(1)
  })
})

test('a server of manuals alone needs no vault', async () => {
  const vault = vaultWith({ ...MANUAL, OBSIDIAN_TOOLS: 'docs' })
  const client = await connect('modern stdio', { ...vault, dir: '' })
  opened.push(client)
  expect((await client.tools()).map(({ name }) => name)).toEqual(ALL)
  await indexed(client)
  expect((await client.call('docs_search', { query: 'Wörter' })).structured.results).toHaveLength(1)
})

describe('docs_search', () => {
  test('answers an array of fragments, exact symbols first: three unless it is told otherwise', async () => {
    const client = await serve(MANUAL)
    await indexed(client)
    const { structured, text } = await client.call('docs_search', {
      query: 'register a view with registerView',
    })
    expect(JSON.parse(text)).toEqual(structured.results)
    expect((structured.results as unknown[])[0]).toEqual({
      title: 'Views',
      header: 'Views > Register',
      content: 'Call `registerView` when the plugin loads.',
      file_path: 'en/Views.md',
      match_percent: expect.any(Number),
      source_type: 'Keyword',
    })
    const count = async (args: Record<string, unknown>) =>
      ((await client.call('docs_search', args)).structured.results as unknown[]).length
    expect(await count({ query: 'view menu close wörter loads' })).toBe(3)
    expect(await count({ query: 'view menu close wörter loads', limit: 4 })).toBe(4)
  })

  test('before there is an index, says so', async () => {
    const client = await serve({ OBSIDIAN_DOCS: `manual=${server.url}/missing.zip` })
    await indexed(client)
    const { isError, text } = await client.call('docs_search', { query: 'view' })
    expect(isError).toBe(true)
    expect(JSON.parse(text)).toMatchObject({
      code: 'not_ready',
      message: expect.stringContaining('answered 404'),
    })
  })

  test('by words and meaning, where a model is there, and nothing for no word', async () => {
    const client = await serve({
      ...MANUAL,
      OBSIDIAN_EMBEDDINGS: 'true',
      OBSIDIAN_EMBEDDING_PROVIDER: 'hash',
    })
    const status = await indexed(client)
    expect((status.corpora as { embedded: number }[])[0]?.embedded).toBe(4)
    const { structured } = await client.call('docs_search', { query: 'closing views' })
    expect((structured.results as { source_type: string }[])[0]?.source_type).toBe('Hybrid')
    for (const query of [' ', '??'])
      expect((await client.call('docs_search', { query })).structured).toEqual({
        results: [],
        notice: 'The query holds no word to look for.',
      })
  })
})

describe('docs_reindex', () => {
  test('returns at once; a second one is refused with the state of the first', async () => {
    const client = await serve({ OBSIDIAN_DOCS: `manual=${server.url}/stalled.zip` })
    // It may be the server itself that has begun.
    const first = await client.call('docs_reindex', {})
    const state = first.isError ? JSON.parse(first.text) : first.structured
    expect(state).toMatchObject({ in_progress: true, reindexing: ['manual'] })
    const second = await client.call('docs_reindex', {})
    expect(second.isError).toBe(true)
    expect(JSON.parse(second.text)).toMatchObject({
      code: 'not_ready',
      in_progress: true,
      reindexing: ['manual'],
      progress: { corpus: 'manual', phase: 'fetching' },
    })
  })

  const faults: { args: Record<string, unknown>; says: RegExp }[] = [
    { args: { corpus: 'manaul' }, says: /There is no corpus "manaul".*Did you mean "manual"/ },
    { args: { folders: 'en' }, says: /Folders of which corpus\?.*manual, other/ },
    { args: { user_help_folders: 'en' }, says: /is for the corpus obsidian-help/ },
    {
      args: { corpus: 'manual', developer_docs_folders: 'en' },
      says: /is for the corpus obsidian-developer-docs/,
    },
    { args: { folder: 'en' }, says: /folders/ },
  ]
  test('takes folders of the corpus that is named, and says what is wrong with its arguments', async () => {
    const client = await serve({ OBSIDIAN_DOCS: `manual=${manual},other=${manual}` })
    const { corpora } = (await indexed(client, { corpus: 'manual', folders: 'de' })) as {
      corpora: { name: string; pages: number }[]
    }
    expect(corpora.find(({ name }) => name === 'manual')).toMatchObject({ pages: 1, folders: ['de'] })
    for (const { args, says } of faults) {
      const { isError, text } = await client.call('docs_reindex', args)
      const { code, message, hint } = JSON.parse(text)
      expect([isError, code, `${message} ${hint}`]).toEqual([
        true,
        'bad_argument',
        expect.stringMatching(says),
      ])
    }
  })

  test('takes the folders of the two manuals that have parameters of their own', async () => {
    const vault = vaultWith({})
    const settings = join(vault.root, 'knap.yaml')
    writeFileSync(
      settings,
      `docs:\n  corpora:\n    obsidian-help: ${manual}\n    obsidian-developer-docs: {path: ${manual}, folders: [en]}\n`,
    )
    const client = await connect('modern stdio', vault, ['--config', settings])
    opened.push(client)
    const status = await indexed(client, { user_help_folders: 'de' })
    expect(status).toMatchObject({
      chunks: 4,
      last_error: null,
      corpora: [
        { name: 'obsidian-help', folders: ['de'] },
        { name: 'obsidian-developer-docs', folders: ['en'] },
      ],
    })
  })
})

test('a start makes what is missing, and the next start has it', async () => {
  const vault = vaultWith({ OBSIDIAN_DOCS: `manual=${server.url}/good.zip` })
  const first = await connect('modern stdio', vault)
  expect((await indexedByItself(first)).chunks).toBe(2)
  await first.close()
  expect(server.asked.map(({ path }) => path)).toEqual(['/good.zip'])
  const second = await connect('modern stdio', vault)
  opened.push(second)
  expect((await second.call('docs_search', { query: 'words' })).structured.results).toHaveLength(1)
  expect(server.asked).toHaveLength(1)
})

async function indexedByItself(client: AnyClient) {
  for (;;) {
    const status = await settled(client)
    if ((status.chunks as number) > 0) return status
    await Bun.sleep(20)
  }
}

test('knap docs asks for a preset that is not in the settings, and for nothing where there is none', async () => {
  const vault = vaultWith({})
  const run = async (...words: string[]) => {
    const child = Bun.spawn([...COMMAND, 'docs', ...words], {
      env: vault.env,
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [out, error] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    return { code: await child.exited, out, error }
  }
  expect(await run('status')).toMatchObject({
    code: 2,
    error: expect.stringContaining('--corpus obsidian-help or obsidian-developer-docs'),
  })
  expect(await run('status', '--corpus', 'obsidian-help')).toMatchObject({
    code: 0,
    out: 'obsidian-help (https://github.com/obsidianmd/obsidian-help/archive/HEAD.zip): not indexed\n',
  })
})
