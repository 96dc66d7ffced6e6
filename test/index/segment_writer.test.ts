import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { analyse } from '../../src/index/analyse.ts'
import { FIELD_BITS, FIELD_COUNT, FIELD_OF_KEY, FIELDS } from '../../src/index/fields.ts'
import { decodePositions } from '../../src/index/positions.ts'
import { decodeSegment, findPath, pathOf, type Segment } from '../../src/index/segment.ts'
import { buildSegment } from '../../src/index/segment_writer.ts'
import { stringAt, stringCount } from '../../src/index/string_table.ts'
import type { IndexDocument } from '../../src/note/note.ts'
import { doc } from './doc.ts'

/** `term path field` → positions, as the segment has it. */
function contents(segment: Segment): Map<string, number[]> {
  const out = new Map<string, number[]>()
  for (let term = 0; term < stringCount(segment.terms); term++)
    for (let i = segment.termPostings[term]!; i < segment.termPostings[term + 1]!; i++) {
      const key = segment.keys[i]!
      const positions: number[] = []
      decodePositions(
        segment.positions,
        segment.positionOffsets[i]!,
        segment.positionOffsets[i + 1]!,
        positions,
      )
      expect(segment.frequencies[i]).toBe(positions.length)
      const path = pathOf(segment, key >>> FIELD_BITS)
      out.set(`${stringAt(segment.terms, term)} ${path} ${FIELDS[key & FIELD_OF_KEY]}`, positions)
    }
  return out
}

/** The same straight from the notes. */
function expected(docs: readonly IndexDocument[]): Map<string, number[]> {
  const out = new Map<string, number[]>()
  for (const one of new Map(docs.map((d) => [d.path, d])).values())
    analyse(one, (field, term, position) => {
      const key = `${term.toWellFormed()} ${one.path} ${FIELDS[field]}`
      out.set(key, [...(out.get(key) ?? []), position])
    })
  return out
}

const words = fc
  .array(fc.constantFrom('fox', 'Foxes', 'café', 'kebab-case', '検索', 'данные', '😀', 'a', '\ud800', 'v1.2'))
  .map((list) => list.join(' '))
const docs = fc.array(
  fc
    .record({
      name: fc.constantFrom('a', 'b', 'ä', 'c/d', '😀'),
      body: words,
      aliases: fc.array(words, { maxLength: 3 }),
    })
    .map(({ name, body, aliases }) => doc(`${name}.md`, body, { aliases })),
  { maxLength: 8 },
)

test('a segment holds every word of every note at its places, however it was put together', () => {
  fc.assert(
    fc.property(docs, fc.constantFrom(1, 20, 1000), (notes, tokensAtOnce) => {
      const segment = decodeSegment(buildSegment(notes, { tokensAtOnce }))
      expect([...contents(segment)].sort()).toEqual([...expected(notes)].sort())
      const paths = [...new Set(notes.map(({ path }) => path))]
      expect(segment.docCount).toBe(paths.length)
      for (const path of paths) expect(pathOf(segment, findPath(segment, path))).toBe(path)
      expect(findPath(segment, 'absent.md')).toBe(-1)
    }),
  )
})

test('a field is as long as it has places for words', () => {
  const note = doc('Two words.md', 'kebab-case 検索', { aliases: ['one', 'and two more'] })
  const segment = decodeSegment(buildSegment([note]))
  const lengths = FIELDS.map((name, field) => [name, segment.fieldLengths[field]])
  expect(Object.fromEntries(lengths)).toEqual({
    title: 2,
    aliases: 4,
    headings: 0,
    tags: 0,
    frontmatter: 0,
    body: 4,
  })
  expect(segment.fieldLengths.length).toBe(FIELD_COUNT)
})

test('no notes make an empty segment', () => {
  expect(decodeSegment(buildSegment([])).docCount).toBe(0)
})
