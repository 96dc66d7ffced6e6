import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { ExactIndex } from '../../src/vector/exact.ts'
import { HnswIndex } from '../../src/vector/hnsw.ts'
import { HnswGraph, hnswLibrary } from '../../src/vector/hnsw_graph.ts'
import { dot, type StoredNote, type VectorIndex } from '../../src/vector/vector_index.ts'

const DIMENSIONS = 8
const library = await hnswLibrary()
if (library === null)
  console.warn('The graph of vectors is not tested: hnswlib-node is not built on this machine.')

interface Made {
  readonly index: VectorIndex
  readonly settled: () => Promise<void>
}

const makers: { kind: string; make: () => Made }[] = [
  { kind: 'exact', make: () => ({ index: new ExactIndex(), settled: async () => {} }) },
]
if (library !== null) makers.push({ kind: 'hnsw', make: () => hnsw() })

/** An index that walks its graph however small it is. */
function hnsw(read?: HnswGraph) {
  const always = { compared: 0, mostWalked: Number.POSITIVE_INFINITY }
  const index = new HnswIndex((room) => HnswGraph.empty(library!, DIMENSIONS, room), { read, ...always })
  return { index, settled: () => index.settled() }
}

/** A note whose chunks point where these angles say, in as many dimensions as angles go round. */
function note(path: string, ...angles: number[]): StoredNote {
  const vectors = new Float32Array(angles.length * DIMENSIONS)
  for (const [i, angle] of angles.entries()) {
    vectors[i * DIMENSIONS] = Math.cos(angle)
    vectors[i * DIMENSIONS + 1] = Math.sin(angle)
  }
  const chunks = angles.map((angle) => ({
    id: `at ${angle}`,
    scope: 'passage' as const,
    range: { start: 0, end: 1 },
    headingPath: [],
    section: null,
  }))
  return { path, revision: 'r', chunks, vectors }
}

const towards = (angle: number) => note('', angle).vectors

/** Notes all around, of one chunk each, told apart by their names. */
const around = (count: number) =>
  Array.from({ length: count }, (_, i) => note(`${String(i).padStart(4, '0')}.md`, (2 * Math.PI * i) / count))

describe.each(makers)('$kind', ({ make }) => {
  test.each([
    { what: 'nothing is there', notes: [], most: 10, right: [] },
    { what: 'one is near', notes: [note('a', 0), note('b', 2)], most: 1, right: ['a'] },
    {
      what: 'more are asked for than there are',
      notes: [note('a', 0), note('b', 2)],
      most: 10,
      right: ['a', 'b'],
    },
    {
      what: 'the nearest of several chunks counts',
      notes: [note('a', 0.3), note('b', 3, 0.1)],
      most: 1,
      right: ['b'],
    },
    { what: 'equal texts of two notes', notes: [note('b', 0), note('a', 0)], most: 2, right: ['a', 'b'] },
    { what: 'a note without chunks', notes: [note('a'), note('b', 1)], most: 2, right: ['b'] },
    {
      what: 'a filter leaves a far one',
      notes: [note('a', 0), note('b', 0.1), note('c', 3)],
      most: 1,
      filter: (path: string) => path === 'c',
      right: ['c'],
    },
    { what: 'a filter leaves none', notes: [note('a', 0)], most: 1, filter: () => false, right: [] },
  ])('$what: $right', async ({ notes, right, ...options }) => {
    const { index, settled } = make()
    for (const each of notes) index.add(each)
    const paths = () => index.nearest(towards(0), options).map((near) => near.note.path)
    expect(paths()).toEqual([...right])
    await settled()
    expect(paths()).toEqual([...right])
  })

  test('what was dropped is not found, what was added again is', async () => {
    const { index, settled } = make()
    const notes = around(200)
    for (const each of notes) index.add(each)
    await settled()
    for (const each of notes.slice(0, 50)) index.drop(each)
    expect(index.nearest(towards(0), { most: 1 })[0]?.note.path).toBe('0199.md')
    for (const each of notes.slice(0, 10)) index.add(each)
    expect(index.nearest(towards(0), { most: 1 })[0]?.note.path).toBe('0000.md')
    await settled()
    expect(index.nearest(towards(0), { most: 1 })[0]?.note.path).toBe('0000.md')
  })

  test('one owner of a text goes, the other is still found', async () => {
    const { index, settled } = make()
    const [first, second] = [note('a', 0), note('b', 0)]
    for (const each of [first, second, ...around(20).slice(1)]) index.add(each)
    await settled()
    index.drop(first)
    expect(index.nearest(towards(0), { most: 1 })[0]?.note).toBe(second)
  })

  test('whatever is added and dropped, the answer is that of comparing all', async () => {
    const step = fc.record({ add: fc.boolean(), at: fc.nat(29), now: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40 }),
        fc.integer({ min: 1, max: 8 }),
        async (steps, most) => {
          const { index, settled } = make()
          const notes = around(30)
          const held = new Set<StoredNote>()
          for (const { add, at, now } of steps) {
            const each = notes[at] as StoredNote
            if (add && !held.has(each)) index.add(each)
            if (!add && held.has(each)) index.drop(each)
            if (add) held.add(each)
            else held.delete(each)
            if (now) await settled()
          }
          const query = towards(0.05)
          const right = [...held]
            .map(({ path, vectors }) => ({ path, best: dot(vectors, 0, query) }))
            .sort((a, b) => b.best - a.best)
            .slice(0, most)
            .map(({ path }) => path)
          expect(index.nearest(query, { most }).map((near) => near.note.path)).toEqual(right)
          await settled()
          expect(index.nearest(query, { most }).map((near) => near.note.path)).toEqual(right)
        },
      ),
      { numRuns: 30 },
    )
  })
})

if (library !== null) describe('the graph', graphTests)

function graphTests(): void {
  test('is walked when it holds the notes, and all are compared before', async () => {
    const { index, settled } = hnsw()
    for (const each of around(50)) index.add(each)
    expect(index.kind).toBe('exact')
    await settled()
    expect(index.kind).toBe('hnsw')
  })

  test('finds nine in ten of the nearest ten at least, filtered or not', async () => {
    const notes = scattered(3000)
    const { index, settled } = hnsw()
    const exact = new ExactIndex()
    for (const each of notes) {
      index.add(each)
      exact.add(each)
    }
    await settled()
    const even = (path: string) => Number(path) % 2 === 0
    for (const filter of [undefined, even]) {
      let found = 0
      for (const { vectors } of notes.slice(0, 20)) {
        const right = new Set(exact.nearest(vectors, { most: 10, filter }).map((near) => near.note))
        found += index.nearest(vectors, { most: 10, filter }).filter((near) => right.has(near.note)).length
      }
      expect(found).toBeGreaterThan(180)
    }
  })

  test('a third of it dead, it is built anew and finds the rest', async () => {
    const { index, settled } = hnsw()
    const notes = around(300)
    for (const each of notes) index.add(each)
    await settled()
    for (const each of notes.slice(0, 150)) index.drop(each)
    expect(index.kind).toBe('exact')
    await settled()
    expect(index.kind).toBe('hnsw')
    expect(index.nearest(towards(0), { most: 1 })[0]?.note.path).toBe('0299.md')
  })

  test('fails, for want of memory say: then all are compared', async () => {
    const graph = HnswGraph.empty(library!, DIMENSIONS, 1)
    graph.put = () => {
      throw new Error('no memory')
    }
    const index = new HnswIndex(() => graph)
    for (const each of around(20)) index.add(each)
    await index.settled()
    expect([index.kind, index.busy]).toEqual(['exact', false])
    expect(index.nearest(towards(0), { most: 1 })[0]?.note.path).toBe('0000.md')
  })

  test('written and read it answers the same, also for notes that came or went meanwhile', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'knap-graph-'))
    try {
      const file = join(folder, 'graph')
      const { index } = hnsw()
      const notes = around(200)
      for (const each of notes) index.add(each)
      const writing = index.write(file)
      await index.settled()
      const late = note('late.md', 0.001)
      index.add(late)
      index.drop(notes[0] as StoredNote)
      const paths = (of: VectorIndex) => of.nearest(towards(0), { most: 3 }).map((near) => near.note.path)
      expect(paths(index)).toEqual(['late.md', '0001.md', '0199.md'])
      const table = await writing
      expect(table.ids).toHaveLength(200)
      expect(index.changes).toBeGreaterThan(0)
      const read = await HnswGraph.read(library!, DIMENSIONS, { file, table })
      const again = hnsw(read)
      for (const each of [...notes.slice(1), late]) again.index.add(each)
      expect(paths(again.index)).toEqual(['late.md', '0001.md', '0199.md'])
      await again.settled()
      expect(again.index.kind).toBe('hnsw')
      expect(paths(again.index)).toEqual(['late.md', '0001.md', '0199.md'])
      const other = { file, table: { ids: table.ids.slice(1), dead: [] } }
      await expect(HnswGraph.read(library!, DIMENSIONS, other)).rejects.toThrow('belong together')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
}

/** Notes in all directions, the same ones every time. */
function scattered(count: number): StoredNote[] {
  let seed = 7
  const random = () => {
    seed = (seed * 1103515245 + 12345) % 2147483648
    return seed / 2147483648 - 0.5
  }
  return Array.from({ length: count }, (_, i) => {
    const raw = Array.from({ length: DIMENSIONS }, random)
    const length = Math.hypot(...raw)
    const chunk = { ...note('', 0).chunks[0]!, id: String(i) }
    return {
      path: String(i),
      revision: 'r',
      chunks: [chunk],
      vectors: Float32Array.from(raw, (x) => x / length),
    }
  })
}
