import { expect, test } from 'bun:test'
import { applyPatch } from 'diff'
import fc from 'fast-check'
import { unifiedDiff } from '../../src/note/diff.ts'

const cases = [
  { before: 'a\n', after: 'a\n', diff: [], changedLines: 0 },
  { before: 'one\n', after: 'two\n', diff: ['@@ -1,1 +1,1 @@', '-one', '+two'], changedLines: 1 },
  {
    before: '',
    after: 'x\ny',
    diff: ['@@ -0,0 +1,2 @@', '+x', '+y', '\\ No newline at end of file'],
    changedLines: 2,
  },
  { before: 'x\n', after: '', diff: ['@@ -1,1 +0,0 @@', '-x'], changedLines: 1 },
  {
    before: '1\n2\n3\n4\n5\n6\n7\n8\n9\n',
    after: '1\n2\n3\n4\nfive\n6\n7\n8\n9\n',
    diff: ['@@ -2,7 +2,7 @@', ' 2', ' 3', ' 4', '-5', '+five', ' 6', ' 7', ' 8'],
    changedLines: 1,
  },
]
test.each(cases)('the diff of $before and $after', ({ before, after, diff, changedLines }) => {
  const head = diff.length === 0 ? [] : ['--- a/n.md', '+++ b/n.md']
  expect(unifiedDiff(before, after, { path: 'n.md' })).toEqual({
    diff: [...head, ...diff].map((line) => `${line}\n`).join(''),
    changedLines,
  })
})

test('a long diff is cut to the limit and says what is missing', () => {
  const before = Array.from({ length: 100 }, (_, i) => `a${i}\n`).join('')
  const { diff, changedLines } = unifiedDiff(before, before.replaceAll('a', 'b'), { path: 'n.md' })
  expect(diff.split('\n').length - 1).toBe(40)
  expect(diff).toEndWith('\n… 164 more lines of this diff are not shown\n')
  expect(changedLines).toBe(100)
})

test('a long line is cut to where it differs', () => {
  const before = `${'word '.repeat(1000)}end\n`
  const { diff } = unifiedDiff(before, before.replace('end', 'stop'), { path: 'n.md' })
  expect(diff.length).toBeLessThan(1200)
  expect(diff).toContain('stop')
  expect(diff).toContain('(5004 characters)')
})

test('a hundred thousand changed lines take a bounded time', () => {
  const before = Array.from({ length: 100_000 }, (_, i) => `line ${i}\n`).join('')
  const after = before.split('\n').reverse().join('\n')
  expect(unifiedDiff(before, after, { path: 'n.md' }).changedLines).toBeGreaterThan(99_000)
})

test('applying the diff to the old text gives the new one', () => {
  const text = fc
    .tuple(fc.array(fc.constantFrom('a', 'b', 'c', '', 'a\r')), fc.boolean())
    .map(([lines, newline]) => lines.join('\n') + (newline ? '\n' : ''))
  fc.assert(
    fc.property(text, text, (before, after) => {
      const { diff } = unifiedDiff(before, after, { path: 'n.md', maxLines: 10_000 })
      expect(diff === '' ? before : applyPatch(before, diff, { autoConvertLineEndings: false })).toBe(after)
    }),
    { numRuns: 1000 },
  )
})
