import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { withTables } from '../bin/readme.ts'
import { settingsTable } from '../src/config/docs.ts'
import { SETTINGS } from '../src/config/schema.ts'

const readme = readFileSync(path.join(import.meta.dir, '..', 'README.md'), 'utf8')

test('the tables of the README are those that the program prints ("bun run docs" renews them)', () => {
  expect(withTables(readme)).toBe(readme)
})

test('every setting has its row', () => {
  const rows = settingsTable().trimEnd().split('\n')
  expect(rows.length).toBe(SETTINGS.length + 2)
  expect(new Set(rows.map((row) => row.match(/(?<!\\)\|/g)?.length))).toEqual(new Set([6]))
})

test('a page without a place for a table is refused', () => {
  expect(() => withTables('# Knap\n')).toThrow(/no place/)
})
