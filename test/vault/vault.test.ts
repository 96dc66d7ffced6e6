import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { VaultError } from '../../src/errors.ts'
import { searchText } from '../../src/search/search.ts'
import { openLocalStorage } from '../../src/storage/local.ts'
import { createRules, type RuleSources } from '../../src/vault/rules.ts'
import { searchNotes } from '../../src/vault/search_notes.ts'
import { Vault } from '../../src/vault/vault.ts'

setDefaultTimeout(20_000)
const cleanups: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean()
})

interface Setup {
  readonly files?: Record<string, string>
  readonly rules?: RuleSources
  readonly watch?: boolean
  readonly allowHidden?: boolean
  readonly namedRoot?: string
}

function folder(files: Record<string, string> = {}) {
  const root = mkdtempSync(join(tmpdir(), 'knap-vault-'))
  const dir = join(root, 'vault')
  mkdirSync(dir)
  for (const [path, text] of Object.entries(files)) put(dir, path, text)
  cleanups.push(() => rmSync(root, { recursive: true, force: true }))
  return { root, dir }
}

function put(dir: string, path: string, text: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true })
  writeFileSync(join(dir, path), text)
}

async function open(
  at: { root: string; dir: string },
  { rules = {}, watch = false, allowHidden = false, namedRoot = at.dir }: Setup = {},
) {
  const vault = await Vault.open({
    name: 'test',
    storage: await openLocalStorage(at.dir),
    root: at.dir,
    namedRoot,
    rules: createRules(rules),
    excludePatterns: [],
    dataDir: join(at.root, 'data'),
    cacheDir: join(at.root, 'cache'),
    watch,
    allowHidden,
    locale: 'en',
    timezone: 'UTC',
  })
  cleanups.push(() => vault.close())
  await vault.searchable()
  return vault
}

const found = (vault: Vault, query: string) =>
  searchText(vault.index, query, { limit: 50 }).hits.map((h) => h.path)

/** Waits for what a watcher brings, looking often; the test's own limit ends it. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await Bun.sleep(5)
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'no error'
  } catch (error) {
    return error instanceof VaultError ? error.code : String(error)
  }
}

describe('the watcher', () => {
  test('sees files that other programs write, replace, move and remove', async () => {
    const at = folder({ 'a.md': 'wombat', 'sub/b.md': 'quokka' })
    const vault = await open(at, { watch: true })
    await vault.watching()
    put(at.dir, 'c.md', 'numbat')
    await until(() => found(vault, 'numbat').length === 1)
    put(at.dir, 'new/deep/d.md', 'bilby')
    await until(() => found(vault, 'bilby').length === 1)
    put(at.dir, 'new/deep/e.md', 'potoroo')
    await until(() => found(vault, 'potoroo').length === 1)
    put(at.dir, '.tmp-save', 'platypus')
    renameSync(join(at.dir, '.tmp-save'), join(at.dir, 'a.md'))
    await until(() => found(vault, 'platypus').length === 1)
    expect(found(vault, 'wombat')).toEqual([])
    renameSync(join(at.dir, 'sub'), join(at.dir, 'moved'))
    await until(() => found(vault, 'quokka')[0] === 'moved/b.md')
    rmSync(join(at.dir, 'new'), { recursive: true })
    await until(() => found(vault, 'bilby').length === 0)
    expect(vault.catalogue.files().map((f) => f.path)).toEqual(['a.md', 'c.md', 'moved/b.md'])
  })
})

describe('the snapshot', () => {
  const files = { 'a.md': '# A\n\nwombat [[b]] #tag', 'sub/b.md': 'quokka', 'c.md': 'numbat' }

  test('a second start knows everything and reads only what changed meanwhile', async () => {
    const at = folder(files)
    const first = await open(at)
    await first.close()
    put(at.dir, 'c.md', 'changed meanwhile')
    put(at.dir, 'd.md', 'came meanwhile')
    rmSync(join(at.dir, 'sub/b.md'))
    const vault = await open(at)
    await vault.built()
    expect([found(vault, 'wombat'), found(vault, 'meanwhile').sort(), found(vault, 'quokka')]).toEqual([
      ['a.md'],
      ['c.md', 'd.md'],
      [],
    ])
    expect(vault.file('a.md')?.facts?.tags).toEqual(['tag'])
    expect(vault.catalogue.graph.linksOf('a.md').map((l) => l.target)).toEqual(['b'])
  })

  test('what rules have come to hide since is gone at once, however much it is', async () => {
    const many = Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`Secret/${i}.md`, 'wombat']))
    const at = folder({ ...many, 'a.md': 'wombat' })
    await (await open(at)).close()
    const vault = await open(at, { rules: { deny: ['Secret/'] } })
    expect([found(vault, 'wombat'), vault.catalogue.fileCount, [...vault.catalogue.folders()]]).toEqual([
      ['a.md'],
      1,
      [],
    ])
  })

  test.each([
    ['cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length - 7)],
    [
      'flipped',
      (bytes: Buffer) =>
        Buffer.concat([bytes.subarray(0, 300), Buffer.from([bytes[300]! ^ 1]), bytes.subarray(301)]),
    ],
    ['foreign', () => Buffer.from('something else')],
    ['empty', () => Buffer.alloc(0)],
  ])('one that is %s is refused and built anew, and the next one is whole again', async (_, damage) => {
    const at = folder(files)
    await (await open(at)).close()
    const file = join(at.root, 'cache', 'index.knap')
    writeFileSync(file, damage(readFileSync(file)))
    const vault = await open(at)
    expect(found(vault, 'quokka')).toEqual(['sub/b.md'])
    await vault.close()
    const again = await open(at)
    expect(found(again, 'quokka')).toEqual(['sub/b.md'])
  })
})

describe('paths', () => {
  const files = { 'Sub/Note.md': 'n', '.obsidian/app.json': '{}', 'Archive/old.md': 'x', 'Secret/s.md': 'x' }

  test.each([
    { path: 'sub/note', reads: 'Sub/Note.md', changes: 'not_found' },
    { path: 'Sub/Note', reads: 'Sub/Note.md', changes: 'Sub/Note.md' },
    { path: '/Sub/Note.md', reads: 'Sub/Note.md', changes: 'Sub/Note.md' },
    { path: 'Sub', reads: 'is_folder', changes: 'is_folder' },
    { path: '', reads: 'is_folder', changes: 'is_folder' },
    { path: '.obsidian/app.json', reads: 'bad_path', changes: 'bad_path' },
    { path: 'Archive/old.md', reads: 'excluded', changes: 'excluded' },
    { path: 'Secret/s.md', reads: 'not_found', changes: 'not_found' },
    { path: 'Secret/s', reads: 'not_found', changes: 'not_found' },
    { path: 'Archive', reads: 'excluded', changes: 'excluded' },
    { path: 'Secret', reads: 'not_found', changes: 'not_found' },
    { path: 'Secret/', reads: 'not_found', changes: 'not_found' },
    { path: '/', reads: 'is_folder', changes: 'is_folder' },
    { path: 'link.md', reads: 'outside_vault', changes: 'outside_vault' },
    { path: 'to-archive.md', reads: 'excluded', changes: 'excluded' },
    { path: '../other.md', reads: 'outside_vault', changes: 'outside_vault' },
  ])('$path: reading $reads, changing $changes', async ({ path, reads, changes }) => {
    const at = folder(files)
    writeFileSync(join(at.root, 'other.md'), 'outside')
    symlinkSync(join(at.root, 'other.md'), join(at.dir, 'link.md'))
    symlinkSync(join(at.dir, 'Archive/old.md'), join(at.dir, 'to-archive.md'))
    const vault = await open(at, { rules: { exclude: ['Archive/'], deny: ['Secret/'] } })
    const answer = (work: Promise<{ path: string }>) =>
      work.then(
        (r) => r.path,
        (e: VaultError) => e.code,
      )
    expect([await answer(vault.locate(path)), await answer(vault.locateForChange(path))]).toEqual([
      reads,
      changes,
    ])
  })

  test('where only some paths are allowed, folders without any of them are not there', async () => {
    const vault = await open(folder({ ...files, 'Sub/other.txt': 'x' }), {
      rules: { allow: ['Sub/Note.md'] },
    })
    expect([...vault.catalogue.folders()].map((f) => f.path)).toEqual(['Sub'])
    expect(await codeOf(vault.locateFolder('Archive'))).toBe('not_found')
    expect((await vault.locateFolder('Sub')).path).toBe('Sub')
  })

  test('the absolute path of the vault may stand in front, also as the user named it', async () => {
    const at = folder(files)
    const link = join(at.root, 'link')
    symlinkSync(at.dir, link)
    const vault = await open(at, { namedRoot: link })
    const used = async (path: string) => (await vault.locate(path)).path
    expect(await used(join(at.dir, 'Sub/Note'))).toBe('Sub/Note.md')
    expect(await used(join(link, 'Sub/Note'))).toBe('Sub/Note.md')
  })

  test('hidden folders can be opened for reading alone', async () => {
    const at = folder(files)
    const vault = await open(at, { allowHidden: true })
    expect((await vault.locate('.obsidian/app.json')).path).toBe('.obsidian/app.json')
    expect(await codeOf(vault.locateForChange('.obsidian/app.json'))).toBe('bad_path')
    expect(await codeOf(vault.locateNew('.obsidian/x.md', { note: true }))).toBe('bad_path')
  })

  test('what the application excludes is found and stands lower', async () => {
    const at = folder({
      'Old/a.md': 'wombat wombat',
      'b.md': 'a wombat and others',
      '.obsidian/app.json': '{"userIgnoreFilters":["Old/"]}',
    })
    const { hits } = await searchNotes(await open(at), { query: 'wombat', limit: 5 })
    expect(hits.map((h) => h.path)).toEqual(['b.md', 'Old/a.md'])
  })

  test('reading leaves no trace in the vault', async () => {
    const at = folder({ 'a.md': 'x' })
    const vault = await open(at)
    await vault.read('a.md')
    found(vault, 'x')
    await vault.close()
    expect([...new Bun.Glob('**').scanSync({ cwd: at.dir, dot: true })]).toEqual(['a.md'])
  })
})
