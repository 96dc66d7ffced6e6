import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { LineReader } from '../../src/engine/line_reader.ts'

test('lines come whole, wherever the bytes were cut', () => {
  const line = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\n', ' '))
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (lines, cuts) => {
      const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''))
      const reader = new LineReader(1_000_000)
      const read: string[] = []
      for (let at = 0, i = 0; at < bytes.length; i++) {
        const size = cuts[i % cuts.length] as number
        read.push(...reader.take(bytes.subarray(at, at + size)).map((part) => part.toString('utf8')))
        at += size
      }
      expect(read).toEqual(lines.map((text) => Buffer.from(text).toString('utf8')))
    }),
  )
})

test('a line that is too long is refused before it is whole', () => {
  const reader = new LineReader(10)
  expect(reader.take(Buffer.from('0123456789\n0123'))).toHaveLength(1)
  expect(() => reader.take(Buffer.from('4567890'))).toThrow(RangeError)
})
