import { expect, test } from 'bun:test'
import { revisionOf } from '../../src/note/revision.ts'

test('a revision is the SHA-256 of the raw bytes in lower-case hexadecimal', () => {
  expect(revisionOf(new Uint8Array())).toBe(
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  )
  expect(revisionOf(new TextEncoder().encode('abc'))).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  )
})
