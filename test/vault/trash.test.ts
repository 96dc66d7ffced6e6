import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemTrashFor } from '../../src/vault/system_trash.ts'
import { codeOf } from '../storage/contract.ts'
import { ACTOR, type EditBench, editBench, rev } from './edit_bench.ts'

let bench: EditBench
beforeEach(async () => {
  bench = await editBench({ 's/a.md': 'a\n', 'b.md': 'b\n', 'i.png': 'png' })
})
afterEach(() => bench.close())

const remove = (path: string, more = {}) => bench.editor.remove({ path, ...ACTOR, ...more })

test('a deleted note lies in .trash under its folders', async () => {
  const answer = await remove('s/a.md')
  expect(answer).toMatchObject({
    path: 's/a.md',
    revision: null,
    previous_revision: rev('a\n'),
    changed: true,
    changed_lines: 1,
    trashed_to: '.trash/s/a.md',
    warnings: [],
  })
  expect(answer.diff).toContain('-a')
  expect(bench.files()).toEqual({ '.trash/s/a.md': 'a\n', 'b.md': 'b\n', 'i.png': 'png' })
  expect(bench.events.map((e) => [e.path, e.after, e.entry])).toEqual([['s/a.md', null, null]])
})

test('a name that is taken in the trash gets a number', async () => {
  for (const text of ['1', '2', '3']) {
    bench.put('v1.2.md', text)
    await remove('v1.2.md')
  }
  expect(Object.keys(bench.files()).filter((f) => f.startsWith('.trash'))).toEqual([
    '.trash/v1.2 2.md',
    '.trash/v1.2 3.md',
    '.trash/v1.2.md',
  ])
  bench.put('README', 'x')
  await remove('README')
  bench.put('README', 'y')
  expect((await remove('README')).trashed_to).toBe('.trash/README 2')
})

test('permanent really deletes; the history still has it', async () => {
  expect((await remove('b.md', { permanent: true })).trashed_to).toBeNull()
  expect(bench.files()).toEqual({ 's/a.md': 'a\n', 'i.png': 'png' })
  expect(new TextDecoder().decode((await bench.history.bytesOf(rev('b\n')))!)).toBe('b\n')
})

test('a dry run, a wrong revision, a folder, nothing: nothing is deleted', async () => {
  const before = bench.files()
  expect(await remove('b.md', { dryRun: true })).toMatchObject({
    trashed_to: '.trash/b.md',
    previous_revision: rev('b\n'),
  })
  expect(await codeOf(remove('b.md', { expectedRevision: rev('x') }))).toBe('conflict')
  expect(await codeOf(remove('s'))).toBe('is_folder')
  expect(await codeOf(remove(''))).toBe('is_folder')
  expect(await codeOf(remove('no.md'))).toBe('not_found')
  expect([bench.files(), await bench.history.list()]).toEqual([before, []])
})

test('where the vault says none, .trash is used all the same, and said', async () => {
  const { trashed_to, warnings } = await remove('b.md', { trash: 'none' })
  expect([trashed_to, warnings[0]]).toEqual(['.trash/b.md', expect.stringContaining('permanent: true')])
})

test('a link in the vault is what is deleted, never what it leads to', async () => {
  symlinkSync('../b.md', join(bench.root, 's/l.md'))
  await remove('s/l.md')
  expect([bench.text('b.md'), existsSync(join(bench.root, 's/l.md'))]).toEqual(['b\n', false])
})

test('a trash folder that leads out of the vault is refused', async () => {
  mkdirSync(join(bench.top, 'away'))
  symlinkSync(join(bench.top, 'away'), join(bench.root, '.trash'))
  expect(await codeOf(remove('b.md'))).toBe('outside_vault')
  expect([bench.text('b.md'), readdirSync(join(bench.top, 'away'))]).toEqual(['b\n', []])
})

describe('the trash of the system', () => {
  const open = (more = {}) => {
    const place = { platform: 'linux', home: bench.top, dataHome: join(bench.top, 'share'), ...more }
    return bench.open({ systemTrash: systemTrashFor(bench.root, place) })
  }

  test('takes the file with where it was and when it went', async () => {
    const { editor, history } = await open()
    for (const text of ['first\n', 'second\n']) {
      bench.put('s/ä b.md', text)
      const answer = await editor.remove({ path: 's/ä b.md', trash: 'system', ...ACTOR })
      expect([answer.trashed_to, answer.warnings]).toEqual([null, []])
    }
    const trash = join(bench.top, 'share/Trash')
    expect(readFileSync(join(trash, 'files/ä b.md.2'), 'utf8')).toBe('second\n')
    const info = readFileSync(join(trash, 'info/ä b.md.trashinfo'), 'utf8')
    expect(info).toMatch(
      /^\[Trash Info\]\nPath=\/.*\/vault\/s\/%C3%A4%20b\.md\nDeletionDate=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\n$/,
    )
    expect([existsSync(join(bench.root, '.trash')), (await history.list()).length]).toEqual([false, 2])
    const [entry] = await history.list()
    await editor.restore({ reference: entry!.id, ...ACTOR })
    expect(bench.text('s/ä b.md')).toBe('second\n')
  })

  test('that cannot take it, or is not to be had, is said, and .trash serves', async () => {
    writeFileSync(join(bench.top, 'share'), 'a file')
    const broken = (await open()).editor
    expect((await broken.remove({ path: 'b.md', trash: 'system', ...ACTOR })).trashed_to).toBe('.trash/b.md')
    const none = (await open({ platform: 'darwin' })).editor
    const answer = await none.remove({ path: 's/a.md', trash: 'system', ...ACTOR })
    expect([answer.trashed_to, answer.warnings[0]]).toEqual([
      '.trash/s/a.md',
      expect.stringContaining('not to be had'),
    ])
    expect((await bench.history.list()).length).toBe(2)
  })
})
