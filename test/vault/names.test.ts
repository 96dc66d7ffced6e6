import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { NameIndex } from '../../src/vault/names.ts'
import { resolveLink, resolvePath } from '../../src/vault/resolve.ts'

function vault(...files: string[]): NameIndex {
  const names = new NameIndex()
  for (const file of files) names.addFile(file)
  return names
}

const NFD = (text: string) => text.normalize('NFD')

describe('resolveLink', () => {
  const everywhere = ['Note.md', 'zzzz/Note.md', 'a/b/Note.md', 'b/Note.md']
  const noRoot = ['zzzz/Note.md', 'a/b/Note.md']
  const cases: { files: string[]; from: string; link: string; right: string | null; by?: string }[] = [
    // the file in the root, from every folder
    { files: everywhere, from: 's.md', link: 'Note', right: 'Note.md', by: 'exact' },
    { files: everywhere, from: 'zzzz/s.md', link: 'Note', right: 'Note.md', by: 'exact' },
    { files: everywhere, from: 'a/b/s.md', link: 'Note', right: 'Note.md', by: 'exact' },
    { files: everywhere, from: 'zzzz/deep/s.md', link: 'Note', right: 'Note.md', by: 'exact' },
    // without one: the source's own folder, an ancestor's counts for nothing, then the shortest path string
    {
      files: noRoot,
      from: 's.md',
      link: 'Note',
      right: 'a/b/Note.md',
      by: 'shortest',
    },
    { files: noRoot, from: 'zzzz/s.md', link: 'Note', right: 'zzzz/Note.md', by: 'relative' },
    { files: noRoot, from: 'zzzz/deep/s.md', link: 'Note', right: 'a/b/Note.md', by: 'shortest' },
    { files: noRoot, from: 'a/b/s.md', link: 'Note', right: 'a/b/Note.md', by: 'relative' },
    // equal lengths: code-point order, whatever came first
    { files: ['b/Note.md', 'a/Note.md'], from: 's.md', link: 'Note', right: 'a/Note.md' },
    { files: ['🐘/N.md', 'ﬀﬀ/N.md'], from: 's.md', link: 'N', right: 'ﬀﬀ/N.md' },
    // paths: exact, then counted from the source, then the end of a path, whole segments compared
    { files: everywhere, from: 'a/b/s.md', link: 'b/Note', right: 'b/Note.md', by: 'exact' },
    { files: ['a/b/Note.md'], from: 's.md', link: 'b/Note', right: 'a/b/Note.md', by: 'suffix' },
    {
      files: ['a/b/Note.md', 'c/x/b/Note.md'],
      from: 'c/x/s.md',
      link: 'b/Note',
      right: 'c/x/b/Note.md',
      by: 'relative',
    },
    { files: ['ab/Note.md'], from: 's.md', link: 'b/Note', right: null },
    {
      files: ['notes/MyNote.md'],
      from: 'journal/x.md',
      link: 'MyNote',
      right: 'notes/MyNote.md',
      by: 'shortest',
    },
    // places counted from the source or from the root, never above it
    { files: ['y.md'], from: 'a/x.md', link: '../y', right: 'y.md', by: 'fixed' },
    { files: ['b/y.md'], from: 'a/x.md', link: '../y', right: null },
    { files: ['y.md'], from: 'a/x.md', link: '../../y', right: null },
    { files: ['projects/idea.md'], from: 's.md', link: './projects/idea', right: 'projects/idea.md' },
    { files: ['projects/idea.md'], from: 'a/s.md', link: './projects/idea', right: null },
    { files: ['a/y.md', 'y.md'], from: 'a/b/s.md', link: './../y.md', right: 'a/y.md' },
    { files: ['folder/x.md', 'a/folder/x.md'], from: 'a/s.md', link: '/folder/x.md', right: 'folder/x.md' },
    { files: ['a/folder/x.md'], from: 's.md', link: '/folder/x', right: null },
    { files: ['a/y.md'], from: 's.md', link: 'a/b/../y', right: 'a/y.md' },
    // case, Unicode form, blanks
    { files: ['Log.md'], from: 's.md', link: 'LOG', right: 'Log.md' },
    { files: ['Ext.md'], from: 's.md', link: 'Ext.MD', right: 'Ext.md' },
    { files: ['sub/Log.md'], from: 's.md', link: 'SUB/log', right: 'sub/Log.md' },
    { files: [NFD('Café.md')], from: 's.md', link: 'Café', right: NFD('Café.md') },
    { files: [NFD('a/Café.md')], from: 's.md', link: 'café.md', right: NFD('a/Café.md') },
    { files: ['①.md'], from: 's.md', link: '1', right: null },
    { files: ['a/My Note.md'], from: 's.md', link: 'My\u00a0Note', right: 'a/My Note.md' },
    { files: ['README.md', 'readme.md'], from: 's.md', link: 'readme', right: 'readme.md' },
    { files: ['README.md', 'readme.md'], from: 's.md', link: 'README', right: 'README.md' },
    { files: ['a/README.md', 'a/readme.md'], from: 's.md', link: 'readme', right: 'a/readme.md' },
    // `.md` is optional for notes, other files are named in full
    { files: ['v1.2.md'], from: 's.md', link: 'v1.2', right: 'v1.2.md' },
    { files: ['Node.js.md'], from: 's.md', link: 'Node.js', right: 'Node.js.md' },
    { files: ['1. Project/a.md'], from: 's.md', link: '1. Project/a', right: '1. Project/a.md' },
    { files: ['img/Figure 1.png'], from: 's.md', link: 'Figure 1.png', right: 'img/Figure 1.png' },
    { files: ['img/Figure 1.png'], from: 's.md', link: 'Figure 1', right: null },
    { files: ['image.png.md'], from: 's.md', link: 'image.png', right: null },
    { files: ['x/Board.canvas', 'x/All.base'], from: 's.md', link: 'Board.canvas', right: 'x/Board.canvas' },
    { files: ['x/Board.canvas', 'x/All.base'], from: 's.md', link: 'all.base', right: 'x/All.base' },
    { files: ['x/Board.canvas'], from: 's.md', link: 'Board', right: null },
    // what never names a file
    { files: ['note.md', 'notebook.md'], from: 's.md', link: 'note', right: 'note.md' },
    { files: ['notebook.md'], from: 's.md', link: 'note', right: null },
    { files: ['e.com.md'], from: 's.md', link: 'https://e.com', right: null },
    { files: ['folder/a.md'], from: 's.md', link: 'folder/', right: null },
    { files: ['folder/a.md'], from: 's.md', link: 'folder', right: null },
    { files: ['a.md'], from: 's.md', link: ' ', right: null },
    { files: ['a.md'], from: 's.md', link: '..', right: null },
    { files: ['s.md'], from: 's.md', link: '', right: 's.md', by: 'self' },
  ]
  test.each(cases)('[[$link]] in $from leads to $right among $files', ({ files, from, link, right, by }) => {
    const found = resolveLink(vault(...files), link, from)
    expect(found.path).toBe(right)
    if (by !== undefined) expect(found.by as string).toBe(by)
  })

  const ambiguous = [
    { files: everywhere, from: 's.md', link: 'Note', others: ['b/Note.md', 'a/b/Note.md', 'zzzz/Note.md'] },
    { files: everywhere, from: 's.md', link: 'b/Note', others: [] },
    { files: noRoot, from: 'zzzz/s.md', link: 'Note', others: ['a/b/Note.md'] },
    { files: ['x/b/N.md', 'yy/b/N.md', 'c/N.md'], from: 's.md', link: 'b/N', others: ['yy/b/N.md'] },
    { files: noRoot, from: 's.md', link: '/zzzz/Note', others: [] },
    { files: ['only.md'], from: 's.md', link: 'only', others: [] },
  ]
  test.each(ambiguous)('[[$link]] in $from passes over $others', ({ files, from, link, others }) => {
    expect(resolveLink(vault(...files), link, from).candidates).toEqual(others)
  })

  test('a canvas card names its file by the whole path alone', () => {
    const names = vault('a/b.md')
    expect([
      resolvePath(names, 'a/b.md').path,
      resolvePath(names, 'b.md').path,
      resolvePath(names, 'a/b').path,
    ]).toEqual(['a/b.md', null, null])
  })
})

describe('NameIndex', () => {
  test('files and folders that differ in case or Unicode form meet', () => {
    const names = vault('a/Note.md', 'a/note.md', NFD('é.md'))
    names.addFolder('Schemas')
    expect(names.loose('A/NOTE.md')).toEqual(['a/Note.md', 'a/note.md'])
    expect(names.loose('é.md')).toEqual([NFD('é.md')])
    expect(names.loose('schemas')).toEqual(['Schemas'])
    expect(names.filesAt('schemas')).toEqual([])
    names.remove('Schemas')
    expect(names.loose('schemas')).toEqual([])
  })

  test('files below a folder, not below one whose name begins alike', () => {
    expect(vault('a/x.md', 'a/b/y.png', 'ab/z.md', 'a.md').filesUnder('a')).toEqual(['a/x.md', 'a/b/y.png'])
  })

  const typos = [
    { path: 'Meetin.md', right: 'Work/Meeting.md' },
    { path: 'Work/Meeting', right: 'Work/Meeting.md' },
    { path: 'Wrok/Meeting.md', right: 'Work/Meeting.md' },
    { path: 'Grocery list', right: 'Home/Grocery List.md' },
  ]
  test.each(typos)('nearest to $path is $right', ({ path, right }) => {
    expect(vault('Work/Meeting.md', 'Home/Grocery List.md', 'Home/Other.md').nearest(path)[0]).toBe(right)
  })

  test('at most five near names, and none where nothing is near', () => {
    const names = vault(...Array.from({ length: 9 }, (_, i) => `Note ${i}.md`))
    expect(names.nearest('Note 12.md')).toHaveLength(5)
    expect(names.nearest('Something else entirely.md')).toEqual([])
  })

  test('adding and removing in any order leaves what a fresh index has', () => {
    const path = fc.constantFrom(
      'N.md',
      'n.md',
      'a/N.md',
      'b/N.md',
      'a/b/N.md',
      'c/x.png',
      NFD('é.md'),
      'é.md',
    )
    const links = ['N', 'n', 'b/N', 'a/N.md', 'x.png', 'é', './N']
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), path)), (steps) => {
        const names = new NameIndex()
        const held = new Set<string>()
        for (const [adds, file] of steps) {
          if (adds) names.addFile(file)
          else names.remove(file)
          if (adds) held.add(file)
          else held.delete(file)
        }
        const fresh = vault(...held)
        for (const link of links) {
          expect(resolveLink(names, link, 'a/s.md')).toEqual(resolveLink(fresh, link, 'a/s.md'))
        }
        expect([...names.files()].sort()).toEqual([...held].sort())
      }),
    )
  })
})
