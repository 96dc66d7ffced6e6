import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import {
  type AnyClient,
  CLIENT_KINDS,
  connect,
  type TemporaryVault,
  type ToolInfo,
  temporaryVault,
} from './clients.ts'

setDefaultTimeout(30_000)

const FILES = {
  'Projects/Bread.md':
    '---\ntags: [baking]\nstatus: open\n---\n# Bread\n\nSee [[Flour]] and [[Missing]].\n\n## Log\n\n- [ ] knead 📅 2026-03-01\n\nA block ^b1\n',
  'Flour.md': '# Flour\n\nRye and wheat, see [[Bread]].\n',
  '日本語.md': '# 日本語\n\n全文検索のテストです。\n',
  'crlf.md': '# CRLF\r\n\r\ntext\r\n',
  'bom.md': '\ufeff---\ntitle: x\n---\nbody\n',
  'pic.png': new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  '.obsidian/daily-notes.json': '{"folder":"Daily"}',
}

/** One call of each tool that can be checked on a small vault; in this order the later ones see the earlier ones' work. */
const CALLS: readonly {
  tool: string
  args: Record<string, unknown>
  says: (answer: Record<string, unknown>) => unknown
  right: unknown
}[] = [
  { tool: 'vault_list', args: {}, says: (a) => (a.results as unknown[]).length, right: 6 },
  {
    tool: 'vault_list',
    args: { recursive: true, include_metadata: true, glob: '*.md' },
    says: (a) => a.total,
    right: 5,
  },
  { tool: 'vault_info', args: {}, says: (a) => [a.total_notes, a.total_files], right: [5, 6] },
  { tool: 'note_read', args: { path: 'Flour' }, says: (a) => a.content, right: FILES['Flour.md'] },
  {
    tool: 'note_read',
    args: { path: 'crlf.md', lines: { start: 1, end: 1 } },
    says: (a) => a.content,
    right: '# CRLF\r\n',
  },
  { tool: 'note_read_many', args: { dir: 'Projects' }, says: (a) => (a.notes as unknown[]).length, right: 1 },
  { tool: 'search_text', args: { query: 'wheat' }, says: paths, right: ['Flour.md'] },
  { tool: 'search_text', args: { query: '検索' }, says: paths, right: ['日本語.md'] },
  { tool: 'search_regex', args: { pattern: 'Ry[a-z]' }, says: paths, right: ['Flour.md'] },
  {
    tool: 'search_metadata',
    args: { type: 'tag', tag: 'baking' },
    says: paths,
    right: ['Projects/Bread.md'],
  },
  { tool: 'note_find', args: { query: 'flur' }, says: paths, right: ['Flour.md'] },
  { tool: 'note_inspect', args: { path: 'Projects/Bread' }, says: (a) => a.tags, right: ['baking'] },
  {
    tool: 'note_inspect',
    args: { path: 'Projects/Bread', view: 'targets' },
    says: (a) => a.frontmatter_fields,
    right: ['tags', 'status'],
  },
  {
    tool: 'wikilinks',
    args: { query: 'backlinks', path: 'Flour.md' },
    says: (a) => (a.results as unknown[]).length,
    right: 1,
  },
  {
    tool: 'wikilinks',
    args: { query: 'broken' },
    says: (a) => (a.results as { target: string }[]).map((r) => r.target),
    right: ['Missing'],
  },
  {
    tool: 'frontmatter',
    args: { action: 'get', path: 'Projects/Bread.md' },
    says: (a) => a.frontmatter,
    right: { tags: ['baking'], status: 'open' },
  },
  {
    tool: 'tags',
    args: { action: 'list' },
    says: (a) => a.results,
    right: [{ tag: 'baking', count: 1, total: 1 }],
  },
  { tool: 'tasks', args: { action: 'list' }, says: (a) => a.total, right: 1 },
  {
    tool: 'note_create',
    args: { path: 'New', content: '# New\n', frontmatter: { a: 1 } },
    says: (a) => a.path,
    right: 'New.md',
  },
  { tool: 'note_insert', args: { path: 'New', content: 'numbat' }, says: (a) => a.changed, right: true },
  { tool: 'search_text', args: { query: 'numbat' }, says: paths, right: ['New.md'] },
  {
    tool: 'note_patch',
    args: {
      path: 'Projects/Bread',
      operation: 'append',
      target_type: 'heading',
      target: 'Log',
      content: '- [ ] bake',
    },
    says: (a) => a.changed,
    right: true,
  },
  {
    tool: 'note_replace',
    args: { path: 'Flour', search: 'Rye', replace: 'Spelt' },
    says: (a) => a.replaced,
    right: 1,
  },
  {
    tool: 'frontmatter',
    args: { action: 'set', path: 'Projects/Bread.md', key: 'status', value: 'done' },
    says: (a) => a.changed,
    right: true,
  },
  {
    tool: 'tasks',
    args: { action: 'set', path: 'Projects/Bread', line: 11, status: 'x' },
    says: (a) => a.changed,
    right: true,
  },
  {
    tool: 'tags',
    args: { action: 'rename', tag: 'baking', to: 'kitchen' },
    says: (a) => a.files_changed,
    right: 1,
  },
  {
    tool: 'note_move',
    args: { from: 'Flour.md', to: 'Pantry/Flour.md' },
    says: (a) => a.path,
    right: 'Pantry/Flour.md',
  },
  {
    tool: 'periodic',
    args: { action: 'create', period: 'daily', date: '2026-03-01', content: 'x\n' },
    says: (a) => a.path,
    right: 'Daily/2026-03-01.md',
  },
  {
    tool: 'periodic',
    args: { action: 'list', period: 'daily' },
    says: paths,
    right: ['Daily/2026-03-01.md'],
  },
  { tool: 'note_write', args: { path: 'New', content: 'short\n' }, says: (a) => a.changed, right: true },
  {
    tool: 'note_delete',
    args: { path: 'New.md', confirm: true },
    says: (a) => a.trashed_to,
    right: '.trash/New.md',
  },
  {
    tool: 'history',
    args: { action: 'list', limit: 2 },
    says: (a) => (a.results as { tool: string }[]).map((r) => r.tool),
    right: ['note_delete', 'note_write'],
  },
  { tool: 'history', args: { action: 'restore', path: 'New.md' }, says: (a) => a.changed, right: true },
  { tool: 'attachments', args: { action: 'list' }, says: paths, right: ['pic.png'] },
  {
    tool: 'index',
    args: { action: 'sync' },
    says: (a) => (a.index as { state: string }).state,
    right: 'ready',
  },
]

function paths(answer: Record<string, unknown>): unknown {
  return (answer.results as { path: string }[]).map((r) => r.path)
}

for (const kind of CLIENT_KINDS) {
  describe(`the official client: ${kind}`, () => {
    let vault: TemporaryVault
    let client: AnyClient
    let tools: Map<string, ToolInfo>
    beforeAll(async () => {
      vault = temporaryVault(FILES)
      client = await connect(kind, vault)
      tools = new Map((await client.tools()).map((t) => [t.name, t]))
    })
    afterAll(async () => {
      await client.close()
      vault.remove()
    })

    test('every tool answers what it says it answers', async () => {
      for (const { tool, args, says, right } of CALLS) {
        const answer = await client.call(tool, args)
        const about = `${tool} ${JSON.stringify(args)}`
        expect([about, answer.isError ? answer.text : 'answered']).toEqual([about, 'answered'])
        const schema = z.fromJSONSchema(tools.get(tool)?.outputSchema as never)
        expect([about, schema.safeParse(answer.structured).error?.message]).toEqual([about, undefined])
        expect([about, says(answer.structured)]).toEqual([about, right])
      }
    })

    test('the files are as the calls said', () => {
      const text = (name: string) => readFileSync(vault.path(name), 'utf8')
      expect(text('Projects/Bread.md')).toBe(
        '---\ntags: [kitchen]\nstatus: done\n---\n# Bread\n\nSee [[Flour]] and [[Missing]].\n\n## Log\n\n- [x] knead 📅 2026-03-01\n\nA block ^b1\n- [ ] bake\n',
      )
      expect(text('Pantry/Flour.md')).toBe('# Flour\n\nSpelt and wheat, see [[Bread]].\n')
      expect(text('New.md')).toBe('short\n')
      expect(text('bom.md')).toBe(FILES['bom.md'])
      expect(existsSync(vault.path('Flour.md'))).toBe(false)
    })

    const failures: { tool: string; args: Record<string, unknown>; code: string }[] = [
      { tool: 'note_read', args: { path: 'nope' }, code: 'not_found' },
      { tool: 'note_read', args: { path: '../x' }, code: 'outside_vault' },
      { tool: 'note_read', args: { path: 'Projects' }, code: 'is_folder' },
      { tool: 'note_read', args: {}, code: 'bad_argument' },
      { tool: 'note_read', args: { path: 'bom.md', colour: 1 }, code: 'bad_argument' },
      { tool: 'note_create', args: { path: 'bom.md' }, code: 'already_exists' },
      { tool: 'note_create', args: { path: '.obsidian/x.md' }, code: 'bad_path' },
      {
        tool: 'note_write',
        args: { path: 'bom.md', content: 'x', expected_revision: 'f'.repeat(64) },
        code: 'conflict',
      },
      {
        tool: 'note_patch',
        args: { path: 'pic.png', operation: 'append', target_type: 'heading', target: 'x', content: 'y' },
        code: 'not_a_note',
      },
      { tool: 'note_delete', args: { path: 'bom.md', confirm: false }, code: 'bad_argument' },
    ]
    test.each(failures)('$tool $args fails as $code with a hint', async ({ tool, args, code }) => {
      const answer = await client.call(tool, args)
      expect(answer.isError).toBe(true)
      const failure = JSON.parse(answer.text) as { code: string; message: string; hint: string }
      expect([failure.code, failure.message !== '', failure.hint !== '']).toEqual([code, true, true])
    })
  })
}
