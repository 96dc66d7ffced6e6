import { expect, test } from 'bun:test'
import { makeVault } from '../../bench/lib/vault.ts'

const notes = [...makeVault(500)]

test('the same seed gives the same vault, another seed another one', () => {
  expect([...makeVault(500)]).toEqual(notes)
  expect([...makeVault(500, 2)]).not.toEqual(notes)
})

test('a larger vault begins with the smaller one', () => {
  expect([...makeVault(600)].slice(0, 500)).toEqual(notes)
})

test('paths are all different, some names are not', () => {
  expect(new Set(notes.map(({ path }) => path)).size).toBe(500)
  expect(notes.filter(({ path }) => path.endsWith('/README.md')).length).toBeGreaterThan(5)
})

const peculiar: [string, RegExp][] = [
  ['properties', /^---\n[\s\S]*\n---\n/],
  ['CRLF', /\r\n/],
  ['a byte-order mark', /^\ufeff/],
  ['a link', /\[\[.+\]\]/],
  ['code', /^```ts$/m],
  ['Han', /\p{sc=Han}/u],
  ['emoji', /\p{Extended_Pictographic}/u],
]
test.each(peculiar)('some notes have %s', (_name, pattern) => {
  expect(notes.filter(({ text }) => pattern.test(text)).length).toBeGreaterThan(3)
})
