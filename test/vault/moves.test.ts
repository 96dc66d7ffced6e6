import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { NoteFacts } from '../../src/note/note.ts'
import { rewriteLinks } from '../../src/note/relink.ts'
import { Graph } from '../../src/vault/graph.ts'
import type { LinkFormat } from '../../src/vault/link_spelling.ts'
import { type MovePlan, planMove } from '../../src/vault/moves.ts'
import { NameIndex } from '../../src/vault/names.ts'
import { factsIn } from './facts.ts'

type Files = Record<string, string>

function vault(files: Files, cards: Record<string, string[]> = {}): Graph {
  const names = new NameIndex()
  const graph = new Graph(names)
  for (const [path, text] of Object.entries(files)) {
    names.addFile(path)
    for (let slash = path.indexOf('/'); slash > 0; slash = path.indexOf('/', slash + 1))
      names.addFolder(path.slice(0, slash))
    if (path.endsWith('.md')) graph.set(path, factsIn(path, text))
    if (path.endsWith('.canvas')) graph.set(path, canvas(path, cards[path] ?? []))
  }
  return graph
}

function canvas(path: string, files: string[]): NoteFacts {
  const links = files.map((target) => ({
    kind: 'embed' as const,
    raw: target,
    target,
    fragment: null,
    display: null,
    line: 1,
    property: 'file',
  }))
  return factsIn(path, '', { links })
}

/** The vault after the plan: files at their new places, links rewritten. */
function carriedOut(files: Files, plan: MovePlan): Files {
  const targets = new Map(plan.moves.map(({ from, to }) => [from, to]))
  const rewrites = new Map(plan.rewrites.map((one) => [one.path, one.rewrite]))
  const out: Files = {}
  for (const [path, text] of Object.entries(files)) {
    if (!targets.has(path) && plan.moves.some(({ to }) => to === path)) continue
    const rewrite = rewrites.get(path)
    out[targets.get(path) ?? path] = rewrite === undefined ? text : rewriteLinks(text, rewrite).text
  }
  return out
}

interface Case {
  says: string
  files: Files
  move: [string, string]
  format?: LinkFormat
  right: Files
}

const cases: Case[] = [
  {
    says: 'every form of link keeps alias, fragment and size',
    files: {
      'inbox/idea.md': '# Part',
      'b.md':
        '[[inbox/idea]] ![[inbox/idea]] [l](inbox/idea.md) [[inbox/idea#Part|x]] [[inbox/idea.md#^b]] ![[inbox/idea|100]]',
    },
    move: ['inbox/idea.md', 'done/thought.md'],
    right: {
      'b.md':
        '[[done/thought]] ![[done/thought]] [l](done/thought.md) [[done/thought#Part|x]] [[done/thought.md#^b]] ![[done/thought|100]]',
    },
  },
  {
    says: 'a bare name stays bare, with and without .md',
    files: { 'Old.md': '', 'x/b.md': '[[Old]] [[Old.md|o]] [[old#H]] [m](Old.md)' },
    move: ['Old.md', 'dir/New.md'],
    right: { 'x/b.md': '[[New]] [[New.md|o]] [[New#H]] [m](New.md)' },
  },
  {
    says: 'a bare name that still leads there stays as written',
    files: { 'Old.md': '', 'x/b.md': '[[Old]] [[old]] [m](Old.md)' },
    move: ['Old.md', 'dir/Old.md'],
    right: { 'x/b.md': '[[Old]] [[old]] [m](Old.md)' },
  },
  {
    says: 'a name that another file has too becomes the whole path',
    files: { 'Old.md': '', 'x/b.md': '[[Old|a]]', 'other/New.md': '' },
    move: ['Old.md', 'dir/New.md'],
    right: { 'x/b.md': '[[dir/New|a]]' },
  },
  {
    says: 'a name that another file has too becomes a relative path where the vault writes those',
    files: { 'Old.md': '', 'x/b.md': '[[Old|a]]', 'other/New.md': '' },
    move: ['Old.md', 'dir/New.md'],
    format: 'relative',
    right: { 'x/b.md': '[[../dir/New|a]]' },
  },
  {
    says: 'the name in the root is the path where the vault writes whole paths',
    files: { 'Old.md': '', 'b.md': '[[Old]] [m](Old.md)' },
    move: ['Old.md', 'dir/New.md'],
    format: 'absolute',
    right: { 'b.md': '[[dir/New]] [m](dir/New.md)' },
  },
  {
    says: 'relative links of the moved note are recomputed, its links by name stay',
    files: {
      'Old.md': '[rel](pic.png) [[b#H|x]] ![](img/a.png) [[./b]] [[#Here]] [[Old#Part]] [s](Old.md)',
      'b.md': '',
      'pic.png': '',
      'img/a.png': '',
    },
    move: ['Old.md', 'dir/New.md'],
    right: {
      'dir/New.md':
        '[rel](../pic.png) [[b#H|x]] ![](../img/a.png) [[../b]] [[#Here]] [[New#Part]] [s](New.md)',
    },
  },
  {
    says: 'up and down again',
    files: { 'a/n.md': '![](../img/a.png) [[../x]]', 'img/a.png': '', 'x.md': '' },
    move: ['a/n.md', 'n.md'],
    right: { 'n.md': '![](img/a.png) [[x]]' },
  },
  {
    says: 'where the way up ends, dots stay that keep it from meaning another file',
    files: {
      'a/b/n.md': '![](../p.png) [[../x]] [[./y]]',
      'a/p.png': '',
      'p.png': '',
      'a/x.md': '',
      'x.md': '',
      'a/b/y.md': '',
    },
    move: ['a/b/n.md', 'a/n.md'],
    right: { 'a/n.md': '![](./p.png) [[./x]] [[./b/y]]' },
  },
  {
    says: 'a relative link to nothing visible means the same place from the new one',
    files: { 'a/n.md': '![](../hidden/a.png) [[../../up]] [[gone]]' },
    move: ['a/n.md', 'a/b/n.md'],
    right: { 'a/b/n.md': '![](../../hidden/a.png) [[../../up]] [[gone]]' },
  },
  {
    says: 'root-relative, with ./ and without, full and by the end of the path',
    files: {
      'p/folder/x.md': '',
      'p/s.md': '[r](/p/folder/x.md) [d](./folder/x.md) [p](folder/x.md) [[p/folder/x]] [[folder/x]]',
    },
    move: ['p/folder', 'p/new'],
    right: { 'p/s.md': '[r](/p/new/x.md) [d](./new/x.md) [p](new/x.md) [[p/new/x]] [[new/x]]' },
  },
  {
    says: 'a folder takes its notes along, and links among them stay',
    files: {
      'f/a.md': '[[b]] [m](b.md) ![](sub/p.png) [[f/b]]',
      'f/b.md': '[[../top]]',
      'f/sub/p.png': '',
      'top.md': '[[f/a]] [[a]]',
    },
    move: ['f', 'g/h'],
    right: {
      'g/h/a.md': '[[b]] [m](b.md) ![](sub/p.png) [[g/h/b]]',
      'g/h/b.md': '[[../../top]]',
      'top.md': '[[g/h/a]] [[a]]',
    },
  },
  {
    says: 'attachments',
    files: { 'pic.png': '', 'b.md': '![[pic.png|100]] ![p](pic.png)' },
    move: ['pic.png', 'img/photo.png'],
    right: { 'b.md': '![[photo.png|100]] ![p](img/photo.png)' },
  },
  {
    says: 'a name that begins alike is not touched',
    files: { 'note.md': '', 'b.md': '[[notebook]] [[note]] [[x/note]]' },
    move: ['note.md', 'other.md'],
    right: { 'b.md': '[[notebook]] [[other]] [[x/note]]' },
  },
  {
    says: 'case alone: what was spelled as the name follows it',
    files: { 'Note.md': '', 'b.md': '[[Note]] [[NOTE]] [m](Note.md) [[#x]]' },
    move: ['Note.md', 'note.md'],
    right: { 'b.md': '[[note]] [[NOTE]] [m](note.md) [[#x]]' },
  },
  {
    says: 'Unicode form alone: links keep leading there',
    files: { ['é.md'.normalize('NFD')]: '', 'b.md': '[[é]]' },
    move: ['é.md'.normalize('NFD'), 'é.md'],
    right: { 'b.md': '[[é]]' },
  },
  {
    says: 'a link that the new name would draw to itself is kept where it led',
    files: { 'deep/er/New.md': '', 'Old.md': '', 's.md': '[[New]] [[Old]]' },
    move: ['Old.md', 'New.md'],
    right: { 's.md': '[[deep/er/New]] [[New]]' },
  },
  {
    says: 'a name with a dot that would be taken for a file keeps .md',
    files: { 'Old.md': '', 'v1.png': '', 's.md': '[[Old]]' },
    move: ['Old.md', 'v1.png.md'],
    right: { 's.md': '[[v1.png.md]]' },
  },
  {
    says: 'a note that becomes another kind of file is named in full',
    files: { 'Old.md': '', 's.md': '[[Old]]' },
    move: ['Old.md', 'Old.txt'],
    right: { 's.md': '[[Old.txt]]' },
  },
  {
    says: 'a relative Markdown link that a path from the root would catch gets ./',
    files: { 'a/s.md': '[x](old/n.md)', 'a/old/n.md': '', 'sub/n.md': '' },
    move: ['a/old/n.md', 'a/sub/n.md'],
    right: { 'a/s.md': '[x](./sub/n.md)' },
  },
  {
    says: 'in properties, tables and angle brackets, encoded where Markdown needs it',
    files: {
      'my note.md': '',
      's.md':
        '---\nup: "[[my note|x]]"\n---\n| a |\n| - |\n| [[my note\\|y]] |\n\n[m](my%20note.md#H) [n](<my note.md>)',
    },
    move: ['my note.md', 'dir/50% (new) [x].md'],
    right: {
      's.md':
        '---\nup: "[[50% (new) [x].md|x]]"\n---\n| a |\n| - |\n| [[50% (new) [x].md\\|y]] |\n\n[m](dir/50%25%20%28new%29%20%5Bx%5D.md#H) [n](<dir/50%25 (new) [x].md>)',
    },
  },
  {
    says: 'a replaced note: its links go, links to it stay',
    files: { 'Old.md': 'new', 't.md': '[[Old]]', 's.md': '[[t]] [[Old]]' },
    move: ['Old.md', 't.md'],
    right: { 't.md': 'new', 's.md': '[[t]] [[t]]' },
  },
]

describe('planMove', () => {
  test.each(cases)('$says', ({ files, move: [from, to], format = 'shortest', right }) => {
    const plan = planMove(vault(files), { from, to, format })
    expect(carriedOut(files, plan)).toMatchObject(right)
  })

  test('file cards of a canvas name the new path, whole', () => {
    const graph = vault(
      { 'x/n.md': '', 'b.canvas': '', 'n.md': '' },
      { 'b.canvas': ['x/n.md', 'n.md', 'gone.md'] },
    )
    const plan = planMove(graph, { from: 'x', to: 'y', format: 'shortest' })
    expect(plan.rewrites.map(({ path, links, cards }) => [path, links, [...cards]])).toEqual([
      ['b.canvas', 1, [['x/n.md', 'y/n.md']]],
    ])
  })

  test('what is only told: links kept from the new name, links that come alive, links that cannot be written', () => {
    const graph = vault({ 'deep/er/New.md': '', 'Old.md': '', 's.md': '[[New]]\n[[Old]]' })
    expect(planMove(graph, { from: 'Old.md', to: 'New.md', format: 'shortest' }).protected).toEqual([
      { source_path: 's.md', raw: '[[New]]', line: 1, resolved_path: 'deep/er/New.md' },
    ])
    expect(
      planMove(vault({ 'a.md': '', 's.md': '[[b]]' }), { from: 'a.md', to: 'b.md', format: 'shortest' })
        .revived,
    ).toEqual([{ source_path: 's.md', raw: '[[b]]', line: 1, resolved_path: 'b.md' }])
    const odd = planMove(vault({ 'a.md': '', 's.md': '[[a]] [m](a.md)' }), {
      from: 'a.md',
      to: 'C#.md',
      format: 'shortest',
    })
    expect(odd.unlinkable.map((notice) => notice.raw)).toEqual(['[[a]]'])
    expect(odd.rewrites[0]?.rewrite({ kind: 'markdown', target: 'a.md', fragment: null })).toEqual({
      target: 'C#.md',
    })
  })

  test('planning leaves no trace in the names', () => {
    const files = { 'f/a.md': '[[b]]', 'f/b.md': '', 'g/a.md': '', 's.md': '[[a]]' }
    const graph = vault(files)
    planMove(graph, { from: 'f', to: 'g', format: 'shortest' })
    expect([...graph.names.files()].sort()).toEqual(Object.keys(files).sort())
  })

  test('a path that is not there is refused', () => {
    expect(() => planMove(vault({ 'a.md': '' }), { from: 'b.md', to: 'c.md', format: 'shortest' })).toThrow(
      'no "b.md"',
    )
  })

  test('after any move every link leads to the same file, and links untouched by it are untouched', () => {
    const paths = ['a.md', 'b.md', 'x/a.md', 'x/b.md', 'x/y/c.md', 'z/a.md', 'p.png', 'x/p.png', 'A.md']
    const spelled = [
      'a',
      'b',
      'c',
      'x/a',
      'a.md',
      './a',
      '../a',
      '../x/b',
      'y/c',
      '/x/a',
      'x/y/c.md',
      'p.png',
      'x/p.png',
      '../p.png',
      'gone',
      'new',
    ]
    const link = fc
      .tuple(fc.constantFrom(...spelled), fc.boolean())
      .map(([t, wiki]) => (wiki ? `[[${t}]]` : `[m](${t})`))
    const text = fc.array(link, { maxLength: 5 }).map((links) => links.join(' '))
    const content = fc.record(Object.fromEntries(paths.map((path) => [path, text])), {
      requiredKeys: [],
    }) as fc.Arbitrary<Files>
    const to = fc.constantFrom(
      'new.md',
      'x/new.md',
      'w/a.md',
      'x/y/a.md',
      'b.md',
      'x/c.md',
      'q/r/b.md',
      'B.md',
      'a (1) [x] y.md',
      'w/5% é.md',
      'C#.md',
    )
    fc.assert(
      fc.property(
        content,
        fc.constantFrom(...paths, 'x', 'x/y'),
        to,
        fc.constantFrom('shortest', 'relative', 'absolute'),
        (files, from, target, format) => {
          const folder = !from.includes('.')
          const to = folder
            ? target.replace('.md', '-f')
            : from.endsWith('.png')
              ? target.replace('.md', '.png')
              : target
          const graph = vault(files)
          fc.pre(
            folder
              ? graph.names.hasFolder(from) && !to.startsWith(`${from}/`)
              : graph.names.has(from) && from !== to,
          )
          const plan = planMove(graph, { from, to, format: format as LinkFormat })
          const moved = new Map(plan.moves.map((move) => [move.from, move.to]))
          const after = vault(carriedOut(files, plan))
          for (const source of Object.keys(files)) {
            if (!source.endsWith('.md') || (!moved.has(source) && [...moved.values()].includes(source)))
              continue
            const now = after.linksOf(moved.get(source) ?? source)
            for (const [i, was] of graph.linksOf(source).entries()) {
              const before = graph.resolve(source, was).path
              const told = plan.unlinkable.some((one) => one.source_path === source && one.raw === was.raw)
              if (before === null || told) continue
              expect([was.raw, after.resolve(moved.get(source) ?? source, now[i]!).path]).toEqual([
                was.raw,
                moved.get(before) ?? before,
              ])
            }
          }
        },
      ),
      { numRuns: 400 },
    )
  })
})
