import { expect, test } from 'bun:test'
import { VaultError } from '../../src/errors.ts'
import type { FileRecord } from '../../src/vault/catalogue.ts'
import { compileFilters } from '../../src/vault/filters.ts'

const NOTES = ['a.md', 'F/c.md', 'F/sub/d.md', 'Fx/e.md', 'Cafe\u0301/f.md']

test.each([
  ['F', ['F/c.md', 'F/sub/d.md']],
  ['F/', ['F/c.md', 'F/sub/d.md']],
  ['f', ['F/c.md', 'F/sub/d.md']],
  ['/F', ['F/c.md', 'F/sub/d.md']],
  ['./F', ['F/c.md', 'F/sub/d.md']],
  ['F/sub/..', ['F/c.md', 'F/sub/d.md']],
  ['F//sub', ['F/sub/d.md']],
  ['F/c', ['F/c.md']],
  ['F/c.md', ['F/c.md']],
  ['Café', ['Cafe\u0301/f.md']],
  ['nope', []],
  ['', NOTES],
  ['.', NOTES],
  ['/', NOTES],
])('the path %j lets %j through', (path, right) => {
  const fits = compileFilters({ path }) ?? (() => true)
  expect(NOTES.filter((note) => fits({ path: note } as FileRecord))).toEqual(right)
})

test.each([
  ['..', 'outside_vault'],
  ['../x', 'outside_vault'],
  ['F/../../x', 'outside_vault'],
  ['%2e%2e/x', 'outside_vault'],
  ['F\\sub', 'bad_path'],
  ['C:/x', 'bad_path'],
  ['a\0b', 'bad_path'],
] as const)('the path %j is refused as %s', (path, code) => {
  let refusal: unknown
  try {
    compileFilters({ path })
  } catch (error) {
    refusal = error
  }
  expect(refusal).toBeInstanceOf(VaultError)
  expect((refusal as VaultError).code).toBe(code)
})
