import { expect, test } from 'bun:test'
import { decodeNote } from '../../src/note/encoding.ts'
import { requireReadable } from '../../src/vault/readable.ts'

const BINARY = new Uint8Array([0x89, 0x50, 0, 1])
const LATIN = new Uint8Array([0x61, 0xe9, 0x62])
const TEXT = new TextEncoder().encode('text')

test.each([
  { path: 'a.md', bytes: BINARY, readable: true },
  { path: 'a.txt', bytes: BINARY, readable: false },
  { path: 'a.png', bytes: BINARY, readable: false },
  { path: 'a.png', bytes: LATIN, readable: false },
  { path: 'a.png', bytes: TEXT, readable: true },
  { path: 'a.csv', bytes: LATIN, readable: true },
  { path: 'LICENSE', bytes: TEXT, readable: true },
  { path: 'a.canvas', bytes: TEXT, readable: true },
])('$path with $bytes is readable: $readable', ({ path, bytes, readable }) => {
  const attempt = expect(() => requireReadable({ path, bytes, valid: decodeNote(bytes).valid }))
  if (readable) attempt.not.toThrow()
  else attempt.toThrow(expect.objectContaining({ code: 'not_a_note' }))
})
