import { describe, expect, test } from 'bun:test'
import { compileGlob } from '../../src/text/glob.ts'

describe('compileGlob', () => {
  const cases = [
    { glob: '*.md', yes: ['a.md', 'x/y/a.md'], no: ['a.txt', 'a.md.bak'] },
    { glob: '**/*.md', yes: ['a.md', 'x/a.md', 'x/y/a.md'], no: ['a.txt'] },
    {
      glob: 'journal/**',
      yes: ['journal/a.md', 'journal/x/b.md'],
      no: ['journal', 'journals/a.md', 'x/journal/a.md'],
    },
    { glob: '**/drafts/**', yes: ['drafts/a', 'x/drafts/a', 'x/y/drafts/z/a'], no: ['xdrafts/a', 'drafts'] },
    { glob: 'a/**/b.md', yes: ['a/b.md', 'a/x/b.md', 'a/x/y/b.md'], no: ['a/xb.md', 'ab.md'] },
    { glob: 'note-?.md', yes: ['note-1.md', 'note-日.md'], no: ['note-.md', 'note-12.md'] },
    { glob: '[a-c]*.md', yes: ['a.md', 'beta.md'], no: ['d.md'] },
    { glob: '[!a-c]*.md', yes: ['d.md'], no: ['a.md'] },
    { glob: '*.{md,canvas}', yes: ['a.md', 'x/b.canvas'], no: ['a.base'] },
    { glob: '{a,b/{c,d}}.md', yes: ['a.md', 'b/c.md', 'b/d.md'], no: ['c.md', 'b.md'] },
    { glob: 'a\\[1\\].md', yes: ['a[1].md'], no: ['a1.md'] },
    { glob: '', yes: [''], no: ['a'] },
  ]
  for (const { glob, yes, no } of cases) {
    test(`${glob || '(empty)'} takes ${yes.join(' ')} and leaves ${no.join(' ')}`, () => {
      const is = compileGlob(glob)
      expect(yes.filter((p) => !is(p))).toEqual([])
      expect(no.filter(is)).toEqual([])
    })
  }

  test.each(['[invalid', '{a,b', 'x[!'])('%s is refused in words', (glob) => {
    expect(() => compileGlob(glob)).toThrow('cannot be read')
  })

  test('a pattern that ruins backtracking engines is answered in linear steps', () => {
    const is = compileGlob(`${'*a'.repeat(40)}b`)
    expect(is('a'.repeat(4000))).toBe(false)
  })
})
