import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { byteMap, byteOffsetAt, decodeNote, encodeNote, unitAtByte } from '../../src/note/encoding.ts'

const bytes = (...values: number[]) => Uint8Array.from(values)

const decoded = [
  { name: 'plain', input: bytes(0x61, 0x0a), text: 'a\n', valid: true },
  { name: 'a byte-order mark stays', input: bytes(0xef, 0xbb, 0xbf, 0x61), text: '\ufeffa', valid: true },
  { name: 'Latin-1 bytes', input: bytes(0x63, 0xe9, 0x21), text: 'c\ufffd!', valid: false },
  { name: 'a cut emoji', input: bytes(0xf0, 0x9f, 0x90), text: '\ufffd', valid: false },
  { name: 'an encoded surrogate', input: bytes(0xed, 0xa0, 0x80), text: '\ufffd\ufffd\ufffd', valid: false },
  { name: 'NUL', input: bytes(0), text: '\0', valid: true },
]
test.each(decoded)('decodeNote: $name', ({ input, text, valid }) => {
  expect(decodeNote(input)).toEqual({ text, valid })
})

test('valid bytes survive decoding and encoding', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const written = encodeNote(`\ufeff${text}`)
      expect(encodeNote(decodeNote(written).text)).toEqual(written)
    }),
  )
})

const offsets = [
  { text: 'añ🐘x', unit: 0, byte: 0 },
  { text: 'añ🐘x', unit: 2, byte: 3 },
  { text: 'añ🐘x', unit: 3, byte: 3 }, // inside the elephant: its beginning
  { text: 'añ🐘x', unit: 4, byte: 7 },
  { text: 'añ🐘x', unit: 99, byte: 8 },
  { text: '\ufeffab', unit: 1, byte: 3 },
]
test.each(offsets)('unit $unit of $text is byte $byte', ({ text, unit, byte }) => {
  expect(byteOffsetAt(text, unit)).toBe(byte)
  expect(byteMap(text).byteAt(unit)).toBe(byte)
})

test('a byte inside a character is the unit of its beginning', () => {
  expect([0, 1, 2, 3, 4, 5, 6, 7, 8, 99].map((byte) => unitAtByte('añ🐘x', byte))).toEqual([
    0, 1, 1, 2, 2, 2, 2, 4, 5, 5,
  ])
})

test('a map agrees with the decoder on any bytes, at every offset', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 400 }).map(encodeNote),
    fc.uint8Array({ maxLength: 12 }),
    fc.constantFrom(
      bytes(0xf0, 0x9f, 0x90),
      bytes(0xe2, 0x82),
      bytes(0xf4, 0x90, 0x80, 0x80),
      bytes(0xc0, 0x80),
    ),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
      const file = Uint8Array.from(pieces.flatMap((p) => [...p]))
      const { text } = decodeNote(file)
      const map = byteMap(file)
      expect(map.units).toBe(text.length)
      for (let byte = 0, last = 0; byte <= file.length; byte++) {
        const unit = map.unitAt(byte)
        expect(unit).toBeGreaterThanOrEqual(last)
        expect(map.byteAt(unit)).toBeLessThanOrEqual(byte)
        if (map.byteAt(unit) === byte) expect(decodeNote(file.subarray(0, byte)).text.length).toBe(unit)
        last = unit
      }
    }),
    { numRuns: 60 },
  )
})
