import { expect, test } from 'bun:test'
import { requireReadable } from '../../src/vault/readable.ts'

const BINARY = new Uint8Array([0x89, 0x50, 0, 1])
const TEXT = new TextEncoder().encode('text')

test.each([
  { path: 'a.md', bytes: BINARY, readable: true },
  { path: 'a.txt', bytes: BINARY, readable: false },
  { path: 'a.png', bytes: BINARY, readable: false },
  { path: 'LICENSE', bytes: TEXT, readable: true },
  { path: 'a.canvas', bytes: TEXT, readable: true },
])('$path with $bytes is readable: $readable', ({ path, bytes, readable }) => {
  const attempt = expect(() => requireReadable({ path, bytes }))
  if (readable) attempt.not.toThrow()
  else attempt.toThrow(expect.objectContaining({ code: 'not_a_note' }))
})
