import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { Graph } from '../../src/vault/graph.ts'
import { backlinks, broken, countLinks, neighbours, orphans, outgoing } from '../../src/vault/link_queries.ts'
import { NameIndex } from '../../src/vault/names.ts'
import { factsIn } from './facts.ts'

function vault(files: Record<string, string>): Graph {
  const names = new NameIndex()
  const graph = new Graph(names)
  for (const [path, text] of Object.entries(files)) put(graph, path, text)
  return graph
}

function put(graph: Graph, path: string, text: string): void {
  graph.names.addFile(path)
  if (path.endsWith('.md')) graph.set(path, factsIn(path, text))
}

function drop(graph: Graph, path: string): void {
  graph.names.remove(path)
  graph.delete(path)
}

const FILES = {
  'a.md': '# A\n\nTo [[b]] and [[c]].\n\n## heading\n\nwords ^blk',
  'b.md': '# B\n\nBack to [[a]] and again [[A|x]].',
  'c.md': '# C\n\n[[a#heading|alias]]',
  'd.md': '# D\n\n[[nonexistent]] and [[a#^blk]].',
  'e.md': '![[a]]',
  'lost.md': '# L\n\n[[still missing]] [[and this]]',
  'alone.md': '# Alone\n\nNothing, but [[#Alone]].',
}

describe('backlinks', () => {
  const cases = [
    {
      path: 'a.md',
      right: {
        'b.md': ['[[a]]', '[[A|x]]'],
        'c.md': ['[[a#heading|alias]]'],
        'd.md': ['[[a#^blk]]'],
        'e.md': ['![[a]]'],
      },
    },
    { path: 'b.md', right: { 'a.md': ['[[b]]'] } },
    { path: 'alone.md', right: {} },
    { path: 'lost.md', right: {} },
  ]
  test.each(cases)('$path is linked from $right', ({ path, right }) => {
    const found = backlinks(vault(FILES), path)
    expect(
      Object.fromEntries(found.map((row) => [row.source_path, row.links.map((link) => link.raw)])),
    ).toEqual(right)
  })

  test('a longer name that begins alike is no backlink', () => {
    expect(backlinks(vault({ 'note.md': '', 'notebook.md': '', 's.md': '[[notebook]]' }), 'note.md')).toEqual(
      [],
    )
  })

  test('a name that another file takes by a shorter path is no backlink', () => {
    const graph = vault({ 'x/N.md': '', 'y/z/N.md': '', 's.md': '[[N]]', 'y/z/t.md': '[[N]]' })
    expect(backlinks(graph, 'x/N.md').map((row) => row.source_path)).toEqual(['s.md'])
    expect(backlinks(graph, 'y/z/N.md').map((row) => row.source_path)).toEqual(['y/z/t.md'])
  })
})

describe('outgoing', () => {
  test('links in order, with target, file, heading, block and alias', () => {
    const graph = vault({ ...FILES, 'o.md': '[[d]] [[missing]] [[a#heading|alias]] [[a#^blk]]\n![[c]]' })
    expect(
      outgoing(graph, 'o.md').map((row) => [
        row.target,
        row.resolved_path,
        row.heading,
        row.block_ref,
        row.alias,
        row.line,
      ]),
    ).toEqual([
      ['d', 'd.md', null, null, null, 1],
      ['missing', null, null, null, null, 1],
      ['a', 'a.md', 'heading', null, 'alias', 1],
      ['a', 'a.md', null, 'blk', null, 1],
      ['c', 'c.md', null, null, null, 2],
    ])
  })

  test('an ambiguous name is resolved and flagged', () => {
    const graph = vault({ 'a.md': '[[N]] [md](x/N.md)', 'x/N.md': '', 'y/z/N.md': '' })
    expect(outgoing(graph, 'a.md').map((row) => [row.resolved_path, row.ambiguous, row.candidates])).toEqual([
      ['x/N.md', true, ['y/z/N.md']],
      ['x/N.md', false, undefined],
    ])
  })

  test('an alias is no target, and the notes that have it are named', () => {
    const graph = vault({ 's.md': '[[AI]]' })
    graph.names.addFile('Artificial.md')
    graph.set('Artificial.md', factsIn('Artificial.md', '', { aliases: ['ai'] }))
    expect(outgoing(graph, 's.md')[0]).toMatchObject({
      resolved_path: null,
      via: 'alias',
      alias_of: ['Artificial.md'],
    })
    expect(broken(graph)[0]).toMatchObject({
      target: 'AI',
      kind: 'missing_note',
      alias_of: ['Artificial.md'],
    })
    graph.delete('Artificial.md')
    expect(outgoing(graph, 's.md')[0]?.via).toBeUndefined()
  })

  const sizes = [
    { link: '![[e.jpg|100x145]]', right: { alias: null, heading: null } },
    { link: '![[e.jpg|view|100]]', right: { alias: 'view' } },
    { link: '![view|100](e.jpg)', right: { alias: 'view' } },
    { link: '![[a.pdf#page=3]]', right: { alias: null, heading: null, subpath: 'page=3' } },
    { link: '[[e.jpg|100]]', right: { alias: '100' } },
    { link: '[[N#A#B|x]]', right: { alias: 'x', heading: 'A#B' } },
  ]
  test.each(sizes)('$link shows $right', ({ link, right }) => {
    expect(outgoing(vault({ 's.md': link }), 's.md')[0]).toMatchObject(right)
  })
})

describe('broken', () => {
  test('in the vault or in one note; a heading of the own note is none', () => {
    const graph = vault(FILES)
    expect(broken(graph).map((row) => [row.source_path, row.target])).toEqual([
      ['d.md', 'nonexistent'],
      ['lost.md', 'still missing'],
      ['lost.md', 'and this'],
    ])
    expect(broken(graph, 'd.md').map((row) => row.target)).toEqual(['nonexistent'])
    expect(broken(graph, 'b.md')).toEqual([])
  })

  const kinds = [
    { link: '[[gone]]', right: 'missing_note' },
    { link: '![[gone]]', right: 'missing_note' },
    { link: '[[gone.md]]', right: 'missing_note' },
    { link: '[[Gone.js]]', right: 'missing_note' },
    { link: '[x](gone.js)', right: 'missing_attachment' },
    { link: '![[gone.png]]', right: 'missing_attachment' },
    { link: '[[gone.canvas]]', right: 'missing_attachment' },
    { link: '[x](gone.md)', right: 'missing_note' },
    { link: '[[https://e.com]]', right: 'missing_note' },
    { link: '[[#Nope]]', right: 'broken_fragment' },
    { link: '[[t#Nope]]', right: 'broken_fragment' },
    { link: '[[t#H#Sub]]', right: undefined },
    { link: '[[t#Sub#H]]', right: 'broken_fragment' },
    { link: '[[t#^id]]', right: undefined },
    { link: '[[t#^no]]', right: 'broken_fragment' },
    { link: '[[t#]]', right: undefined },
    { link: '[x](t.md#Sub)', right: undefined },
    { link: '![[p.pdf#page=3]]', right: undefined },
  ]
  test.each(kinds)('$link is $right', ({ link, right }) => {
    const graph = vault({ 's.md': link, 't.md': '# H\n## Sub\nx ^id', 'p.pdf': '' })
    expect(broken(graph)[0]?.kind).toBe(right as never)
  })

  test('links come alive when their target appears and break when it goes', () => {
    const graph = vault({ 'a.md': '[[later]]' })
    expect(broken(graph)).toHaveLength(1)
    put(graph, 'deep/later.md', '')
    expect(broken(graph)).toEqual([])
    drop(graph, 'deep/later.md')
    expect(broken(graph)).toHaveLength(1)
  })
})

test('orphans have no links or broken ones only; who links or is linked is none', () => {
  expect(orphans(vault({ ...FILES, 'p.md': '![[pic.png]]', 'pic.png': '' }))).toEqual([
    { path: 'alone.md', kind: 'no_links', broken_links: [] },
    { path: 'lost.md', kind: 'broken_outgoing_only', broken_links: ['[[still missing]]', '[[and this]]'] },
  ])
})

test('neighbours by distance, with the way there', () => {
  const graph = vault({ 'a.md': '[[b]]', 'b.md': '[[c]] [[a]]', 'c.md': '', 'z.md': '[[a]]', 'far.md': '' })
  expect(neighbours(graph, 'a.md', 1)).toEqual([
    { path: 'b.md', depth: 1, from: 'a.md', direction: 'both' },
    { path: 'z.md', depth: 1, from: 'a.md', direction: 'in' },
  ])
  expect(neighbours(graph, 'a.md', 2).map((row) => row.path)).toEqual(['b.md', 'z.md', 'c.md'])
})

test('counts tell the kinds of broken links apart', () => {
  expect(
    countLinks(vault({ 's.md': '[[s#x]] [[no]] ![[no.png]] [[s]] [[N]]', 'a/N.md': '', 'b/N.md': '' })),
  ).toEqual({
    links: 5,
    ambiguous: 1,
    broken: { missing_note: 1, missing_attachment: 1, broken_fragment: 1 },
  })
})

test('adding, changing and deleting in any order leaves what a fresh graph has', () => {
  const path = fc.constantFrom('a.md', 'b.md', 'x/a.md', 'x/b.md', 'y/c.md', 'p.png')
  const text = fc.constantFrom(
    '',
    '[[a]]',
    '[[b#H]] [[x/a]]',
    '# H\n[[c]]',
    '![[p.png]] [r](../a.md)',
    '[[#H]]',
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(path, fc.option(text))), (steps) => {
      const graph = vault({})
      const held: Record<string, string> = {}
      for (const [file, content] of steps) {
        delete held[file]
        if (content === null) drop(graph, file)
        else put(graph, file, (held[file] = content))
      }
      const fresh = vault(held)
      expect(broken(graph)).toEqual(broken(fresh))
      expect(orphans(graph)).toEqual(orphans(fresh))
      for (const file of Object.keys(held)) expect(backlinks(graph, file)).toEqual(backlinks(fresh, file))
    }),
  )
})

test('backlinks are the outgoing links of all others, turned round', () => {
  const name = fc.constantFrom('a', 'b', 'x/a', 'x/b', '../a', './b', 'gone', '', 'A')
  fc.assert(
    fc.property(fc.array(fc.array(name, { maxLength: 4 }), { maxLength: 4 }), (texts) => {
      const paths = ['a.md', 'x/a.md', 'x/b.md', 'y/b.md']
      const links = (names: string[]) => names.map((n) => `[[${n}#|]]`).join(' ')
      const graph = vault(Object.fromEntries(paths.map((path, i) => [path, links(texts[i] ?? [])])))
      const turned = paths.map((path) =>
        paths
          .filter(
            (source) => source !== path && outgoing(graph, source).some((row) => row.resolved_path === path),
          )
          .sort(),
      )
      expect(paths.map((path) => backlinks(graph, path).map((row) => row.source_path))).toEqual(turned)
    }),
  )
})

test('counts are taken again after every change of links or names', () => {
  const graph = vault({ 's.md': '[[a]]' })
  expect(countLinks(graph).broken.missing_note).toBe(1)
  graph.names.addFile('a.md')
  expect(countLinks(graph).broken.missing_note).toBe(0)
  graph.names.remove('a.md')
  expect(countLinks(graph).broken.missing_note).toBe(1)
  graph.set('s.md', factsIn('s.md', ''))
  expect(countLinks(graph).links).toBe(0)
})
