import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { QuickSwitcher, type SwitcherNote } from '../../src/vault/find.ts'

interface Brief {
  readonly aliases?: string[]
  readonly headings?: string[]
  readonly mtimeMs?: number
}

function switcher(notes: Record<string, Brief>) {
  const all = new Map(Object.entries(notes).map(([path, brief]) => [path, noteOf(path, brief)]))
  return { find: new QuickSwitcher(() => all.values()), all }
}

function noteOf(path: string, { aliases = [], headings = [], mtimeMs = 0 }: Brief): SwitcherNote {
  return { path, aliases, mtimeMs, headings: headings.map((text, i) => ({ text, line: i + 1 })) }
}

const NOTES = {
  'Daily notes.md': { headings: ['Create a daily note', 'Template'] },
  'Work/Workspace.md': { aliases: ['Arbeitsbereich'], headings: ['Save a workspace'] },
  'Work/Workspaces and more.md': {},
  'Plugins/Core plugins.md': { headings: ['Daily notes', 'Workspaces'] },
  'Café Résumé.md': {},
  'v1.2.md': {},
  '日本語ノート.md': { headings: ['毎日の記録'] },
  'Заметка о проекте.md': {},
  'AI.md': { aliases: ['Artificial intelligence'] },
  'README.md': {},
  'Other/README.md': {},
}

const paths = async (query: string, limit = 10) =>
  (await switcher(NOTES).find.find(query, limit)).map(({ path }) => path)

test.each<[query: string, first: string]>([
  ['daily notes', 'Daily notes.md'],
  ['dai', 'Daily notes.md'],
  ['notes dai', 'Daily notes.md'],
  ['dayly notes', 'Daily notes.md'],
  ['workspace', 'Work/Workspace.md'],
  ['WORKSPACE', 'Work/Workspace.md'],
  ['wrkspace', 'Work/Workspace.md'],
  ['workpsace', 'Work/Workspace.md'],
  ['raedme', 'README.md'],
  ['tmeplate', 'Daily notes.md'],
  ['dialy ntoes', 'Daily notes.md'],
  ['Work/Workspace.md', 'Work/Workspace.md'],
  ['work/workspace', 'Work/Workspace.md'],
  ['arbeitsb', 'Work/Workspace.md'],
  ['artificial inteligence', 'AI.md'],
  ['ai', 'AI.md'],
  ['cafe resume', 'Café Résumé.md'],
  ['v1.2', 'v1.2.md'],
  ['日本語', '日本語ノート.md'],
  ['ノート', '日本語ノート.md'],
  ['毎日', '日本語ノート.md'],
  ['заметка', 'Заметка о проекте.md'],
  ['template', 'Daily notes.md'],
  ['other readme', 'Other/README.md'],
  ['readme', 'README.md'],
])('%p finds %p first', async (query, first) => {
  expect((await paths(query))[0]).toBe(first)
})

describe('what matched', () => {
  test.each<[query: string, object]>([
    ['workspace', { path: 'Work/Workspace.md', matched: 'name', text: 'Workspace', line: null, score: 1 }],
    ['arbeitsbereich', { path: 'Work/Workspace.md', matched: 'alias', text: 'Arbeitsbereich', line: null }],
    ['create a daily', { path: 'Daily notes.md', matched: 'heading', text: 'Create a daily note', line: 1 }],
    ['save workspcae', { path: 'Work/Workspace.md', matched: 'heading', text: 'Save a workspace', line: 1 }],
  ])('%p', async (query, right) => {
    expect((await switcher(NOTES).find.find(query, 1))[0]).toMatchObject(right)
  })

  test('a name stands before a mention in a heading, and a note is named once', async () => {
    expect((await paths('daily notes')).slice(0, 2)).toEqual(['Daily notes.md', 'Plugins/Core plugins.md'])
    expect((await paths('workspace')).filter((path) => path === 'Work/Workspace.md')).toHaveLength(1)
  })
})

test.each(['', '   '])('%j answers the notes that changed last', async (query) => {
  const { find } = switcher({
    'a.md': { mtimeMs: 5 },
    'b.md': { mtimeMs: 9 },
    'c.md': { mtimeMs: 7 },
    'd.md': { mtimeMs: 7 },
  })
  expect((await find.find(query, 3)).map(({ path }) => path)).toEqual(['b.md', 'c.md', 'd.md'])
  expect((await find.find(query, 1))[0]).toMatchObject({
    matched: 'recent',
    modified: '1970-01-01T00:00:00.009Z',
  })
})

test('signs alone and words that are nowhere find nothing; limits hold', async () => {
  expect(await paths('???')).toEqual([])
  expect(await paths('xyzzynowhere')).toEqual([])
  expect(await paths('e', 0)).toEqual([])
  expect(await paths('readme', 1)).toHaveLength(1)
})

test('changes are seen, before the first question and after', async () => {
  const { find, all } = switcher(NOTES)
  const put = (path: string, brief: Brief) => {
    all.set(path, noteOf(path, brief))
    find.put(noteOf(path, brief))
  }
  put('Early.md', {})
  expect((await find.find('early', 1))[0]?.path).toBe('Early.md')
  put('Zebu.md', { aliases: ['Humped cattle'] })
  expect((await find.find('zebu', 1))[0]?.path).toBe('Zebu.md')
  put('Zebu.md', { aliases: ['Ox'], headings: ['Gnu'] })
  expect(await find.find('humped', 1)).toEqual([])
  expect((await find.find('ox', 1))[0]).toMatchObject({ path: 'Zebu.md', matched: 'alias' })
  expect((await find.find('gnu', 1))[0]).toMatchObject({ path: 'Zebu.md', matched: 'heading' })
  all.delete('Zebu.md')
  find.remove('Zebu.md')
  find.remove('never there.md')
  expect(await find.find('zebu', 5)).toEqual([])
})

test('after any changes, some of them while the index is built, the answers are those of a fresh index', async () => {
  const word = fc.constantFrom('alpha', 'beta', 'gamma', 'delta')
  const change = fc.record({ path: word, aliases: fc.array(word, { maxLength: 2 }), gone: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { maxLength: 12 }),
      fc.nat(12),
      word,
      async (changes, awaitedAt, query) => {
        const { find, all } = switcher({ 'alpha.md': {} })
        const building = find.find('x', 1)
        for (const [i, { path, aliases, gone }] of changes.entries()) {
          if (i === awaitedAt) await building
          if (gone) all.delete(`${path}.md`)
          else all.set(`${path}.md`, noteOf(`${path}.md`, { aliases }))
          if (gone) find.remove(`${path}.md`)
          else find.put({ path: `${path}.md`, aliases })
        }
        const seen = async (s: QuickSwitcher) =>
          (await s.find(query, 10)).map(({ path, text }) => [path, text]).sort()
        expect(await seen(find)).toEqual(await seen(new QuickSwitcher(() => all.values())))
      },
    ),
    { numRuns: 50 },
  )
})

test('an index that could not be built is tried again', async () => {
  let fails = true
  const find = new QuickSwitcher(() => {
    if (fails) throw new Error('not yet')
    return [noteOf('a.md', {})]
  })
  await expect(find.find('a', 1)).rejects.toThrow('not yet')
  fails = false
  expect((await find.find('a', 1))[0]?.path).toBe('a.md')
})

test('any query is answered', async () => {
  const { find } = switcher(NOTES)
  await fc.assert(fc.asyncProperty(fc.string(), async (query) => Array.isArray(await find.find(query, 5))))
})
