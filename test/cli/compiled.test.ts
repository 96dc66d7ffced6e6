import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { makeVault } from '../../bench/lib/vault.ts'

setDefaultTimeout(120_000)

/** One file, in a folder with nothing else, started in a vault that plants programs and settings. */
const ROOT = path.join(import.meta.dir, '..', '..')
const base = mkdtempSync(path.join(tmpdir(), 'knap-compiled-'))
const vault = path.join(base, 'vault')
const program = path.join(base, 'alone', process.platform === 'win32' ? 'knap.exe' : 'knap')
const marker = path.join(base, 'it-ran')
afterAll(() => rmSync(base, { recursive: true }))

beforeAll(() => {
  const built = Bun.spawnSync(
    [process.execPath, '--no-env-file', '--no-install', 'bin/compile.ts', program],
    {
      cwd: ROOT,
      stderr: 'pipe',
    },
  )
  expect([built.exitCode, built.exitCode === 0 ? '' : built.stderr.toString()]).toEqual([0, ''])
  mkdirSync(vault)
  // More notes than are read in the server itself: children index them.
  for (const { path: name, text } of makeVault(600)) {
    mkdirSync(path.dirname(path.join(vault, name)), { recursive: true })
    writeFileSync(path.join(vault, name), text)
  }
  writeFileSync(path.join(vault, 'note.md'), '# Note\n\nquokka\n')
  writeFileSync(path.join(vault, 'bunfig.toml'), 'preload = ["./planted.js"]\n')
  writeFileSync(
    path.join(vault, 'planted.js'),
    `require('node:fs').writeFileSync(${JSON.stringify(marker)}, '')\n`,
  )
  writeFileSync(path.join(vault, '.env'), 'OBSIDIAN_TOOLS=minimal\n')
})

test('it searches by words and patterns, edits, and runs nothing that lies in the vault', async () => {
  const client = new Client({ name: 'compiled', version: '1' })
  await client.connect(
    new StdioClientTransport({
      command: program,
      args: [vault],
      cwd: vault,
      env: { HOME: base, PATH: '/usr/bin:/bin' },
      stderr: 'ignore',
    }),
  )
  const ask = async (name: string, args: Record<string, unknown>) => {
    const { structuredContent, isError } = await client.callTool({ name, arguments: args })
    expect([name, isError ?? false]).toEqual([name, false])
    return structuredContent as {
      results: { path: string }[]
      index: { state: string }
      [key: string]: unknown
    }
  }
  for (;;) {
    const { results, index } = await ask('search_text', { query: 'quokka' })
    if (index.state !== 'ready') continue
    expect(results.map((hit) => hit.path)).toEqual(['note.md'])
    break
  }
  await ask('note_patch', {
    path: 'note',
    operation: 'append',
    target_type: 'heading',
    target: 'Note',
    content: 'wombat',
  })
  expect(readFileSync(path.join(vault, 'note.md'), 'utf8')).toBe('# Note\n\nquokka\n\nwombat\n')
  expect((await ask('search_regex', { pattern: 'womb.t' })).results).toHaveLength(1)
  const { embeddings } = await ask('vault_info', {})
  expect(embeddings).toMatchObject({ availability: 'disabled' })
  await client.close()
  expect(existsSync(marker)).toBe(false)
})
