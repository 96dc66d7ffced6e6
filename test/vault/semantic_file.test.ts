import { afterEach, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { adopt, loadVectors, saveVectors } from '../../src/vault/semantic_file.ts'
import { VectorStore } from '../../src/vector/store.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function place(): string {
  const folder = mkdtempSync(join(tmpdir(), 'knap-vectors-'))
  folders.push(folder)
  return join(folder, 'vectors.knap')
}

function store(identity = 'space#1'): VectorStore {
  const all = new VectorStore(identity, 2)
  const chunk = {
    id: 'c',
    scope: 'note' as const,
    range: { start: 0, end: 1 },
    headingPath: [],
    section: null,
  }
  all.set({ path: 'a.md', revision: 'r', chunks: [chunk], vectors: new Float32Array([0.6, 0.8]) })
  return all
}

test('vectors have a version of their own: another text index does not cost them', async () => {
  const file = place()
  expect(await saveVectors(file, store())).toBe(true)
  expect(readFileSync(file).readUInt32LE(8)).toBe(2)
  expect([...(await loadVectors(file))!.notes()]).toEqual([...store().notes()])
})

test.each([
  { what: 'none', bytes: null },
  { what: 'something else', bytes: 'nonsense' },
  { what: 'nothing', bytes: '' },
])('$what in place of vectors is no vectors', async ({ bytes }) => {
  const file = place()
  if (bytes !== null) writeFileSync(file, bytes)
  expect(await loadVectors(file)).toBeNull()
})

test.each([
  { what: 'the same model', of: { space: 'space', identity: 'space#1', dimensions: 2 }, right: ['r'] },
  { what: 'other rules of cutting', of: { space: 'space', identity: 'space#2', dimensions: 2 }, right: [''] },
  { what: 'another model', of: { space: 'spaces', identity: 'spaces#1', dimensions: 2 }, right: [] },
  { what: 'another dimension', of: { space: 'space', identity: 'space#1', dimensions: 3 }, right: [] },
])('$what: $right', ({ of, right }) => {
  expect([...adopt(store(), of).notes()].map(({ revision }) => revision)).toEqual([...right])
})
