import { expect, test } from 'bun:test'
import { memoryStorage } from '../../src/storage/memory.ts'
import { Graph } from '../../src/vault/graph.ts'
import { planAround, readHiddenNotes } from '../../src/vault/hidden_notes.ts'
import { ingestNote } from '../../src/vault/ingest_note.ts'
import { planMove } from '../../src/vault/moves.ts'
import { NameIndex } from '../../src/vault/names.ts'
import { createRules, type RuleSources } from '../../src/vault/rules.ts'

const FILES = {
  'a.md': '',
  'b.md': '[[a]]',
  'Private/c.md': '[[a]]',
  'Private/d.md': '[[other]]',
  'Private/.git/e.md': '[[a]]',
  'Private/pic.png': '[[a]]',
}

test.each<{ sources: RuleSources; right: string[] }>([
  { sources: {}, right: [] },
  { sources: { write: ['b.md'] }, right: [] },
  { sources: { exclude: ['Private/'] }, right: ['Private/c.md', 'Private/d.md'] },
  { sources: { knapignore: 'c.md' }, right: ['Private/c.md'] },
  { sources: { deny: ['Private/'] }, right: ['Private/c.md', 'Private/d.md'] },
  { sources: { allow: ['a.md'] }, right: ['Private/c.md', 'Private/d.md', 'b.md'] },
])('with $sources the hidden notes are $right', async ({ sources, right }) => {
  const storage = memoryStorage(FILES)
  const hidden = await readHiddenNotes({ storage, rules: createRules(sources) })
  expect([...hidden.keys()].sort()).toEqual(right)
})

test('a plan does not hold hidden notes, and says how many it would have rewritten', async () => {
  const names = new NameIndex()
  const graph = new Graph(names)
  for (const path of ['a.md', 'b.md'] as const) {
    names.addFile(path)
    graph.set(path, ingestNote(path, new TextEncoder().encode(FILES[path]), 0).ingested.facts)
  }
  const storage = memoryStorage(FILES)
  const hidden = await readHiddenNotes({ storage, rules: createRules({ deny: ['Private/'] }) })
  const { plan, skipped } = planAround(graph, hidden, () =>
    planMove(graph, { from: 'a.md', to: 'z.md', format: 'shortest' }),
  )
  expect([plan.rewrites.map((r) => r.path), skipped, [...graph.sources()]]).toEqual([
    ['b.md'],
    1,
    ['a.md', 'b.md'],
  ])
})
