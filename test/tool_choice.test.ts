import { afterEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { loadConfig } from '../src/config.ts'
import { SHIPPED_PROFILES } from '../src/mcp/profile_files.ts'
import type { Access } from '../src/mcp/registry.ts'
import { TOOLS } from '../src/mcp/tools.ts'
import { toolChooser } from '../src/tool_choice.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function chooser(env: Record<string, string>) {
  const all = { HOME: '/h', OBSIDIAN_VAULT_PATH: '/v', ...env }
  const machine = { platform: 'linux' as const, home: '/h', cwd: '/' }
  const { config } = loadConfig({ argv: [], env: all, readFile: () => null, machine })
  return toolChooser(config)
}

const ALL = TOOLS.filter(({ docs }) => !docs)
const ORDER: readonly (Access | undefined)[] = [undefined, 'read', 'open']
const most = (a: Access | undefined, b: Access | undefined) => ORDER.indexOf(a) <= ORDER.indexOf(b)

/** Every form that a filter has. */
const filter = fc.oneof(
  fc.constant(''),
  fc.constantFrom(...SHIPPED_PROFILES.keys()).filter((name) => name !== 'docs'),
  fc.uniqueArray(fc.constantFrom(...ALL.map(({ name }) => name)), { minLength: 1, maxLength: 5 }).map(String),
  fc
    .uniqueArray(fc.constantFrom(...ALL.map(({ name }) => `!${name}`)), { minLength: 1, maxLength: 5 })
    .map(String),
  fc
    .tuple(
      fc.constantFrom('read', 'core', 'classic', 'minimal'),
      fc.array(fc.constantFrom(...ALL.flatMap(({ name }) => [`+${name}`, `-${name}`])), { maxLength: 4 }),
    )
    .map(([profile, changes]) => [profile, ...changes].join(',')),
)

describe('whatever the server and a header say', () => {
  test('no tool is shown that one of them closes, and none goes further than either lets it', () => {
    fc.assert(
      fc.property(filter, filter, fc.boolean(), (server, header, readOnly) => {
        const env = { OBSIDIAN_TOOLS: server || 'full', ...(readOnly ? { OBSIDIAN_READ_ONLY: 'true' } : {}) }
        const both = chooser(env)(header)
        const [own, theirs] = [chooser(env)(null), chooser({})(header)]
        for (const { name } of TOOLS) {
          const access = both.find(name)?.access
          expect(most(access, own.find(name)?.access)).toBe(true)
          expect(most(access, theirs.find(name)?.access)).toBe(true)
        }
        expect(both.open().map(({ tool }) => tool.name)).toEqual(
          TOOLS.map(({ name }) => name).filter((name) => both.find(name) !== undefined),
        )
      }),
      { numRuns: 60 },
    )
  })

  test('a read-only server opens no tool for writing', () => {
    fc.assert(
      fc.property(filter, (header) => {
        const set = chooser({ OBSIDIAN_READ_ONLY: 'true' })(header)
        const writing = set.open().filter(({ tool, access }) => access === 'open' && tool.access !== 'read')
        expect(writing.map(({ tool }) => tool.name).filter((name) => name !== 'index')).toEqual([])
      }),
      { numRuns: 40 },
    )
  })
})

describe('profiles that change', () => {
  function profiles() {
    const folder = mkdtempSync(join(tmpdir(), 'knap-profiles-'))
    folders.push(folder)
    const write = (...tools: string[]) =>
      writeFileSync(join(folder, 'mine.yaml'), `tools:\n${tools.map((tool) => `  - ${tool}\n`).join('')}`)
    write('note_read', 'note_write')
    const choose = chooser({ OBSIDIAN_PROFILES: folder, OBSIDIAN_TOOLS: 'mine' })
    return { folder, write, choose }
  }
  const names = (set: ReturnType<ReturnType<typeof chooser>>) => set.open().map(({ tool }) => tool.name)

  test('are followed by the sets that were given out, which say so', async () => {
    const { write, choose } = profiles()
    const [own, narrowed] = [choose(null), choose('!note_read')]
    const changed = new Promise<void>((resolve) => own.onChange?.(resolve))
    write('note_read', 'vault_list')
    await changed
    expect([names(own), names(narrowed)]).toEqual([['vault_list', 'note_read'], ['vault_list']])
    expect(own.find('note_write')).toBeUndefined()
  })

  test('one that is broken changes nothing', async () => {
    const { folder, choose } = profiles()
    const own = choose(null)
    const changed = new Promise<void>((resolve) => own.onChange?.(resolve))
    writeFileSync(join(folder, 'mine.yaml'), 'tools: [no_such_tool]\n')
    await changed
    expect(names(own)).toEqual(['note_read', 'note_write'])
  })

  test('one that a header names closes what it opened when it goes', async () => {
    const { folder } = profiles()
    const choose = chooser({ OBSIDIAN_PROFILES: folder })
    const set = choose('mine')
    expect(names(set)).toEqual(['note_read', 'note_write'])
    const changed = new Promise<void>((resolve) => set.onChange?.(resolve))
    rmSync(join(folder, 'mine.yaml'))
    await changed
    expect(names(set)).toEqual([])
  })
})
