import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  compareByCodePoint,
  findString,
  lowerBound,
  packStrings,
  prefixEnd,
  sortByCodePoint,
  stringAt,
  stringCount,
  toUtf8,
} from '../../src/index/string_table.ts'

const wellFormed = fc.string({ unit: 'grapheme' }).map((text) => text.toWellFormed())
const sorted = fc.uniqueArray(wellFormed).map((strings) => sortByCodePoint(strings))

test('strings come out as they went in, and are found where they are', () => {
  fc.assert(
    fc.property(sorted, wellFormed, (strings, other) => {
      const table = packStrings(strings)
      expect(stringCount(table)).toBe(strings.length)
      for (const [i, text] of strings.entries()) {
        expect(stringAt(table, i)).toBe(text)
        expect(findString(table, toUtf8(text))).toBe(i)
      }
      expect(findString(table, toUtf8(other))).toBe(strings.indexOf(other))
    }),
  )
})

test('a range of a prefix holds what begins so and nothing else', () => {
  fc.assert(
    fc.property(sorted, wellFormed, (strings, prefix) => {
      const table = packStrings(strings)
      const wanted = toUtf8(prefix)
      const range = strings.slice(lowerBound(table, wanted), prefixEnd(table, wanted))
      expect(range).toEqual(strings.filter((text) => text.startsWith(prefix)))
    }),
  )
})

test('emoji stand after private and full-width characters, as their bytes do', () => {
  expect(sortByCodePoint(['\u{1f600}', '\uff21', 'a'])).toEqual(['a', '\uff21', '\u{1f600}'])
})

test('the order of code points is the order of UTF-8 bytes', () => {
  fc.assert(
    fc.property(wellFormed, wellFormed, (a, b) => {
      expect(Math.sign(compareByCodePoint(a, b))).toBe(Buffer.compare(toUtf8(a), toUtf8(b)))
    }),
  )
})
