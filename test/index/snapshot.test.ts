import { expect, test } from 'bun:test'
import { encodeSections } from '../../src/index/sections.ts'
import { SnapshotError } from '../../src/index/snapshot_error.ts'
import { TextIndex } from '../../src/index/text_index.ts'
import { searchText } from '../../src/search/search.ts'
import { doc } from './doc.ts'

function sample(): TextIndex {
  const index = new TextIndex()
  index.put(doc('a.md', '# Fox\n\nThe red fox runs.'))
  index.put(doc('b.md', 'Ein Café in 東京.'))
  index.put(doc('c.md', 'gone'))
  index.put(doc('b.md', 'Ein Café in 京都.'))
  index.remove('c.md')
  return index
}

function reasonFor(bytes: Uint8Array): string {
  try {
    TextIndex.decode(bytes)
    return 'none'
  } catch (error) {
    if (error instanceof SnapshotError) return error.reason
    throw error
  }
}

test('a snapshot answers as the index did', () => {
  const index = sample()
  const back = TextIndex.decode(index.encode())
  expect([...back.paths()].sort()).toEqual(['a.md', 'b.md'])
  for (const query of ['fox', 'cafe', '京都', '東京', 'gone', 'ein the', '"red fox"']) {
    const plain = ({ hits }: ReturnType<typeof searchText>) =>
      hits.map(({ path, score }) => ({ path, score }))
    expect(plain(searchText(back, query))).toEqual(plain(searchText(index, query)))
  }
})

test('a snapshot that is read can be written again, byte for byte', () => {
  const bytes = sample().encode()
  expect(TextIndex.decode(bytes).encode()).toEqual(bytes)
})

test('bytes that lie anywhere in memory are read', () => {
  const bytes = sample().encode()
  const moved = new Uint8Array(bytes.length + 3)
  moved.set(bytes, 3)
  expect(TextIndex.decode(moved.subarray(3)).size).toBe(2)
})

test('the pieces put together are the whole', () => {
  const index = sample()
  expect(Buffer.concat(index.encodeParts())).toEqual(Buffer.from(index.encode()))
})

test('a snapshot of an empty index is one', () => {
  expect(TextIndex.decode(new TextIndex().encode()).size).toBe(0)
})

test('every single flipped bit is noticed', () => {
  const bytes = sample().encode()
  for (let i = 0; i < bytes.length; i++) {
    const kept = bytes[i]!
    bytes[i] = kept ^ (1 << (i % 8))
    const reason = reasonFor(bytes)
    if (reason === 'none') throw new Error(`byte ${i} of ${bytes.length} was changed and nobody noticed`)
    bytes[i] = kept
  }
  expect(reasonFor(bytes)).toBe('none')
})

test('every truncation is noticed', () => {
  const bytes = sample().encode()
  for (let length = 0; length < bytes.length; length++)
    expect(reasonFor(bytes.slice(0, length))).not.toBe('none')
})

const foreign = [
  {
    what: 'text',
    bytes: () => new TextEncoder().encode('# A note\n\nwhich is no index at all, but text.\n'),
    right: 'foreign',
  },
  { what: 'nothing', bytes: () => new Uint8Array(0), right: 'truncated' },
  {
    what: 'a longer file',
    bytes: () => Buffer.concat([sample().encode(), new Uint8Array(8)]),
    right: 'foreign',
  },
  {
    what: 'an index of older rules',
    bytes: () => encodeSections({ magic: 'KNAPTEXT', version: 1 }, [Uint32Array.of(0)]),
    right: 'semantics',
  },
  { what: 'another format', bytes: () => sample().encode().with(12, 77), right: 'version' },
]
test.each(foreign)('$what is refused as $right', ({ bytes, right }) => {
  expect(reasonFor(bytes())).toBe(right as never)
})
