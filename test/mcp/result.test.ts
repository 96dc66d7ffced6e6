import { expect, test } from 'bun:test'
import { VaultError } from '../../src/errors.ts'
import { failureOf, resultOf } from '../../src/mcp/result.ts'

const cases = [
  { what: 'a collection', data: { results: [{ path: 'a' }], total: 1 }, text: '[{"path":"a"}]' },
  { what: 'an empty collection', data: { results: [], total: 0 }, text: '[]' },
  { what: 'a read', data: { content: '# A\n', path: 'a.md' }, text: '# A\n' },
  {
    what: 'a change',
    data: { message: 'Wrote a.md.', revision: 'ab', warnings: ['odd'], diff: '-x\n+y\n' },
    text: 'Wrote a.md.\nrevision: ab\nwarning: odd\n\n-x\n+y\n',
  },
  {
    what: 'a change that changed nothing',
    data: { message: 'Nothing.', revision: null, diff: '' },
    text: 'Nothing.',
  },
  {
    what: 'a change of a note with an odd name',
    data: { message: 'Wrote a\nb\u001b.md.', revision: null, warnings: ['x\ty'], diff: '-x\n+\ty\n' },
    text: 'Wrote a\\nb\\u001b.md.\nwarning: x\\ty\n\n-x\n+\ty\n',
  },
  { what: 'anything else', data: { total_notes: 2 }, text: '{"total_notes":2}' },
]
test.each(cases)('the text of $what', ({ data, text }) => {
  expect(resultOf({ data }, [])).toEqual({ content: [{ type: 'text', text }], structuredContent: data })
})

test('what was read differently from what was asked is said in both forms', () => {
  const { content, structuredContent } = resultOf({ data: { results: [], warnings: ['own'] } }, [
    'limit: clamped',
  ])
  expect(structuredContent).toEqual({ results: [], warnings: ['own', 'limit: clamped'] })
  expect(content).toEqual([
    { type: 'text', text: '[]' },
    { type: 'text', text: 'limit: clamped' },
  ])
})

test('a failure is one JSON object with code, message, hint and details', () => {
  const failure = failureOf(
    new VaultError('conflict', 'changed', { hint: 'read', details: { current_revision: 'ab' } }),
  )
  expect(failure.isError).toBe(true)
  expect(failure.structuredContent).toBeUndefined()
  expect(failure.content).toEqual([
    { type: 'text', text: '{"code":"conflict","message":"changed","hint":"read","current_revision":"ab"}' },
  ])
})
