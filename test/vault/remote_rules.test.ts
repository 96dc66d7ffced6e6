import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { VaultError } from '../../src/errors.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { openRemoteRules } from '../../src/vault/remote_rules.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'knap-rules-'))
})
afterEach(() => rmSync(dir, { recursive: true }))

/** A vault that may be away. */
function vault(files: Record<string, string>, state = { away: false }): Storage {
  const memory = memoryStorage(files)
  const here = <T>(work: () => Promise<T>): Promise<T> => {
    if (state.away) return Promise.reject(new VaultError('unavailable', 'It is away.', { hint: '' }))
    return work()
  }
  return Object.assign(Object.create(memory), {
    list: (...args: Parameters<Storage['list']>) => here(() => memory.list(...args)),
    stat: (path: string) => here(() => memory.stat(path)),
    read: (...args: Parameters<Storage['read']>) => here(() => memory.read(...args)),
    close: () => memory.close(),
  })
}

const AWAY = { away: true }

describe('the ignore files of a remote vault', () => {
  test('both are read on the first start, beside what the settings exclude', async () => {
    const files = { '.knapignore': 'Plans/\n', '.obsidian-mcp/ignore': '# c\nOld/\n', 'a.md': 'x' }
    const { rules, patterns } = await openRemoteRules(vault(files), dir, { exclude: ['*.tmp.md'] })
    expect(['Plans/x.md', 'Old/x.md', 'b.tmp.md', 'a.md'].map((p) => rules.verdict(p))).toEqual([
      'excluded',
      'excluded',
      'excluded',
      'visible',
    ])
    expect(patterns).toEqual(['*.tmp.md', 'Old/', 'Plans/'])
  })

  test('a first start that cannot read them guesses nothing', async () => {
    await expect(openRemoteRules(vault({}, AWAY), dir, {})).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('a later start knows what they said, also while the vault is away', async () => {
    await openRemoteRules(vault({ '.knapignore': 'Plans/\n' }), dir, {})
    const { rules, storage } = await openRemoteRules(vault({}, AWAY), dir, {})
    expect(rules.verdict('Plans/x.md')).toBe('excluded')
    await expect(storage.read('a.md')).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('what they say now counts before anything of the vault is handed out', async () => {
    await openRemoteRules(vault({ '.knapignore': 'Plans/\n' }), dir, {})
    const now = vault({ '.knapignore': 'Private/\n', 'a.md': 'x' })
    const { rules, storage, patterns } = await openRemoteRules(now, dir, {})
    await storage.read('a.md')
    expect([rules.verdict('Plans/x.md'), rules.verdict('Private/x.md')]).toEqual(['visible', 'excluded'])
    expect(patterns).toEqual(['Private/'])
    const third = await openRemoteRules(vault({}, AWAY), dir, {})
    expect(third.rules.verdict('Private/x.md')).toBe('excluded')
  })
})
