import { expect, test } from 'bun:test'
import { decodeStore, encodeStore, VectorStore } from '../../src/vector/store.ts'

const chunk = (id: string) => ({
  id,
  scope: 'passage' as const,
  range: { start: 0, end: 1 },
  headingPath: [],
  section: null,
})

function filled() {
  const store = new VectorStore('test', 2)
  store.set({
    path: 'a.md',
    revision: 'r1',
    chunks: [chunk('1'), chunk('2')],
    vectors: new Float32Array([1, 0, 0.6, 0.8]),
  })
  store.set({ path: 'b.md', revision: 'r2', chunks: [chunk('3')], vectors: new Float32Array([0, 1]) })
  store.set({ path: 'none.md', revision: 'r3', chunks: [], vectors: new Float32Array(0) })
  return store
}

test('the nearest notes come first, each with its best chunks', () => {
  const hits = filled().search(new Float32Array([0, 1]), { most: 10, perNote: 1 })
  expect(hits.map((h) => [h.path, h.chunk.id])).toEqual([
    ['b.md', '3'],
    ['a.md', '2'],
  ])
  expect(hits[0]!.cosine).toBeCloseTo(1)
})

test.each([
  { options: { most: 1, perNote: 1 }, right: ['3'] },
  { options: { most: 5, perNote: 2 }, right: ['3', '2', '1'] },
  { options: { most: 5, perNote: 2, filter: (p: string) => p === 'a.md' }, right: ['2', '1'] },
  { options: { most: 5, perNote: 2, filter: () => false }, right: [] },
])('$options', ({ options, right }) => {
  expect(
    filled()
      .search(new Float32Array([0, 1]), options)
      .map((h) => h.chunk.id),
  ).toEqual([...right])
})

test('written and read it is the same', () => {
  const store = filled()
  const again = decodeStore(...encodeStore(store))!
  expect([again.identity, again.dimensions, again.noteCount, again.chunkCount]).toEqual(['test', 2, 3, 3])
  expect([...again.notes()]).toEqual([...store.notes()])
  expect([...again.vectorOf('2')!]).toEqual([...store.vectorOf('2')!])
})

test('a table without all of its vectors is refused', () => {
  const [table, vectors] = encodeStore(filled())
  expect(decodeStore(table, vectors.subarray(0, 8))).toBeNull()
})

test('a removed note is not found, and its unchanged text need not be embedded again', () => {
  const store = filled()
  store.remove('a.md')
  expect(store.search(new Float32Array([1, 0]), { most: 5, perNote: 1 }).map((h) => h.path)).toEqual(['b.md'])
  expect(store.vectorOf('1')).toBeDefined()
})
