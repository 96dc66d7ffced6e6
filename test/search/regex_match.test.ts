import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { RE2JS } from 're2js'
import { MAX_TEXT, matchFile } from '../../src/search/regex_match.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const match = (pattern: string, text: string | Uint8Array, contextLength = 5, maxMatches = 20) =>
  matchFile(RE2JS.compile(pattern), typeof text === 'string' ? bytes(text) : text, {
    contextLength,
    maxMatches,
  })

test.each<
  [pattern: string, text: string, right: [line: number, text: string, start: number, context: string][]]
>([
  [
    'b[aeiou]t',
    '---\nid: 1\n---\nText bat\nbit',
    [
      [4, 'bat', 19, 'Text bat\nbit'],
      [5, 'bit', 23, ' bat\nbit'],
    ],
  ],
  ['id: \\d', '---\nid: 1\n---\n', [[2, 'id: 1', 4, '---\nid: 1\n---\n']]],
  ['^line', 'x\nline', []],
  ['(?m)^line two$', 'one\nline two\nthree', [[2, 'line two', 4, 'one\nline two\nthre']]],
  // CRLF: the line ends before its CR.
  ['(?m)^two$', 'one\r\ntwo\r\nx', [[2, 'two', 5, 'one\r\ntwo\r\nx']]],
  ['(?m)e$\\no', 'one\r\none', [[1, 'e\r\no', 2, 'one\r\none']]],
  ['(?m)\\r$', 'one\r\ntwo', [[1, '\r', 3, 'one\r\ntwo']]],
  [
    '(?m)^$',
    'a\n\nb\n\n',
    [
      [2, '', 2, 'a\n\nb\n\n'],
      [4, '', 5, 'a\n\nb\n\n'.slice(0, 6)],
      [5, '', 6, '\n\nb\n\n'.slice(0, 5)],
    ],
  ],
  // A byte-order mark is counted and is no part of the first line.
  ['^a', '\u{feff}ab', [[1, 'a', 1, '\u{feff}ab']]],
  // Emoji are two units and never cut.
  ['x', '😀😀😀x😀😀😀', [[1, 'x', 6, '😀😀x😀😀']]],
  ['\\x{1F600}', 'a😀b', [[1, '😀', 1, 'a😀b']]],
  ['é+', 'caféé', [[1, 'éé', 3, 'caféé']]],
])('%j in %j', (pattern, text, right) => {
  const found = match(pattern, text)?.matches ?? []
  expect(found.map((m) => [m.line, m.text, m.start, m.context])).toEqual(right)
})

test('byte offsets count the bytes of the file', () => {
  const [found] = match('b', '\u{feff}é😀b')?.matches ?? []
  expect(found).toMatchObject({ start: 4, end: 5, startByte: 9, endByte: 10 })
})

test('bytes that are no UTF-8 have no byte offsets, and the rest of the file is searched', () => {
  const [found] = match('needle', new Uint8Array([0xff, 0xfe, 10, ...bytes('needle')]))?.matches ?? []
  expect(found).toMatchObject({ line: 2, text: 'needle', startByte: null })
})

test('at most so many matches, and it says when there are more', () => {
  expect(match('a', 'aaaa', 1, 3)).toMatchObject({ more: true, matches: { length: 3 } })
  expect(match('a', 'aaa', 1, 3)).toMatchObject({ more: false, matches: { length: 3 } })
})

test('a match of a whole book is cut', () => {
  const [found] = match('(?s).*', 'x'.repeat(100_000))?.matches ?? []
  expect(found?.text.length).toBe(MAX_TEXT)
  expect(found?.end).toBe(100_000)
  expect(found?.context.length).toBe(MAX_TEXT)
})

describe('offsets', () => {
  const note = fc
    .array(fc.constantFrom('a', 'b', 'é', '😀', '\n', '\r\n', '\r', '\u{feff}'), { maxLength: 30 })
    .map((parts) => parts.join(''))
  const pattern = fc.constantFrom(
    'a+',
    '(?m)^',
    '(?m)$',
    '(?m)b$',
    'é|😀',
    '\\s+',
    '.',
    '(?m)^.*$',
    'a*',
    '(?s)a.b',
  )

  test('name the matched text, its line and its bytes, whatever the line ends', () => {
    fc.assert(
      fc.property(note, pattern, (text, regex) => {
        const raw = bytes(text)
        for (const m of match(regex, text, 3, 100)?.matches ?? []) {
          expect(text.slice(m.start, m.end)).toBe(m.text)
          expect(m.line).toBe(text.slice(0, m.start).split('\n').length)
          expect(
            new TextDecoder('utf-8', { ignoreBOM: true }).decode(raw.slice(m.startByte ?? 0, m.endByte ?? 0)),
          ).toBe(m.text)
          expect(m.context).toContain(m.text)
          expect(text).toContain(m.context)
        }
      }),
      { numRuns: 2000 },
    )
  })
})
