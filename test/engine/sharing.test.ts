import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { vaultFolders } from '../../src/config/places.ts'
import { Locks } from '../../src/vault/lock.ts'
import { BECAME, JOINED, killAll, sharedVault, startClient, startRaw, toolNames } from './processes.ts'

setDefaultTimeout(30_000)

let vault: ReturnType<typeof sharedVault>

beforeEach(() => {
  vault = sharedVault()
})

afterEach(() => {
  killAll()
  vault.remove()
})

/** Everybody who joins says so. */
const isJoined = (client: { stderr(): string }) => client.stderr().includes(JOINED)
const socketNames = () => readdirSync(vault.sockets).filter((name) => name.endsWith('.sock'))

describe('a second client', () => {
  test('joins the engine of the first, and both see what the other writes', async () => {
    const first = await startClient(vault)
    const second = await startClient(vault)
    await second.said(JOINED)
    expect(isJoined(first)).toBe(false)
    await second.call('note_write', { path: 'a.md', content: 'changed\n' })
    expect(await first.call('note_read', { path: 'a.md' })).toBe('changed\n')
    expect(await second.call('history', { action: 'list', path: 'a.md' })).toContain('"client":"test"')
  })

  test('sees what others wrote right before it started', async () => {
    await startClient(vault)
    writeFileSync(vault.path('new.md'), 'brandnew\n')
    const second = await startClient(vault)
    await second.said(JOINED)
    expect(await second.call('search_text', { query: 'brandnew' })).toContain('new.md')
  })

  const alone = [
    { what: '--standalone', env: {}, flags: ['--standalone'] },
    { what: 'OBSIDIAN_STANDALONE', env: { OBSIDIAN_STANDALONE: 'yes' } },
    { what: 'folders that are closed for it', env: { OBSIDIAN_DENY_PATHS: 'a.md' } },
    { what: 'notes that are left out', env: { OBSIDIAN_EXCLUDE_PATHS: 'b.md' } },
    { what: 'another folder for data', env: { OBSIDIAN_MCP_DATA: '/tmp/knap-other-data' } },
    { what: 'another time zone', env: { OBSIDIAN_TIMEZONE: 'Asia/Tokyo' } },
    { what: 'another proxy', env: { HTTPS_PROXY: 'http://127.0.0.1:9' } },
    { what: 'a vault that it does not watch', env: { OBSIDIAN_WATCH: 'false' } },
  ]
  test.each(alone)('stands alone for $what', async ({ env, flags = [] }) => {
    const own = 'OBSIDIAN_MCP_DATA' in env ? { OBSIDIAN_MCP_DATA: join(vault.root, 'other') } : env
    await startClient(vault)
    const second = await startClient(vault, own as Record<string, string>, flags)
    expect(await second.call('vault_info')).toContain('total_notes')
    expect(isJoined(second)).toBe(false)
  })

  test('keeps what is closed for it alone, whoever was first', async () => {
    const wide = await startClient(vault)
    const narrow = await startClient(vault, { OBSIDIAN_DENY_PATHS: 'a.md' })
    expect(await narrow.call('note_read', { path: 'a.md' })).toContain('"not_found"')
    expect(await narrow.call('search_text', { query: 'alpha' })).toBe('[]')
    expect(await wide.call('note_read', { path: 'a.md' })).toBe('alpha\n')
  })

  test('keeps its own tools', async () => {
    const first = await startClient(vault)
    const reader = await startClient(vault, { OBSIDIAN_READ_ONLY: 'true' })
    const minimal = await startClient(vault, { OBSIDIAN_TOOLS: 'note_read,search_text' })
    await Promise.all([reader.said(JOINED), minimal.said(JOINED)])
    expect(await toolNames(first)).toContain('note_write')
    expect(await toolNames(reader)).not.toContain('note_write')
    expect(await toolNames(minimal)).toEqual(['note_read', 'search_text'])
    expect(await reader.call('note_write', { path: 'a.md', content: 'x' })).toContain('-32602')
    expect(await reader.call('frontmatter', { action: 'set', path: 'a.md', key: 'a', value: 1 })).toContain(
      'read_only',
    )
  })

  test('does not write through an engine that only reads', async () => {
    const reader = await startClient(vault, { OBSIDIAN_READ_ONLY: 'true' })
    const writer = await startClient(vault)
    const second = await startClient(vault, { OBSIDIAN_READ_ONLY: 'true' })
    expect(isJoined(writer)).toBe(false)
    await second.said(JOINED)
    await writer.call('note_write', { path: 'a.md', content: 'changed\n' })
    expect(await reader.call('note_read', { path: 'a.md' })).toBe('changed\n')
  })

  test('with a tool that does not exist ends as it would alone', async () => {
    await startClient(vault)
    const wrong = startRaw(vault, { OBSIDIAN_TOOLS: 'note_reed' })
    expect(await wrong.gone).toBe(2)
    expect(wrong.stderr()).toContain('note_read')
  })

  test('joins a server over HTTP, and reads rules that have changed since', async () => {
    const server = startRaw(vault, {}, ['--http', '--port', '0'])
    await server.said('listening on')
    const second = await startClient(vault)
    await second.said(JOINED)
    writeFileSync(vault.path('.knapignore'), 'a.md\n')
    const third = await startClient(vault)
    expect(isJoined(third)).toBe(false)
    expect(await third.call('note_read', { path: 'a.md' })).toContain('"excluded"')
  })
})

/** The locks of a program that changes the vault beside the engine. */
function otherProgram(): Locks {
  const root = join(vault.env.OBSIDIAN_MCP_DATA as string, 'data')
  const { data } = vaultFolders({ dataDir: root, cacheDir: '' }, vault.dir)
  return new Locks({ folder: join(data, 'locks') })
}

describe('when the engine is killed', () => {
  test('reads are asked again, a change under way is reported and not repeated', async () => {
    const first = await startClient(vault)
    const second = await startClient(vault)
    await second.said(JOINED)
    const busy = Promise.withResolvers<void>()
    const held = otherProgram().hold(['b.md'], () => busy.promise)
    const change = second.call('note_insert', { path: 'b.md', content: 'more' })
    // Messages are taken in their order: the change is under way when what was asked after it is answered.
    expect(await second.call('note_read', { path: 'b.md' })).toBe('beta\n')
    process.kill(first.pid, 'SIGSTOP')
    const read = second.call('note_read', { path: 'a.md' })
    const list = second.call('tags', { action: 'list' })
    first.process.kill('SIGKILL')
    expect(await read).toBe('alpha\n')
    expect(await list).toBe('[]')
    busy.resolve()
    await held
    expect(JSON.parse(await change)).toEqual({
      code: 'unavailable',
      message: expect.stringContaining('not known, and it was not repeated'),
      hint: expect.stringContaining('note_read'),
    })
    expect(readFileSync(vault.path('b.md'), 'utf8')).toBe('beta\n')
    expect(await second.call('note_insert', { path: 'b.md', content: 'more' })).toContain('revision')
    expect(readFileSync(vault.path('b.md'), 'utf8')).toContain('more')
  })

  test('one of ten takes over, and each keeps its tools', async () => {
    const first = await startClient(vault)
    const others = await Promise.all(
      Array.from({ length: 9 }, (_, i) => startClient(vault, i % 2 ? { OBSIDIAN_TOOLS: 'note_read' } : {})),
    )
    await Promise.all(others.map((client) => client.said(JOINED)))
    first.process.kill('SIGKILL')
    const answers = await Promise.all(others.map((client) => client.call('note_read', { path: 'a.md' })))
    expect(answers).toEqual(others.map(() => 'alpha\n'))
    expect(others.filter((client) => client.stderr().includes(BECAME))).toHaveLength(1)
    expect(await toolNames(others[1]!)).toEqual(['note_read'])
    expect(socketNames()).toHaveLength(1)
  })

  test('a client that only reads becomes no engine of one that writes', async () => {
    const first = await startClient(vault)
    const readers = await Promise.all([1, 2].map(() => startClient(vault, { OBSIDIAN_READ_ONLY: 'true' })))
    const writer = await startClient(vault)
    first.process.kill('SIGKILL')
    const answers = readers.map((reader) => reader.call('note_read', { path: 'a.md' }))
    expect(await writer.call('note_read', { path: 'b.md' })).toBe('beta\n')
    expect(await writer.call('note_insert', { path: 'b.md', content: 'more' })).toContain('revision')
    expect(await Promise.all(answers)).toEqual(['alpha\n', 'alpha\n'])
    await writer.said(BECAME)
    expect(readers.map((reader) => reader.stderr().includes(BECAME))).toEqual([false, false])
    expect(await toolNames(readers[0]!)).not.toContain('note_insert')
  })

  test('what it has left behind stops nobody', async () => {
    const first = await startClient(vault)
    first.process.kill('SIGKILL')
    await first.gone
    expect(socketNames()).toHaveLength(1)
    const next = await startClient(vault)
    const second = await startClient(vault)
    await second.said(JOINED)
    expect(isJoined(next)).toBe(false)
  })
})

describe('when the client of the engine goes', () => {
  test('another takes over at once', async () => {
    const first = await startClient(vault)
    const second = await startClient(vault)
    await second.said(JOINED)
    const since = Date.now()
    const code = await first.end()
    expect({ code, quick: Date.now() - since < 2000 }).toEqual({ code: 0, quick: true })
    expect(await second.call('note_insert', { path: 'a.md', content: 'more' })).toContain('revision')
    await second.said(BECAME)
    const third = await startClient(vault)
    await third.said(JOINED)
    expect(await third.call('note_read', { path: 'a.md' })).toBe('alpha\nmore\n')
  })

  test('changes that others ask for meanwhile are made exactly once', async () => {
    const first = await startClient(vault)
    const second = await startClient(vault)
    await second.said(JOINED)
    const changes = Array.from({ length: 40 }, (_, i) =>
      second.call('note_insert', { path: 'a.md', content: `line ${i}` }),
    )
    await changes[3]
    await first.end()
    const failed = (await Promise.all(changes)).filter((answer) => !answer.includes('revision'))
    expect(failed).toEqual([])
    const lines = readFileSync(vault.path('a.md'), 'utf8').trim().split('\n')
    expect(lines.toSorted()).toEqual(['alpha', ...changes.map((_, i) => `line ${i}`)].toSorted())
  })

  test('nothing is left where nobody else is there', async () => {
    const only = await startClient(vault)
    expect(socketNames()).toHaveLength(1)
    expect(await only.end()).toBe(0)
    expect(readdirSync(vault.sockets)).toEqual(['locks'])
    expect(readdirSync(join(vault.sockets, 'locks'))).toEqual([])
  })
})

test('ten starts at once make one engine', async () => {
  const clients = await Promise.all(Array.from({ length: 10 }, () => startClient(vault)))
  expect(await Promise.all(clients.map((client) => client.call('note_read', { path: 'b.md' })))).toEqual(
    clients.map(() => 'beta\n'),
  )
  expect(clients.filter((client) => !isJoined(client))).toHaveLength(1)
})

describe('nothing is trusted', () => {
  test('a folder that others may enter is not used', async () => {
    mkdirSync(vault.sockets)
    chmodSync(vault.sockets, 0o755)
    await startClient(vault, { TMPDIR: vault.root })
    expect(readdirSync(vault.sockets)).toEqual([])
    expect(existsSync(join(vault.root, `knap-${process.getuid?.()}`))).toBe(true)
  })

  test('who listens there and speaks otherwise is left alone', async () => {
    const first = await startClient(vault)
    const [socket] = socketNames() as [string]
    first.process.kill('SIGKILL')
    await first.gone
    const stranger = await listen(join(vault.sockets, socket), '{"state":"welcome","tools":{}}\n')
    const client = await startClient(vault)
    expect(await client.call('note_read', { path: 'a.md' })).toBe('alpha\n')
    expect(isJoined(client)).toBe(false)
    stranger.close()
  })
})

async function listen(path: string, says: string) {
  const { unlinkSync } = await import('node:fs')
  unlinkSync(path)
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.write(says)
  })
  await new Promise<void>((resolve) => server.listen(path, resolve))
  return server
}
