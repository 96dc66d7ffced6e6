import { expect, test } from 'bun:test'
import { visible } from '../../src/text/visible.ts'

test.each([
  { name: 'plain Näme 日本 🐘.md', right: 'plain Näme 日本 🐘.md' },
  { name: 'a\nb\r\tc', right: 'a\\nb\\r\\tc' },
  { name: 'x\u001b[31m', right: 'x\\u001b[31m' },
  { name: 'a\u202eb\u2028c\u0085', right: 'a\\u202eb\\u2028c\\u0085' },
])('$right', ({ name, right }) => {
  expect(visible(name)).toBe(right)
})
