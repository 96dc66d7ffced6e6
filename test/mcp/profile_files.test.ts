import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { loadProfiles, SHIPPED_PROFILES } from '../../src/mcp/profile_files.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'knap-profiles-'))
afterAll(() => rmSync(folder, { recursive: true }))

const KNOWN = ['note_read', 'note_write', 'tags']

function put(name: string, text: string): () => void {
  const file = path.join(folder, name)
  writeFileSync(file, text)
  return () => rmSync(file)
}

test('a folder of profiles stands beside the shipped ones and wins over them', () => {
  const gone = [
    put('Mine.yaml', 'description: Mine.\ntools: [note_read]\nreading_actions_of: [tags]\n'),
    put('core.yml', 'tools: [note_read]\n'),
    put('.hidden.yaml', 'nonsense'),
    put('readme.txt', 'nonsense'),
  ]
  const profiles = loadProfiles(folder, KNOWN)
  for (const remove of gone) remove()
  expect(profiles.get('mine')).toEqual({
    name: 'mine',
    description: 'Mine.',
    tools: ['note_read'],
    readingActionsOf: ['tags'],
  })
  expect(profiles.get('core')?.tools).toEqual(['note_read'])
  expect(profiles.get('read')).toBe(SHIPPED_PROFILES.get('read'))
  expect(profiles.size).toBe(SHIPPED_PROFILES.size + 1)
})

const wrong: { name: string; text: string; says: RegExp }[] = [
  { name: 'a.yaml', text: 'tools: [note_raed]\n', says: /"a" cannot be used: there is no tool "note_raed"/ },
  { name: 'note_read.yaml', text: 'tools: [note_write]\n', says: /called like a tool/ },
  { name: 'a b.yaml', text: 'tools: [note_write]\n', says: /its name is not right/ },
]
test.each(wrong)('$name is refused', ({ name, text, says }) => {
  const remove = put(name, text)
  expect(() => loadProfiles(folder, KNOWN)).toThrow(says)
  remove()
})

test('a folder that is not there is named', () => {
  expect(() => loadProfiles('/nowhere/at/all', KNOWN)).toThrow(/\/nowhere\/at\/all cannot be read \(ENOENT\)/)
  expect(loadProfiles(null, KNOWN).size).toBe(SHIPPED_PROFILES.size)
})
