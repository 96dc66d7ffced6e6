import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { type AnyClient, connect, type Files, type TemporaryVault, temporaryVault } from './clients.ts'

setDefaultTimeout(30_000)

let vault: TemporaryVault
let client: AnyClient
afterEach(async () => {
  await client.close()
  vault.remove()
})

async function serve(files: Files): Promise<void> {
  vault = temporaryVault(files)
  client = await connect('old stdio', vault)
}

const text = (name: string) => readFileSync(vault.path(name), 'utf8')

const CHANGE = ['message', 'revision', 'previous_revision', 'changed', 'changed_lines', 'diff', 'warnings']

describe('what every change answers', () => {
  const calls: [tool: string, args: Record<string, unknown>, fields?: string[]][] = [
    ['note_create', { path: 'new', content: 'x\n' }],
    ['note_write', { path: 'a', content: '# A\n\nwritten #t\n' }],
    ['note_insert', { path: 'a', content: 'more' }],
    ['note_patch', { path: 'a', operation: 'append', target_type: 'heading', target: 'A', content: 'x' }],
    ['note_patch', { path: 'a', operation: 'rename', target_type: 'heading', target: 'A', content: 'B' }],
    ['note_replace', { path: 'a', search: 'more', replace: 'less' }],
    ['frontmatter', { action: 'set', path: 'a', key: 'k', value: 1 }],
    ['frontmatter', { action: 'remove', path: 'a', key: 'k' }],
    ['tags', { action: 'add', path: 'a', tag: 'new' }],
    ['tasks', { action: 'set', path: 'b', line: 2, status: 'x' }],
    ['periodic', { action: 'append', period: 'daily', content: 'x' }],
    ['attachments', { action: 'add', path: 'p.png', data: 'iVBORw0KGgo=' }],
    ['note_move', { from: 'a', to: 'c' }, ['path', 'files_changed', 'links_changed', 'notes']],
    ['note_delete', { path: 'new', confirm: true }],
    ['history', { action: 'restore', path: 'new' }, ['path', 'files_changed', 'notes']],
  ]
  test('one note: path, both revisions, whether and how it changed', async () => {
    await serve({ 'a.md': '# A\n', 'b.md': '[[a]]\n- [ ] t\n' })
    for (const [tool, args, fields = ['path']] of calls) {
      const { isError, structured, text: words } = await client.call(tool, args)
      expect([tool, isError ? words : 'done']).toEqual([tool, 'done'])
      expect({ tool, fields: Object.keys(structured) }).toEqual({
        tool,
        fields: expect.arrayContaining([...CHANGE, ...fields]),
      })
    }
  })

  test('several notes: the same without one path, and a row each', async () => {
    await serve({ 'a.md': '#t\n', 'b.md': '#t\n' })
    const { structured } = await client.call('tags', { action: 'rename', tag: 't', to: 'u' })
    expect(structured).toMatchObject({ changed: true, changed_lines: 2, files_changed: 2 })
    expect(structured.notes).toHaveLength(2)
  })
})

describe('tags', () => {
  const OTHER = 'f'.repeat(64)
  const refused: [args: Record<string, unknown>, code: string][] = [
    [{ action: 'list', path: 'nope' }, 'not_found'],
    [{ action: 'rename', tag: 't', to: 'u', expected_revisions: { a: OTHER } }, 'conflict'],
    [{ action: 'rename', tag: 't', to: 'u', expected_revisions: { nope: OTHER } }, 'not_found'],
    [{ action: 'rename', tag: 't', to: 'u', expected_revision: OTHER }, 'bad_argument'],
    [{ action: 'add', tag: 'u', path: 'a', expected_revision: OTHER }, 'conflict'],
    [{ action: 'remove', tag: 't', path: 'a', expected_revisions: { 'a.md': OTHER } }, 'conflict'],
  ]
  test('are refused for what is not there or changed, and nothing is written', async () => {
    await serve({ 'a.md': '#t\n', 'b.md': '#t\n' })
    for (const [args, right] of refused) {
      const { isError, text: words } = await client.call('tags', args)
      expect([args, isError && JSON.parse(words).code]).toEqual([args, right])
    }
    expect([text('a.md'), text('b.md')]).toEqual(['#t\n', '#t\n'])
  })

  test('are listed for a note, under its name with or without .md, and for a folder', async () => {
    await serve({ 'a.md': '#one\n', 'f/b.md': '#two\n' })
    for (const [path, right] of [
      ['a', ['one']],
      ['a.md', ['one']],
      ['f', ['two']],
      ['f/', ['two']],
    ] as const) {
      const { structured } = await client.call('tags', { action: 'list', path })
      expect((structured.results as { tag: string }[]).map(({ tag }) => tag)).toEqual([...right])
    }
  })
})

describe('moving attachments', () => {
  test('a name without an extension keeps the one of the file', async () => {
    await serve({ 'pic.png': 'p', 'a.md': '![[pic.png]] ![](pic.png)\n' })
    const { structured } = await client.call('note_move', { from: 'pic.png', to: 'img/photo' })
    expect(structured).toMatchObject({ path: 'img/photo.png', warnings: [] })
    expect(text('a.md')).toBe('![[photo.png]] ![](img/photo.png)\n')
  })
})

describe('replacing in several notes', () => {
  test('one without a match stops all of them, and is named', async () => {
    await serve({ 'a.md': 'one\n', 'b.md': 'two\n' })
    const { isError, text: words } = await client.call('note_replace', {
      paths: ['a', 'b'],
      search: 'one',
      replace: 'x',
    })
    expect(isError).toBe(true)
    expect(JSON.parse(words)).toMatchObject({ code: 'target_not_found', path: 'b.md' })
    expect(text('a.md')).toBe('one\n')
  })
})

describe('moving folders', () => {
  test('the old name is forgotten at once, with the folders in it, also where only its case changes', async () => {
    await serve({ 'Old/Sub/a.md': 'x\n' })
    const paths = async () => (await client.call('vault_list', { recursive: true })).structured.results
    await client.call('note_move', { from: 'Old', to: 'old' })
    expect(await paths()).toEqual(['old/', 'old/Sub/', 'old/Sub/a.md'])
    await client.call('history', { action: 'restore', path: 'old' })
    expect(await paths()).toEqual(['Old/', 'Old/Sub/', 'Old/Sub/a.md'])
  })
})
