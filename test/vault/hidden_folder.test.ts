import { expect, test } from 'bun:test'
import { memoryStorage } from '../../src/storage/memory.ts'
import { Catalogue } from '../../src/vault/catalogue.ts'
import { lookInto } from '../../src/vault/hidden_folder.ts'
import { createRules, type RuleSources } from '../../src/vault/rules.ts'

const FILES = {
  'Sub/a.md': '',
  '.obsidian/app.json': '{}',
  '.obsidian/plugins/x/data.json': '{}',
  '.obsidian/snippets/s.css': '',
}

test.each<{ folder: string; rules: RuleSources; right: string[] }>([
  { folder: 'Sub', rules: {}, right: ['Sub/a.md'] },
  {
    folder: '.obsidian',
    rules: {},
    right: ['.obsidian/app.json', '.obsidian/plugins/x/data.json', '.obsidian/snippets/s.css'],
  },
  {
    folder: '.obsidian',
    rules: { deny: ['.obsidian/plugins/'] },
    right: ['.obsidian/app.json', '.obsidian/snippets/s.css'],
  },
  { folder: '.obsidian/snippets', rules: {}, right: ['.obsidian/snippets/s.css'] },
])('in $folder with $rules are $right', async ({ folder, rules, right }) => {
  const storage = memoryStorage(FILES)
  const catalogue = new Catalogue()
  catalogue.putFile({ path: 'Sub/a.md', kind: 'file', size: 0, mtimeMs: 0, ctimeMs: 0 })
  const vault = { storage, catalogue, rules: createRules(rules) }
  const { files } = await lookInto(vault, folder)
  expect(files.map((f) => f.path).sort()).toEqual(right)
})
