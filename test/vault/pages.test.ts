import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { pageOf } from '../../src/vault/pages.ts'

const bytes = new TextEncoder().encode('aä€🐘z')

test.each([
  { asked: [0, 11], max: 100, page: [0, 11], next: null },
  { asked: [0, 11], max: 2, page: [0, 1], next: [1, 11] },
  { asked: [2, 11], max: 100, page: [1, 11], next: null },
  { asked: [6, 11], max: 2, page: [6, 10], next: [10, 11] },
  { asked: [3, 99], max: 100, page: [3, 11], next: null },
])('$asked with $max bytes is $page, then $next', ({ asked, max, page, next }) => {
  const range = ([start_byte, end_byte]: readonly number[]) => ({
    start_byte: start_byte!,
    end_byte: end_byte!,
  })
  expect(pageOf(bytes, range(asked), max)).toEqual({ range: range(page), next: next && range(next) })
})

test('pages of any text add up to it, whatever their size', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 9 }), (text, max) => {
      const all = new TextEncoder().encode(text)
      const parts: string[] = []
      let next: { start_byte: number; end_byte: number } | null = { start_byte: 0, end_byte: all.length }
      while (next) {
        const page = pageOf(all, next, max)
        parts.push(
          new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
            all.subarray(page.range.start_byte, page.range.end_byte),
          ),
        )
        next = page.next
      }
      expect(parts.join('')).toBe(text)
    }),
  )
})
