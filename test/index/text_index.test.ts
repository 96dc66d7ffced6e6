import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { buildSegment } from '../../src/index/segment_writer.ts'
import { TextIndex } from '../../src/index/text_index.ts'
import { doc } from './doc.ts'

test('notes are there once they are put in, until they are taken out', () => {
  const index = new TextIndex()
  index.put(doc('a.md', 'one'))
  index.put(doc('b/ä.md', 'two'))
  index.put(doc('a.md', 'three'))
  expect([...index.paths()].sort()).toEqual(['a.md', 'b/ä.md'])
  expect(index.size).toBe(2)
  expect(index.remove('a.md')).toBe(true)
  expect(index.remove('a.md')).toBe(false)
  expect([index.has('a.md'), index.has('b/ä.md'), index.size]).toEqual([false, true, 1])
})

test('a segment that is added replaces notes of the same path', () => {
  const index = new TextIndex()
  index.put(doc('a.md', 'old'))
  index.put(doc('b.md', 'kept'))
  index.addSegment(buildSegment([doc('a.md', 'new'), doc('c.md', 'more')]))
  expect([...index.paths()].sort()).toEqual(['a.md', 'b.md', 'c.md'])
})

test('the number of segments stays small, and tidying leaves few', () => {
  const index = new TextIndex()
  for (let i = 0; i < 2000; i++) index.put(doc(`n${i % 1500}.md`, `word${i} common text of note ${i}`))
  expect(index.size).toBe(1500)
  expect(index.view().segments.length).toBeLessThan(40)
  let rounds = 0
  while (index.maintain() && rounds < 1000) rounds++
  expect(rounds).toBeLessThan(1000)
  expect(index.view().segments.length).toBeLessThan(8)
  expect(index.size).toBe(1500)
})

test('what is gone leaves no trace in the figures', () => {
  const steps = fc.array(
    fc.record({
      path: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      words: fc.nat(6),
      put: fc.boolean(),
      tidy: fc.nat(300),
    }),
    { maxLength: 60 },
  )
  fc.assert(
    fc.property(steps, (list) => {
      const index = new TextIndex()
      const truth = new Map<string, ReturnType<typeof doc>>()
      for (const { path, words, put, tidy } of list) {
        const note = doc(`${path}.md`, 'w '.repeat(words))
        if (put) {
          index.put(note)
          truth.set(note.path, note)
        } else expect(index.remove(note.path)).toBe(truth.delete(note.path))
        index.maintain(tidy)
      }
      const fresh = new TextIndex()
      fresh.addSegment(buildSegment(truth.values()))
      expect([...index.paths()].sort()).toEqual([...truth.keys()].sort())
      expect(index.view().docCount).toBe(truth.size)
      expect(index.view().meanLengths).toEqual(fresh.view().meanLengths)
    }),
    { numRuns: 60 },
  )
})
