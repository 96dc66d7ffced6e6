import { expect, test } from 'bun:test'
import type { VaultError } from '../../src/errors.ts'
import { composeNote } from '../../src/note/compose.ts'
import { scanFrontmatter } from '../../src/note/frontmatter.ts'

test.each([
  ['x\n', null, 'x\n'],
  ['x\n', {}, 'x\n'],
  ['body', { k: 1 }, '---\nk: 1\n---\nbody'],
  ['a\r\nb', { k: 1 }, '---\r\nk: 1\r\n---\r\na\r\nb'],
  ['---\nk: 1\n---\nbody\n', { x: 2 }, '---\nk: 1\nx: 2\n---\nbody\n'],
  ['---\nk: 1 # c\n---\nbody\n', { k: 2 }, '---\nk: 2 # c\n---\nbody\n'],
  ['', { tags: ['a'] }, '---\ntags:\n  - a\n---\n'],
])('content %j with %j is %j', (content, frontmatter, right) => {
  expect(composeNote(content, frontmatter)).toBe(right)
})

test('every JSON type comes back', () => {
  const data = {
    status: 'draft',
    tags: ['rust', 'mcp'],
    published: false,
    n: 42,
    ratio: 0.5,
    nothing: null,
    nested: { a: [1, '2'] },
    time: '12:30',
  }
  expect(scanFrontmatter(composeNote('body\n', data)).data).toEqual(data)
})

test.each([
  ['x', '{"tags":["a"]}', 'bad_argument'],
  ['x', ['a'], 'bad_argument'],
  ['x', { 'a: b': 1 }, 'bad_argument'],
  ['---\ntags: [a\n---\nx', undefined, 'bad_frontmatter'],
  ['---\n- a\n---\nx', undefined, 'bad_frontmatter'],
])('content %j with %j is refused as %s', (content, frontmatter, code) => {
  try {
    composeNote(content, frontmatter)
    expect('it').toBe('refused')
  } catch (error) {
    expect((error as VaultError).code).toBe(code as never)
  }
})
