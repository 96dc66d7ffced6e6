import { expect, test } from 'bun:test'
import { memoryStorage } from '../../src/storage/memory.ts'
import { AppExcluded, compileIgnoreFilters } from '../../src/vault/app_excluded.ts'

test.each([
  { filters: ['Old/'], path: 'Old/a.md', right: true },
  { filters: ['Old/'], path: 'x/Old/a.md', right: false },
  { filters: ['/\\.draft\\.md$/'], path: 'x/a.draft.md', right: true },
  { filters: ['/[/', 'Old/'], path: 'Old/a.md', right: true },
  { filters: ['/(a+)+$/'], path: `${'a'.repeat(5000)}!`, right: false },
])('$filters: $path is $right', async ({ filters, path, right }) => {
  expect((await compileIgnoreFilters(filters))?.(path)).toBe(right)
})

test('no filters, no setting and a setting that cannot be read exclude nothing', async () => {
  expect(await compileIgnoreFilters([])).toBeUndefined()
  expect(await new AppExcluded(memoryStorage()).test()).toBeUndefined()
  expect(await new AppExcluded(memoryStorage({ '.obsidian/app.json': '{not json' })).test()).toBeUndefined()
})

test('the setting of the vault is used', async () => {
  const storage = memoryStorage({ '.obsidian/app.json': '{"userIgnoreFilters":["Old/"]}' })
  expect((await new AppExcluded(storage).test())?.('Old/a.md')).toBe(true)
})
