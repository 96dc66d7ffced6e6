import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import {
  COMMAND,
  connect,
  connectHttp,
  startHttp,
  type TemporaryVault,
  type ToolInfo,
  temporaryVault,
} from './clients.ts'

setDefaultTimeout(30_000)

describe('a header narrows what the server opens, in both eras', () => {
  let vault: TemporaryVault
  let url: string
  let stop: () => Promise<unknown>
  beforeAll(async () => {
    vault = temporaryVault({ 'a.md': 'x' })
    vault.env.OBSIDIAN_TOOLS = 'note_read,note_write,frontmatter,search_text'
    ;({ url, stop } = await startHttp(vault))
  })
  afterAll(async () => {
    await stop()
    vault.remove()
  })

  const cases = [
    { header: null, right: ['note_read', 'note_write', 'search_text', 'frontmatter'] },
    { header: 'full', right: ['note_read', 'note_write', 'search_text', 'frontmatter'] },
    { header: 'read', right: ['note_read', 'search_text', 'frontmatter'] },
    { header: 'note_read,note_delete', right: ['note_read'] },
    { header: '!note_write', right: ['note_read', 'search_text', 'frontmatter'] },
    { header: 'vault_list', right: [] },
  ]
  for (const modern of [true, false]) {
    test.each(cases)(`${modern ? '2026-07-28' : '2025'}: $header`, async ({ header, right }) => {
      const client = await connectHttp(modern, url, header === null ? {} : { 'x-obsidian-tools': header })
      const tools = await client.tools()
      expect(tools.map(({ name }) => name)).toEqual(right)
      for (const name of ['note_write', 'note_delete', 'vault_list'].filter(
        (tool) => !right.includes(tool),
      )) {
        const args = { path: 'a.md', content: 'y', confirm: true }
        expect(client.call(name, args)).rejects.toMatchObject({ code: -32602 })
      }
      if (header === 'read') {
        const { inputSchema } = tools.find(({ name }) => name === 'frontmatter') as ToolInfo
        expect(inputSchema).toMatchObject({ properties: { action: { enum: ['get'] } } })
        const set = await client.call('frontmatter', { action: 'set', path: 'a', key: 'k', value: 1 })
        expect(JSON.parse(set.text).code).toBe('read_only')
      }
      await client.close()
    })
  }
})

describe('of the tools that read and write', () => {
  const reading = {
    frontmatter: ['get'],
    periodic: ['get', 'list'],
    tags: ['list'],
    tasks: ['list'],
    history: ['list', 'diff'],
    attachments: ['list', 'read', 'orphans'],
  }
  const cases = [
    { env: { OBSIDIAN_TOOLS: 'read' }, right: { ...reading, index: ['status'] } },
    { env: { OBSIDIAN_READ_ONLY: 'true' }, right: { ...reading, index: ['status', 'sync', 'rebuild'] } },
    {
      env: { OBSIDIAN_READ_ONLY: 'true', OBSIDIAN_TOOLS: 'read' },
      right: { ...reading, index: ['status'] },
    },
  ]
  test.each(cases)('$env leaves $right', async ({ env, right }) => {
    const vault = temporaryVault({ 'a.md': 'x' })
    Object.assign(vault.env, env)
    const client = await connect('modern stdio', vault)
    const found = (await client.tools()).flatMap(({ name, inputSchema }) => {
      const { action } = (inputSchema as { properties: Record<string, { enum?: string[] }> }).properties
      return action === undefined ? [] : [[name, action.enum]]
    })
    expect(Object.fromEntries(found)).toEqual(right)
    for (const [name, actions] of Object.entries(right).filter(([tool]) => tool === 'index')) {
      const { text } = await client.call(name, { action: 'rebuild' })
      expect(text.includes('read_only')).toBe(!actions.includes('rebuild'))
    }
    await client.close()
    vault.remove()
  })
})

describe('a profile that changes is told', () => {
  function withProfile() {
    const vault = temporaryVault({ 'a.md': 'x' })
    const folder = join(vault.root, 'profiles')
    mkdirSync(folder)
    const write = (...tools: string[]) =>
      writeFileSync(join(folder, 'mine.yaml'), `tools: [${tools.join(', ')}]\n`)
    write('note_read')
    Object.assign(vault.env, { OBSIDIAN_PROFILES: folder, OBSIDIAN_TOOLS: 'mine' })
    return { vault, write }
  }

  test('to a 2025 client over standard input and output', async () => {
    const { vault, write } = withProfile()
    const client = new OldClient({ name: 'o', version: '1' })
    const [command = '', ...rest] = COMMAND
    await client.connect(
      new OldStdio({ command, args: [...rest, vault.dir], env: vault.env, stderr: 'ignore' }),
    )
    const told = new Promise<void>((resolve) => {
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve())
    })
    write('note_read', 'vault_list')
    await told
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['vault_list', 'note_read'])
    await client.close()
    vault.remove()
  })

  test('to a 2026 client that listens over HTTP', async () => {
    const { vault, write } = withProfile()
    const server = await startHttp(vault)
    const client = new Client({ name: 'm', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url)))
    const told = new Promise<void>((resolve) => {
      client.setNotificationHandler('notifications/tools/list_changed', () => resolve())
    })
    await client.listen({ toolsListChanged: true })
    write('vault_list')
    await told
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['vault_list'])
    await client.close()
    await server.stop()
    vault.remove()
  })
})
