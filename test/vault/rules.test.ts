import { describe, expect, test } from 'bun:test'
import { createRules, type RuleSources, readIgnoreLines } from '../../src/vault/rules.ts'

describe('createRules', () => {
  const cases: { sources: RuleSources; path: string; folder?: boolean; right: string }[] = [
    { sources: {}, path: 'a.md', right: 'visible' },
    { sources: {}, path: '.hidden.md', right: 'hidden' },
    { sources: {}, path: 'x/.git/config', right: 'hidden' },
    { sources: {}, path: '.git./x', right: 'hidden' },
    { sources: { exclude: ['Archive/'] }, path: 'Archive/sub/deep.md', right: 'excluded' },
    { sources: { exclude: ['Archive/'] }, path: 'Archive', folder: true, right: 'excluded' },
    { sources: { exclude: ['Archive/'] }, path: 'Archived.md', right: 'visible' },
    { sources: { exclude: ['Archive/'] }, path: 'x/Archive/a.md', right: 'visible' },
    { sources: { exclude: ['**/Archive/'] }, path: 'x/Archive/a.md', right: 'excluded' },
    { sources: { exclude: ['**/*.tmp.md'] }, path: 't.tmp.md', right: 'excluded' },
    { sources: { exclude: ['Private'] }, path: 'Private/a.md', right: 'excluded' },
    {
      sources: { knapignore: '# none\n/build\n*.log.md\n!keep.log.md\n' },
      path: 'x/a.log.md',
      right: 'excluded',
    },
    { sources: { knapignore: '*.log.md\n!keep.log.md\n' }, path: 'keep.log.md', right: 'visible' },
    { sources: { deny: ['Secret/'] }, path: 'Secret/a.md', right: 'denied' },
    { sources: { deny: ['#private/'] }, path: '#private/a.md', right: 'denied' },
    { sources: { knapignore: '#private/' }, path: '#private/a.md', right: 'visible' },
    { sources: { deny: ['.obsidian/plugins/'] }, path: '.obsidian/plugins/x/data.json', right: 'denied' },
    { sources: { deny: ['.obsidian/plugins/'] }, path: '.obsidian/app.json', right: 'hidden' },
    { sources: { exclude: ['.obsidian/plugins/'] }, path: '.obsidian/plugins/x.json', right: 'excluded' },
    { sources: { allow: ['Work/**'] }, path: '.obsidian/app.json', right: 'denied' },
    { sources: { allow: ['Work/**'] }, path: 'Home/a.md', right: 'denied' },
    { sources: { allow: ['Work/**'] }, path: 'Work/a.md', right: 'visible' },
    { sources: { deny: ['Secret/'], exclude: ['Secret/'] }, path: 'Secret/a.md', right: 'denied' },
  ]
  for (const { sources, path, folder, right } of cases) {
    test(`${JSON.stringify(sources)}: ${path} is ${right}`, () => {
      expect(createRules(sources).verdict(path, { folder: folder ?? false })).toBe(right as never)
    })
  }

  test.each([
    { allow: undefined, folder: 'Home', right: true },
    { allow: ['Work/'], folder: 'Work', right: true },
    { allow: ['Work/'], folder: 'Home', right: false },
    { allow: ['*.md'], folder: 'Home', right: false },
    { allow: ['*.md'], folder: '', right: true },
  ])('with $allow allowed an empty $folder is shown: $right', ({ allow, folder, right }) => {
    expect(createRules(allow === undefined ? {} : { allow }).listsEmpty(folder)).toBe(right)
  })

  test('only what a write rule names may be changed', () => {
    const rules = createRules({ write: ['Inbox/', '*.draft.md'] })
    expect(['Inbox/a.md', 'x/y.draft.md', 'a.md'].map((p) => rules.mayWrite(p))).toEqual([true, true, false])
  })
})

test('readIgnoreLines keeps the patterns and names the line it cannot read', () => {
  expect(readIgnoreLines('# why\n\n   Archive/  \r\n  # more\nx[1].md', '.obsidian-mcp/ignore')).toEqual([
    'Archive/',
    'x[1].md',
  ])
  expect(() => readIgnoreLines('ok/\nbad[', '.obsidian-mcp/ignore')).toThrow('.obsidian-mcp/ignore, line 2')
})
