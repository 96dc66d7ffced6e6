import { describe, expect, test } from 'bun:test'
import { VaultError } from '../../src/errors.ts'
import { rewriteNote } from '../../src/note/rewrite.ts'

const whole = [
  { before: 'old\n', content: 'new\n', right: 'new\n' },
  { before: 'old\n', content: '# New\n\nno end', right: '# New\n\nno end' },
  { before: 'old\n', content: '', right: '' },
  { before: 'old\n', content: 'a\r\nb\r\n', right: 'a\r\nb\r\n' },
  { before: 'old\r\n', content: 'a\nb\n', right: 'a\r\nb\r\n' },
  { before: 'old\r\n', content: 'a\r\nb\n', right: 'a\r\nb\n' },
  { before: '\ufeffold\n', content: 'new\n', right: '\ufeffnew\n' },
  { before: '\ufeffold\n', content: '\ufeffnew\n', right: '\ufeffnew\n' },
  {
    before: '\ufeff---\r\nk: 1\r\n---\r\nx\r\n',
    content: '---\nk: 2\n---\ny\n',
    right: '\ufeff---\r\nk: 2\r\n---\r\ny\r\n',
  },
]
test.each(whole)('$before written anew with $content is $right', ({ before, content, right }) => {
  expect(rewriteNote(before, content, 'whole')).toEqual({ text: right, notes: [] })
})

const body = [
  { before: '---\nk: 1\n---\nold\n', content: 'new\n', right: '---\nk: 1\n---\nnew\n' },
  { before: '---\nk: 1\n---\n\nold\n', content: '\nnew', right: '---\nk: 1\n---\n\nnew' },
  {
    before: '\ufeff---\r\nk: 1\r\n---\r\nold\r\n',
    content: 'a\nb\n',
    right: '\ufeff---\r\nk: 1\r\n---\r\na\r\nb\r\n',
  },
  { before: '---\nk: 1\n---', content: 'new\n', right: '---\nk: 1\n---\nnew\n' },
  { before: '---\nk: 1\n---', content: '', right: '---\nk: 1\n---' },
  { before: '---\nk: [1\n---\nold\n', content: 'new\n', right: '---\nk: [1\n---\nnew\n' },
  { before: '---\nk: 1\n---\nold\n', content: '\ufeffnew\n', right: '---\nk: 1\n---\nnew\n' },
  { before: '---\nACME Corp\n---\nold\n', content: 'new\n', right: 'new\n' },
  { before: '\ufeffold\n', content: 'new\n', right: '\ufeffnew\n' },
  { before: 'old\n', content: '---\nk: 1\n---\nnew\n', right: '---\nk: 1\n---\nnew\n' },
]
test.each(body)('the body of $before written anew with $content is $right', ({ before, content, right }) => {
  expect(rewriteNote(before, content, 'body')).toEqual({ text: right, notes: [] })
})

describe('what an agent may not have meant', () => {
  test('properties that the content repeats are left out, and it is said', () => {
    const { text, notes } = rewriteNote('---\r\nk: 1\r\n---\r\nold\r\n', '---\nk: 1\n---\nnew\n', 'body')
    expect(text).toBe('---\r\nk: 1\r\n---\r\nnew\r\n')
    expect(notes).toHaveLength(1)
  })
  const refused = [
    {
      before: '---\nk: 1\n---\nold\n',
      content: '---\nk: 2\n---\nnew\n',
      scope: 'body',
      code: 'bad_argument',
    },
    { before: '---\nk: 1\nold\n', content: 'new\n', scope: 'body', code: 'bad_frontmatter' },
    { before: 'old\n', content: '---\nk: [1\n---\n', scope: 'whole', code: 'bad_frontmatter' },
  ] as const
  test.each(refused)(
    '$content in place of the $scope of $before is $code',
    ({ before, content, scope, code }) => {
      let found = 'no error'
      try {
        rewriteNote(before, content, scope)
      } catch (error) {
        if (error instanceof VaultError) found = error.code
      }
      expect(found).toBe(code)
    },
  )
  test('a text that drops most of a long note is told', () => {
    const long = 'line of text\n'.repeat(200)
    expect(rewriteNote(long, 'short\n', 'whole').notes[0]).toContain('shorter')
    expect(rewriteNote(`---\nk: 1\n---\n${long}`, 'short\n', 'body').notes[0]).toContain('shorter')
    expect(rewriteNote(long, long.slice(0, 2000), 'whole').notes).toEqual([])
  })
})
