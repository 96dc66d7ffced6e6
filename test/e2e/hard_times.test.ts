import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, renameSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import {
  type AnyClient,
  COMMAND,
  connect,
  type Files,
  type TemporaryVault,
  temporaryVault,
} from './clients.ts'

/** What the machine takes away under a running server: nothing is lost by it, and it says what is the matter. */

setDefaultTimeout(60_000)
const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

const NOTES: Files = Object.fromEntries(
  Array.from({ length: 120 }, (_, i) => [`${i % 2 ? 'sub/' : ''}n${i}.md`, `# N${i}\nquokka${i}\n`]),
)

function vaultOf(files: Files): TemporaryVault {
  const vault = temporaryVault(files)
  vault.env.OBSIDIAN_EMBEDDINGS = 'false'
  open.push({ close: () => vault.remove() })
  return vault
}

async function served(vault: TemporaryVault): Promise<AnyClient> {
  const client = await connect('modern stdio', vault, ['--standalone'])
  open.push(client)
  await ready(client)
  return client
}

async function ready(client: Pick<AnyClient, 'call'>): Promise<void> {
  for (;;) {
    const { structured } = await client.call('search_text', { query: 'quokka1' })
    if ((structured.index as { state: string }).state === 'ready') return
  }
}

const sync = async (client: AnyClient) => (await client.call('index', { action: 'sync' })).structured
const found = async (client: AnyClient) =>
  ((await client.call('search_text', { query: 'quokka7' })).structured.results as { path: string }[]).map(
    ({ path }) => path,
  )

describe('the folder of the vault goes away', () => {
  test('renamed: reads and changes say so, nothing is made in its place, and it is there again when it is back', async () => {
    const vault = vaultOf(NOTES)
    const client = await served(vault)
    const elsewhere = join(vault.root, 'elsewhere')
    renameSync(vault.dir, elsewhere)
    expect(await sync(client)).toMatchObject({
      message: expect.stringMatching(/failed, what was known stays: .*cannot be reached/),
      index: { state: 'degraded', indexed: 120, total: 120 },
    })
    for (const [tool, args] of [
      ['note_read', { path: 'n0.md' }],
      ['note_insert', { path: 'n0.md', content: 'x' }],
      ['note_create', { path: 'new.md', content: 'x' }],
    ] as const) {
      const { isError, text } = await client.call(tool, args)
      expect([tool, isError, JSON.parse(text).code]).toEqual([tool, true, 'unavailable'])
    }
    expect(await found(client)).toEqual(['sub/n7.md'])
    expect(existsSync(vault.dir)).toBe(false)
    renameSync(elsewhere, vault.dir)
    expect(await sync(client)).toMatchObject({ index: { state: 'ready', total: 120 }, last_error: null })
    expect((await client.call('note_insert', { path: 'n0.md', content: 'x' })).isError).toBe(false)
  })

  test('an empty one stands in its place, as where a disk is not mounted: the index waits for a word', async () => {
    const vault = vaultOf(NOTES)
    const client = await served(vault)
    const elsewhere = join(vault.root, 'elsewhere')
    renameSync(vault.dir, elsewhere)
    mkdirSync(vault.dir)
    expect(await sync(client)).toMatchObject({
      index: { indexed: 120, total: 120 },
      notices: [expect.stringMatching(/^120 files are missing all at once.*accept_deletions/)],
    })
    rmdirSync(vault.dir)
    renameSync(elsewhere, vault.dir)
    expect(await sync(client)).toMatchObject({ index: { indexed: 120, total: 120 }, notices: [] })
    expect(await found(client)).toEqual(['sub/n7.md'])
  })
})

test.if(process.platform === 'linux')(
  'few files may be open: everything is read, searched and changed all the same',
  async () => {
    const files = Object.fromEntries(
      Array.from({ length: 700 }, (_, i) => [`d${i % 70}/n${i}.md`, `# N${i}\nquokka${i}\n`]),
    )
    const vault = vaultOf(files)
    const start = join(vault.root, 'start.sh')
    writeFileSync(start, `#!/bin/sh\nulimit -n 64\nexec "$@"\n`)
    chmodSync(start, 0o755)
    const client = new Client({ name: 'limited', version: '1' })
    const args = [...COMMAND, '--standalone', vault.dir]
    await client.connect(new StdioClientTransport({ command: start, args, env: vault.env, stderr: 'ignore' }))
    open.push(client)
    const call = async (name: string, args: Record<string, unknown>) => {
      const { isError, structuredContent, content } = await client.callTool({ name, arguments: args })
      const [first] = content as { text?: string }[]
      return {
        isError: isError === true,
        structured: (structuredContent ?? {}) as Record<string, unknown>,
        text: first?.text ?? '',
      }
    }
    await ready({ call })
    expect((await call('vault_info', {})).structured).toMatchObject({ total_notes: 700, problems: [] })
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        i % 2 === 0
          ? call('note_insert', { path: `d${i % 70}/n${i}.md`, content: `more${i}\n` })
          : call('search_text', { query: `quokka${i}` }),
      ),
    )
    expect(answers.filter(({ isError }) => isError)).toEqual([])
    const { results } = (await call('search_regex', { pattern: 'more9\\d' })).structured
    expect((results as { path: string }[]).map(({ path }) => path)).toEqual(
      [90, 92, 94, 96, 98].map((i) => `d${i % 70}/n${i}.md`),
    )
  },
)
