import { expect, test } from 'bun:test'
import { type FragmentRename, headingForLink, planFragmentRename } from '../../src/vault/fragment_moves.ts'
import { Graph } from '../../src/vault/graph.ts'
import { NameIndex } from '../../src/vault/names.ts'
import { factsIn } from './facts.ts'

const NOTE = '# T\n## Log\nx ^b1\n## Plan\n### Log\n## End'

function changes(links: string, rename: FragmentRename, note = NOTE): { all: string[]; misled: string[] } {
  const names = new NameIndex()
  const graph = new Graph(names)
  for (const [path, text] of Object.entries({
    'n.md': `${note}\n[[#Log]] [[#^b1]]`,
    's.md': links,
    'other/m.md': '[[#Log]]',
  })) {
    names.addFile(path)
    graph.set(path, factsIn(path, text))
  }
  const plan = planFragmentRename(graph, 'n.md', rename)
  const all = plan.rewrites.flatMap(({ path, rewrite }) =>
    graph.linksOf(path).flatMap((link) => {
      const change = rewrite(link)
      return change === null ? [] : [`${path} ${link.raw} -> ${change.fragment}`]
    }),
  )
  return { all, misled: plan.misled.map((notice) => notice.raw) }
}

const cases: {
  says: string
  links: string
  rename: FragmentRename
  right: string[]
  misled?: string[]
  note?: string
}[] = [
  {
    says: 'every link to the heading, in any case, in a chain and from the note itself; not to its namesake',
    links: '[[n#Log]] [[n#log|x]] [m](n.md#Log) ![[n#T#Log]] [[n#Plan#Log]] [[n#End]] [[n]]',
    rename: { heading: 1, text: 'Diary' },
    right: [
      'n.md [[#Log]] -> Diary',
      's.md [[n#Log]] -> Diary',
      's.md [[n#log|x]] -> Diary',
      's.md [m](n.md#Log) -> Diary',
      's.md ![[n#T#Log]] -> T#Diary',
    ],
  },
  {
    says: 'the second of two namesakes is reached by its path alone',
    links: '[[n#Log]] [[n#Plan#Log]]',
    rename: { heading: 3, text: 'Diary' },
    right: ['s.md [[n#Plan#Log]] -> Plan#Diary'],
  },
  {
    says: 'a heading above another in a chain',
    links: '[[n#Plan#Log]] [[n#Plan]]',
    rename: { heading: 2, text: 'Aims' },
    right: ['s.md [[n#Plan#Log]] -> Aims#Log', 's.md [[n#Plan]] -> Aims'],
  },
  {
    says: 'marks that a link cannot carry are blanks',
    links: '[[n#End]]',
    rename: { heading: 4, text: 'Q3: [[x|y]] #1' },
    right: ['s.md [[n#End]] -> Q3 x y 1'],
  },
  {
    says: 'links to another heading are kept from the new name by its path, where there is one',
    links: '[[n#End]] [[n#Plan#Log]]',
    rename: { heading: 1, text: 'End' },
    note: '# T\n## Log\n# U\n## End\n# Plan\n## Log',
    right: ['n.md [[#Log]] -> End', 's.md [[n#End]] -> U#End'],
  },
  {
    says: 'links that no path tells apart are named',
    links: '[[n#End]]',
    rename: { heading: 1, text: 'End' },
    right: ['n.md [[#Log]] -> End'],
    misled: ['[[n#End]]'],
  },
  {
    says: 'a block, in any case',
    links: '[[n#^b1]] ![[n#^B1]] [[n#^b11]] [[n#Log#^b1]]',
    rename: { block: 'b1', id: 'new' },
    right: [
      'n.md [[#^b1]] -> ^new',
      's.md [[n#^b1]] -> ^new',
      's.md ![[n#^B1]] -> ^new',
      's.md [[n#Log#^b1]] -> Log#^new',
    ],
  },
  {
    says: 'a rename that changes nothing for links',
    links: '[[n#End]]',
    rename: { heading: 4, text: 'END' },
    right: ['s.md [[n#End]] -> END'],
  },
]
test.each(cases)('$says', ({ links, rename, right, misled = [], note }) => {
  expect(changes(links, rename, note)).toEqual({ all: right, misled })
})

test('a note that is not known has no links to change', () => {
  expect(planFragmentRename(new Graph(new NameIndex()), 'x.md', { block: 'a', id: 'b' })).toEqual({
    rewrites: [],
    misled: [],
  })
})

test('a heading as a link carries it', () => {
  expect(headingForLink('  A: b #c ^d [[E|f]] %%g%%\\h ')).toBe('A b c d E f g h')
})
