import { expect, test } from 'bun:test'
import { decodeSections, encodeSections, SnapshotRefused } from '../../src/vault/snapshot_format.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const file = (...sections: string[][]) => {
  return new Uint8Array(Buffer.concat(encodeSections(sections.map((s) => s.map(bytes)))))
}

test('sections come back, those written in pieces as one', () => {
  const read = decodeSections(file(['table'], ['facts ', 'in ', 'pieces'], []))
  expect(read.map((s) => new TextDecoder().decode(s))).toEqual(['table', 'facts in pieces', ''])
})

test('sections begin where numbers of 8 bytes may lie', () => {
  const read = decodeSections(file(['x'], ['yy', 'z'], ['last']))
  expect(read.map((s) => s.byteOffset % 8)).toEqual([0, 0, 0])
})

test('every flipped bit and every truncation is refused by name', () => {
  const whole = file(['table'], ['facts'], ['index'])
  for (let i = 0; i < whole.length; i++) {
    for (let bit = 0; bit < 8; bit++) {
      const flipped = whole.slice()
      flipped[i]! ^= 1 << bit
      expect(() => decodeSections(flipped)).toThrow(SnapshotRefused)
    }
    expect(() => decodeSections(whole.subarray(0, i))).toThrow(SnapshotRefused)
  }
  expect(() => decodeSections(new Uint8Array([...whole, 0]))).toThrow('follows')
})

test('another version is refused and named', () => {
  const old = file(['x'])
  old[8] = 99
  expect(() => decodeSections(old)).toThrow('version 99')
})
