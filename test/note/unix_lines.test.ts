import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { unixLines } from '../../src/note/unix_lines.ts'

test.each([
  ['a\nb', 'a\nb', [0, 1, 2, 3]],
  ['a\r\nb', 'a\nb', [0, 1, 3, 4]],
  ['\r\n\r\n', '\n\n', [0, 2, 4]],
  ['\r\r\n', '\r\n', [0, 1, 3]],
])('the offsets in %j of %j are %j', (original, right, offsets) => {
  const { text, back } = unixLines(original)
  expect([text, offsets.map((_, at) => back(at))]).toEqual([right, offsets])
})

test('what stands between two offsets is the same text', () => {
  const piece = fc.constantFrom('a', '\n', '\r\n', '\r', '😀')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), fc.nat(), fc.nat(), (pieces, one, other) => {
      const original = pieces.join('')
      const { text, back } = unixLines(original)
      const [from, to] = [one % (text.length + 1), other % (text.length + 1)].sort((x, y) => x - y)
      expect(original.slice(back(from!), back(to!)).replaceAll('\r\n', '\n')).toBe(text.slice(from, to))
    }),
  )
})
