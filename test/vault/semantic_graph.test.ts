import { afterEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GraphKeeper } from '../../src/vault/semantic_graph.ts'
import { hnswLibrary } from '../../src/vector/hnsw_graph.ts'
import { VectorStore } from '../../src/vector/store.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function place(): string {
  const folder = mkdtempSync(join(tmpdir(), 'knap-keeper-'))
  folders.push(folder)
  return join(folder, 'vectors.hnsw')
}

const NOTES = 60
const angle = (i: number) => (2 * Math.PI * (i < NOTES ? i : i + 0.5)) / NOTES
/** Further ones lie between those of before. */
const at = (i: number) => new Float32Array([Math.cos(angle(i)), Math.sin(angle(i))])

/** Notes all around, of one vector each. */
function store(identity = 'model'): VectorStore {
  const all = new VectorStore(identity, 2)
  for (let i = 0; i < NOTES; i++) put(all, i)
  return all
}

function put(all: VectorStore, i: number, name = `${i}.md`): void {
  const chunk = {
    id: `${i}`,
    scope: 'note' as const,
    range: { start: 0, end: 1 },
    headingPath: [],
    section: null,
  }
  all.set({ path: name, revision: 'r', chunks: [chunk], vectors: at(i) })
}

const nearest = (all: VectorStore, i: number) => all.search(at(i), { most: 1, perNote: 1 })[0]?.path

/** A store with its graph, when every note has its place in it and what is worth it is written. */
async function withGraph(file: string, all: VectorStore): Promise<GraphKeeper> {
  const keeper = new GraphKeeper({ file, from: 10 })
  await keeper.follow(all)
  await keeper.settled()
  return keeper
}

test('a store of no more vectors than set gets no graph', async () => {
  const all = store()
  const keeper = new GraphKeeper({ file: place(), from: NOTES })
  await keeper.follow(all)
  expect(all.comparison).toBe('exact')
})

if ((await hnswLibrary()) === null) {
  console.warn('The keeping of graphs is not tested: hnswlib-node is not built on this machine.')
  test('without the library a large store is compared one by one, and answers', async () => {
    const all = store()
    await withGraph(place(), all)
    expect([all.comparison, nearest(all, 3)]).toEqual(['exact', '3.md'])
  })
} else {
  describe('a large store', () => {
    test('gets a graph, which is written once it is whole and read by the next start', async () => {
      const file = place()
      const all = store()
      await withGraph(file, all)
      expect([all.comparison, nearest(all, 3)]).toEqual(['hnsw', '3.md'])
      expect(existsSync(`${file}.table`)).toBe(true)
      if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
      const written = readFileSync(file)
      const next = store()
      next.remove('3.md')
      put(next, 3, 'moved.md')
      await withGraph(file, next)
      expect([next.comparison, nearest(next, 3)]).toEqual(['hnsw', 'moved.md'])
      expect(readFileSync(file).equals(written)).toBe(true)
    })

    test.each([
      {
        what: 'a damaged graph',
        harm: (file: string) => {
          const bytes = readFileSync(file)
          bytes[bytes.length - 5]! ^= 1
          writeFileSync(file, bytes)
        },
      },
      {
        what: 'a graph cut off',
        harm: (file: string) => writeFileSync(file, readFileSync(file).subarray(0, 400)),
      },
      { what: 'a missing graph', harm: (file: string) => rmSync(file) },
      { what: 'a damaged table', harm: (file: string) => writeFileSync(`${file}.table`, 'nonsense') },
      { what: 'the graph of another model', harm: () => {}, identity: 'another model' },
    ])('$what is built anew', async ({ harm, identity }) => {
      const file = place()
      await withGraph(file, store())
      harm(file)
      const all = store(identity)
      await withGraph(file, all)
      expect([all.comparison, nearest(all, 3)]).toEqual(['hnsw', '3.md'])
      const again = store(identity)
      await withGraph(file, again)
      expect(nearest(again, 3)).toBe('3.md')
    })

    test('closed while it is built, it goes on from there after the next start', async () => {
      const file = place()
      const first = new GraphKeeper({ file, from: 10 })
      const large = store()
      for (let i = NOTES; i < 3000; i++) put(large, i)
      await first.follow(large)
      while (large.comparison === 'exact') await Bun.sleep(1)
      await first.close()
      expect(nearest(large, 3)).toBe('3.md')
      const table = readFileSync(`${file}.table`, 'utf8')
      expect(table).toContain('"0"')
      expect(table).not.toContain('"2999"')
      const next = store()
      for (let i = NOTES; i < 3000; i++) put(next, i)
      await withGraph(file, next)
      expect([next.comparison, nearest(next, 3)]).toEqual(['hnsw', '3.md'])
      expect(readFileSync(`${file}.table`, 'utf8')).toContain('"2999"')
    })

    test('a folder that cannot be written costs the next start its graph, and nothing else', async () => {
      const file = place()
      writeFileSync(join(file, '..', 'file'), '')
      const all = store()
      await withGraph(join(file, '..', 'file', 'vectors.hnsw'), all)
      expect([all.comparison, nearest(all, 3)]).toEqual(['hnsw', '3.md'])
    })
  })
}
