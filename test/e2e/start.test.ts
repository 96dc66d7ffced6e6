import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { COMMAND, connect, startHttp, type TemporaryVault, temporaryVault } from './clients.ts'

// Each case starts the program; on a busy machine that takes its time.
setDefaultTimeout(30_000)

const open: TemporaryVault[] = []
function vaultWith(files: Record<string, string | Uint8Array> = {}): TemporaryVault {
  const vault = temporaryVault(files)
  open.push(vault)
  return vault
}
afterEach(() => {
  for (const vault of open.splice(0)) vault.remove()
})

/** Runs the program with an input that ends at once. */
async function run(
  vault: TemporaryVault,
  args: readonly string[],
  env: Record<string, string> = {},
  prefix: readonly string[] = [],
) {
  const child = Bun.spawn([...prefix, ...COMMAND, ...args], {
    env: { ...vault.env, ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { stdout, stderr, code }
}

describe('what cannot be served ends the start with one clear line', () => {
  const cases: {
    what: string
    make: (v: TemporaryVault) => { args: string[]; env?: Record<string, string> }
    says: RegExp
  }[] = [
    {
      what: 'a vault that is not there',
      make: (v) => ({ args: [join(v.root, 'nowhere')] }),
      says: /nowhere.* does not exist/,
    },
    {
      what: 'a file in place of a folder',
      make: (v) => ({ args: [v.path('a.md')] }),
      says: /a\.md.* is a file/,
    },
    { what: 'no vault at all', make: () => ({ args: [] }), says: /vault/i },
    {
      what: 'an ignore file with a pattern that cannot be read',
      make: (v) => {
        mkdirSync(v.path('.obsidian-mcp'))
        writeFileSync(v.path('.obsidian-mcp/ignore'), 'ok/\nbad[\n')
        return { args: [v.dir] }
      },
      says: /\.obsidian-mcp\/ignore, line 2/,
    },
    {
      what: 'an ignore file that is a folder',
      make: (v) => {
        mkdirSync(v.path('.obsidian-mcp/ignore'), { recursive: true })
        return { args: [v.dir] }
      },
      says: /ignore.* cannot be read/,
    },
    {
      what: 'an unknown tool in the filter',
      make: (v) => ({ args: [v.dir], env: { OBSIDIAN_TOOLS: 'note_raed' } }),
      says: /OBSIDIAN_TOOLS: "note_raed".*note_read/,
    },
    {
      what: 'an unknown profile in a flag',
      make: (v) => ({ args: ['--tools', 'raed', v.dir] }),
      says: /--tools: "raed" is neither.*"read"/,
    },
    {
      what: 'a wrong switch',
      make: (v) => ({ args: [v.dir], env: { OBSIDIAN_WATCH: 'maybe' } }),
      says: /OBSIDIAN_WATCH/,
    },
    {
      what: 'a mistyped variable',
      make: (v) => ({ args: [v.dir], env: { OBSIDIAN_EXCLUDE_PATH: 'a/' } }),
      says: /OBSIDIAN_EXCLUDE_PATHS/,
    },
  ]
  test.each(cases)('$what', async ({ make, says }) => {
    const vault = vaultWith({ 'a.md': 'x' })
    const { args, env } = make(vault)
    const { code, stderr, stdout } = await run(vault, args, env)
    expect(stderr).toMatch(says)
    expect(code).not.toBe(0)
    expect(stdout).toBe('')
    expect(stderr).not.toMatch(/\n\s+at /)
  })

  test.each([[[]], [['config']]])('wrong settings are exit code 2, %j', async (command) => {
    const vault = vaultWith()
    for (const env of [{ OBSIDIAN_TOOLS: 'note_raed' }, { OBSIDIAN_WATCH: 'maybe' }])
      expect((await run(vault, [...command, vault.dir], env)).code).toBe(2)
  })

  test('a port that is taken', async () => {
    const vault = vaultWith()
    const taken = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('') })
    try {
      const { code, stderr } = await run(vault, ['--http', '--port', String(taken.port), vault.dir])
      expect(stderr).toContain(`Port ${taken.port}`)
      expect(code).toBe(1)
    } finally {
      await taken.stop(true)
    }
  })

  test('a folder that may not be read (as another user)', async () => {
    const vault = vaultWith({ 'a.md': 'x' })
    const isRoot = process.getuid?.() === 0
    const setpriv = Bun.which('setpriv')
    if (isRoot && setpriv === null) {
      console.warn(
        'not tried: as root every folder is readable, and setpriv is not here to become somebody else',
      )
      expect(isRoot).toBe(true)
      return
    }
    const prefix = isRoot ? [setpriv as string, '--reuid', '65534', '--regid', '65534', '--clear-groups'] : []
    chmodSync(vault.root, 0o755)
    chmodSync(vault.dir, 0o000)
    const { code, stderr } = await run(vault, [vault.dir], { HOME: '/nonexistent' }, prefix)
    chmodSync(vault.dir, 0o755)
    expect(stderr).toMatch(/vault/)
    expect(code).not.toBe(0)
  })
})

describe('odd vaults are served', () => {
  test('an empty folder, without .obsidian', async () => {
    const vault = vaultWith()
    rmSync(vault.path('.obsidian'), { recursive: true })
    const client = await connect('old stdio', vault)
    expect((await client.call('vault_list', {})).structured.total).toBe(0)
    expect((await client.call('search_text', { query: 'x' })).structured.total).toBe(0)
    await client.close()
  })

  test('a note that is no UTF-8, and one of 50 MB, are listed, named and keep their bytes', async () => {
    const vault = vaultWith({ 'latin.md': new Uint8Array([0x63, 0x61, 0x66, 0xe9]), 'ok.md': 'fine' })
    writeFileSync(vault.path('huge.md'), Buffer.alloc(50 * 1024 * 1024, 'a '))
    const client = await connect('old stdio', vault)
    const info = (await client.call('vault_info', {})).structured as {
      problems: { path: string }[]
      total_notes: number
    }
    expect(info.total_notes).toBe(3)
    expect(info.problems.map((p) => p.path).sort()).toEqual(['huge.md', 'latin.md'])
    const latin = await client.call('note_read', { path: 'latin.md' })
    expect(latin.structured.content).toBe('caf\ufffd')
    const refused = await client.call('note_insert', { path: 'latin.md', content: 'x' })
    expect(JSON.parse(refused.text).code).toBe('bad_encoding')
    const page = await client.call('note_read', { path: 'huge.md' })
    expect([page.structured.truncated, (page.structured.content as string).length]).toEqual([true, 65_536])
    await client.close()
    expect(statSync(vault.path('latin.md')).size).toBe(4)
  })
})

describe('life over standard input and output', () => {
  test('standard output holds JSON-RPC and nothing else, and the end of input ends the program with 0', async () => {
    const vault = vaultWith({ 'a.md': 'wombat' })
    const child = Bun.spawn([...COMMAND, '--log-level', 'trace', vault.dir], {
      env: vault.env,
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'ignore',
    })
    const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    send({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
    })
    send({ method: 'notifications/initialized' })
    send({ id: 2, method: 'tools/call', params: { name: 'search_text', arguments: { query: 'wombat' } } })
    send({ id: 3, method: 'tools/call', params: { name: 'no_such_tool', arguments: {} } })
    child.stdin.flush()
    const lines: string[] = []
    let rest = ''
    const decoder = new TextDecoder()
    for await (const chunk of child.stdout) {
      rest += decoder.decode(chunk, { stream: true })
      const parts = rest.split('\n')
      rest = parts.pop() ?? ''
      lines.push(...parts)
      if (lines.length >= 3) child.stdin.end()
    }
    const messages = lines.map(
      (line) => JSON.parse(line) as { jsonrpc: string; id: number; error?: { code: number } },
    )
    expect(messages.every((m) => m.jsonrpc === '2.0')).toBe(true)
    expect(messages.map((m) => m.id).sort()).toEqual([1, 2, 3])
    expect(messages.find((m) => m.id === 3)?.error?.code).toBe(-32602)
    expect(await child.exited).toBe(0)
  })

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s ends a server', async (signal) => {
    const vault = vaultWith({ 'a.md': 'x' })
    const server = await startHttp(vault)
    expect(await server.kill(signal)).toBe(0)
  })
})
