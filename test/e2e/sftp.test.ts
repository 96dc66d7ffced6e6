import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TEST_FINGERPRINT } from '../storage/sftp_bench.ts'
import { type ServerOptions, sftpServer, type TestServer } from '../storage/sftp_server.ts'
import { type AnyClient, COMMAND, connect, type TemporaryVault, temporaryVault } from './clients.ts'

setDefaultTimeout(30_000)

const PASSWORD = 'correct-horse-battery'
const ends: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

interface Remote {
  readonly server: TestServer
  /** The folder on the "server". */
  readonly vault: TemporaryVault
  readonly uri: string
  readonly env: Record<string, string>
  start(env?: Record<string, string>): Promise<AnyClient>
}

const NOTES = {
  'Home.md': '# Home\n\nSee [[Wombat]] and [[Plans/Next]].\n',
  'Wombat.md': '---\ntags: [animal]\n---\n# Wombat\n\nDigs burrows.\n',
  'Plans/Next.md': '# Next\n\n- [ ] dig\n',
}

async function remote(files: Record<string, string> = NOTES, options: ServerOptions = {}): Promise<Remote> {
  const vault = temporaryVault(files)
  ends.push(() => vault.remove())
  const server = await sftpServer({
    login: (attempt) => attempt.method === 'password' && attempt.password === PASSWORD,
    ...options,
  })
  ends.push(() => server.close())
  const uri = `sftp://me@127.0.0.1:${server.port}${vault.dir}`
  const env = {
    ...vault.env,
    OBSIDIAN_SFTP_FINGERPRINT: TEST_FINGERPRINT,
    OBSIDIAN_SFTP_PASSWORD: PASSWORD,
    OBSIDIAN_EMBEDDINGS: 'false',
  }
  const start = async (more: Record<string, string> = {}) => {
    const there = { ...vault, dir: '', env: { ...env, ...more } }
    const client = await connect('modern stdio', there, [uri])
    ends.push(() => client.close().catch(() => {}))
    return client
  }
  return { server, vault, uri, env, start }
}

/** The code of the failure that a call must answer. */
const codeOf = async (client: AnyClient, name: string, args: Record<string, unknown>) => {
  const { isError, text } = await client.call(name, args)
  return isError ? (JSON.parse(text) as { code: string }).code : null
}

const ask = async (client: AnyClient, name: string, args: Record<string, unknown>) => {
  const { structured, isError, text } = await client.call(name, args)
  expect(isError ? text : '').toBe('')
  return structured
}

async function until(what: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 300 && !(await what()); i++) await Bun.sleep(20)
}

describe('a vault behind SSH does what a local one does', () => {
  test('reading, searching, links and edits', async () => {
    const { vault, start } = await remote()
    const client = await start()
    expect((await client.tools()).map(({ name }) => name)).not.toContain('open_in_obsidian')
    const info = await ask(client, 'vault_info', {})
    expect(info).toMatchObject({ total_notes: 3, connection: { state: 'connected', last_error: null } })
    const found = (await ask(client, 'search_text', { query: 'burrows' })) as { results: { path: string }[] }
    expect(found.results.map(({ path }) => path)).toEqual(['Wombat.md'])
    const { revision } = await ask(client, 'note_read', { path: 'Wombat.md' })
    const patched = await ask(client, 'note_patch', {
      path: 'Wombat',
      operation: 'append',
      target_type: 'heading',
      target: 'Wombat',
      content: 'Sleeps by day.',
      expected_revision: revision,
    })
    expect(patched).toMatchObject({ changed: true })
    expect(readFileSync(vault.path('Wombat.md'), 'utf8')).toContain('Sleeps by day.')
    const stale = { path: 'Wombat', content: 'x', expected_revision: revision }
    expect(await codeOf(client, 'note_insert', stale)).toBe('conflict')
  })

  test('a move rewrites links, a delete goes to the trash, and both are undone', async () => {
    const { vault, start } = await remote()
    const client = await start()
    await ask(client, 'note_move', { from: 'Wombat.md', to: 'Animals/Wombat two.md' })
    expect(readFileSync(vault.path('Home.md'), 'utf8')).toContain('[[Wombat two]]')
    await ask(client, 'note_delete', { path: 'Plans/Next.md', confirm: true })
    expect(readFileSync(vault.path('.trash/Plans/Next.md'), 'utf8')).toBe(NOTES['Plans/Next.md'])
    const { results } = (await ask(client, 'history', { action: 'list' })) as { results: { id: string }[] }
    for (const { id } of results) await ask(client, 'history', { action: 'restore', revision: id })
    expect(readFileSync(vault.path('Plans/Next.md'), 'utf8')).toBe(NOTES['Plans/Next.md'])
    expect(readFileSync(vault.path('Home.md'), 'utf8')).toBe(NOTES['Home.md'])
  })

  test('nothing but what was asked for is written into the folder', async () => {
    const { vault, start } = await remote()
    const client = await start()
    await ask(client, 'note_create', { path: 'New.md', content: 'new' })
    await ask(client, 'note_write', { path: 'New.md', content: 'newer' })
    await ask(client, 'vault_info', {})
    await client.close()
    const names = readdirSync(vault.dir, { recursive: true, encoding: 'utf8' }).sort()
    expect(names).toEqual(['.obsidian', 'Home.md', 'New.md', 'Plans', 'Plans/Next.md', 'Wombat.md'])
  })

  test('changes that others make are found at the next look', async () => {
    const { vault, start } = await remote()
    const client = await start({ OBSIDIAN_SFTP_POLL_INTERVAL_SECS: '1' })
    await ask(client, 'vault_info', {})
    writeFileSync(vault.path('Quokka.md'), 'a quokka came')
    const find = async () =>
      ((await ask(client, 'search_text', { query: 'quokka' })) as { results: unknown[] }).results.length > 0
    await until(find)
    expect(await find()).toBe(true)
  })

  test('ignore files of the vault close what they name', async () => {
    const { start } = await remote({ ...NOTES, '.knapignore': 'Plans/\n' })
    const client = await start()
    expect(await codeOf(client, 'note_read', { path: 'Plans/Next.md' })).toBe('excluded')
  })
})

describe('a connection that comes and goes', () => {
  test('a later start answers from what was known while the server is away, and says so', async () => {
    const { server, vault, start } = await remote()
    const first = await start()
    await ask(first, 'search_text', { query: 'burrows' })
    const snapshot = () =>
      readdirSync(join(vault.root, 'data'), { recursive: true, encoding: 'utf8' }).some((name) =>
        name.endsWith('index.knap'),
      )
    await first.close()
    await until(async () => snapshot())
    await server.close()
    const second = await start({ OBSIDIAN_SFTP_TIMEOUT_SECS: '5' })
    const found = (await ask(second, 'search_text', { query: 'burrows' })) as { results: unknown[] }
    expect(found.results.length).toBe(1)
    const info = await ask(second, 'vault_info', {})
    expect(info).toMatchObject({ total_notes: 3, connection: { state: 'reconnecting' } })
    expect((info.connection as { last_error: string }).last_error).toContain('ECONNREFUSED')
    expect(await codeOf(second, 'note_read', { path: 'Home.md' })).toBe('unavailable')
  })

  test('what nobody could count yet is null, not 0, and the reason is shown', async () => {
    const { server, start } = await remote()
    server.options.fault = (request) => (request === 'OPENDIR' ? 4 : undefined)
    const client = await start()
    const info = await ask(client, 'vault_info', {})
    expect(info).toMatchObject({ total_notes: null, total_files: null, index: { state: 'degraded' } })
    expect(info.warnings).toEqual([expect.stringContaining('The last look at the vault failed')])
    server.options.fault = undefined
    const isReady = async () => {
      const { index } = (await ask(client, 'vault_info', {})) as { index: { state: string } }
      return index.state === 'ready'
    }
    await until(isReady)
    expect(await ask(client, 'vault_info', {})).toMatchObject({ total_notes: 3, index: { state: 'ready' } })
  })

  test('a lost connection is made anew, and the next call works', async () => {
    const { server, start } = await remote()
    const client = await start()
    await ask(client, 'note_read', { path: 'Home.md' })
    server.cut()
    expect(await ask(client, 'note_read', { path: 'Home.md' })).toMatchObject({ content: NOTES['Home.md'] })
    expect(await ask(client, 'vault_info', {})).toMatchObject({ connection: { state: 'connected' } })
  })
})

describe('a start that cannot work ends with a line that says why', () => {
  async function run({ env, uri }: Remote, more: Record<string, string>) {
    const child = Bun.spawn([...COMMAND, uri], {
      env: { ...env, ...more },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'pipe',
    })
    const [stderr, code] = await Promise.all([new Response(child.stderr).text(), child.exited])
    return { stderr, code }
  }

  test('an unknown host: the fingerprint to compare and the line to add', async () => {
    const { stderr, code } = await run(await remote(), { OBSIDIAN_SFTP_FINGERPRINT: '' })
    expect(code).toBe(1)
    expect(stderr).toContain(TEST_FINGERPRINT)
    expect(stderr).toMatch(/echo '\[127\.0\.0\.1\]:\d+ ssh-ed25519 AAAA\S+' >> \S+known_hosts/)
  })

  test('a wrong password is not let in, and stands in no line', async () => {
    const secret = 'a-wrong-password'
    const { stderr, code } = await run(await remote(), {
      OBSIDIAN_SFTP_PASSWORD: secret,
      OBSIDIAN_LOG_LEVEL: 'trace',
    })
    expect([code, stderr.includes('does not let me in'), stderr.includes(secret)]).toEqual([1, true, false])
  })

  test('a folder that is not there', async () => {
    const there = await remote()
    const { stderr, code } = await run({ ...there, uri: `${there.uri}-not` }, {})
    expect(code).toBe(1)
    expect(stderr).toMatch(/folder of the vault cannot be reached/)
  })
})
