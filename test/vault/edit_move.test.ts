import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../storage/contract.ts'
import { ACTOR, type EditBench, editBench, rev, set, swap } from './edit_bench.ts'

const FILES = { 'a.md': '[[b]]\n', 'b.md': 'b\n', 'f/c.md': '[[b]] c\n', 'f/i.png': 'png' }

let bench: EditBench
beforeEach(async () => {
  bench = await editBench(FILES)
})
afterEach(() => bench.close())

const move = (from: string, to: string, edits: ReturnType<typeof set>[] = [], more = {}) =>
  bench.editor.move({ from, to, edits, ...ACTOR, ...more })

test('a note moves with the links to it; the answer names what changed, under the new paths', async () => {
  const moved = await move('b.md', 'n/b2.md', [
    swap('a.md', '[[b]]', '[[b2]]'),
    swap('b.md', 'b', 'B'),
    swap('f/c.md', 'nope', 'x'),
  ])
  expect([moved.kind, moved.revision, moved.previous_revision]).toEqual(['file', rev('B\n'), rev('b\n')])
  expect(moved.changes.map((c) => [c.path, c.changed])).toEqual([
    ['a.md', true],
    ['n/b2.md', true],
    ['f/c.md', false],
  ])
  expect(bench.files()).toEqual({
    'a.md': '[[b2]]\n',
    'f/c.md': '[[b]] c\n',
    'f/i.png': 'png',
    'n/b2.md': 'B\n',
  })
  const told = bench.events.map((e) => [e.path, e.entry === null])
  expect(told).toEqual([
    ['b.md', true],
    ['n/b2.md', false],
    ['a.md', false],
  ])
  const [entry, ...others] = await bench.history.list({ path: 'n/b2.md' })
  expect([entry!.action, others]).toEqual(['move', []])
})

test('a note that only moves keeps its bytes, its times and its place in the history', async () => {
  await bench.editor.change({ ...swap('b.md', 'b', 'b1'), ...ACTOR })
  const before = statSync(join(bench.root, 'b.md'))
  expect(await move('b.md', 'f/b.md')).toMatchObject({
    revision: rev('b1\n'),
    previous_revision: rev('b1\n'),
    changes: [],
  })
  const after = statSync(join(bench.root, 'f/b.md'))
  expect([after.ino, after.mtimeMs]).toEqual([before.ino, before.mtimeMs])
  expect((await bench.history.list({ path: 'f/b.md' })).map((e) => e.action)).toEqual(['move', 'change'])
})

test('a folder moves with all that is in it, attachments unread', async () => {
  await move('f', 'g/h', [swap('f/c.md', ' c', ' C')])
  expect(bench.files()).toEqual({
    'a.md': '[[b]]\n',
    'b.md': 'b\n',
    'g/h/c.md': '[[b]] C\n',
    'g/h/i.png': 'png',
  })
  const told = Object.fromEntries(
    bench.events.map((e) => [e.path, e.after && new TextDecoder().decode(e.after)]),
  )
  expect(told).toEqual({ f: null, 'f/c.md': null, 'f/i.png': null, 'g/h/c.md': '[[b]] C\n', 'g/h/i.png': '' })
})

test('a dry run answers the same and moves nothing', async () => {
  const edits = [swap('a.md', '[[b]]', '[[n]]')]
  const dry = await move('b.md', 'n.md', edits, { dryRun: true })
  expect([bench.files(), bench.events, await bench.history.list()]).toEqual([FILES, [], []])
  expect(await move('b.md', 'n.md', edits)).toEqual(dry)
})

const REFUSED = [
  { name: 'what is not there', from: 'no.md', to: 'n.md', code: 'not_found' },
  { name: 'over a note', from: 'a.md', to: 'b.md', code: 'already_exists' },
  { name: 'over a folder', from: 'a.md', to: 'f', code: 'already_exists' },
  {
    name: 'over a folder, although overwriting',
    from: 'a.md',
    to: 'f',
    more: { overwrite: true },
    code: 'already_exists',
  },
  { name: 'to where it is', from: 'a.md', to: 'a.md', code: 'already_exists' },
  { name: 'a folder into itself', from: 'f', to: 'f/g', code: 'bad_path' },
  { name: 'into the hidden', from: 'a.md', to: '.obsidian/a.md', code: 'bad_path' },
  {
    name: 'with another revision expected',
    from: 'a.md',
    to: 'n.md',
    more: { expectedRevision: rev('x') },
    code: 'conflict',
  },
  {
    name: 'with an edit that is refused',
    from: 'a.md',
    to: 'n.md',
    edits: [set('b.md', '---\na: [\n---\n', { mode: 'create' })],
    code: 'already_exists',
  },
  { name: 'the root', from: '', to: 'n', code: 'is_folder' },
]
test.each(REFUSED)('moving $name is $code and changes nothing', async ({ from, to, edits, more, code }) => {
  expect(await codeOf(move(from, to, edits ?? [], more))).toBe(code)
  expect([bench.files(), await bench.history.list()]).toEqual([FILES, []])
})

test('overwriting keeps what was there in the history', async () => {
  await move('a.md', 'b.md', [], { overwrite: true })
  expect(bench.files()).toEqual({ 'b.md': '[[b]]\n', 'f/c.md': '[[b]] c\n', 'f/i.png': 'png' })
  expect(await bench.history.bytesOf(rev('b\n'))).not.toBeNull()
})

test('a name changes only its case or its normal form', async () => {
  await move('a.md', 'A.md')
  await move('f', 'F')
  bench.put('Caf\u00e9.md', 'c')
  await move('Caf\u00e9.md', 'Cafe\u0301.md')
  expect(Object.keys(bench.files()).sort()).toEqual(['A.md', 'Cafe\u0301.md', 'F/c.md', 'F/i.png', 'b.md'])
})

test('on a disk that tells case apart, another note is no other spelling of this one', async () => {
  bench.put('A.md', 'other')
  expect(await codeOf(move('a.md', 'A.md'))).toBe('already_exists')
  expect([bench.text('a.md'), bench.text('A.md')]).toEqual(['[[b]]\n', 'other'])
})

test('a link moves as a link', async () => {
  symlinkSync('b.md', join(bench.root, 'l.md'))
  await move('l.md', 'l2.md')
  expect([bench.text('b.md'), readFileSync(join(bench.root, 'l2.md'), 'utf8')]).toEqual(['b\n', 'b\n'])
})

describe('undoing', () => {
  const undoLast = async () => {
    const [entry] = await bench.history.list()
    return bench.editor.restore({ reference: entry!.id, ...ACTOR })
  }
  const WORKS = [
    { name: 'a change', work: () => bench.editor.change({ ...swap('a.md', 'b', 'x'), ...ACTOR }) },
    { name: 'a new note', work: () => bench.editor.change({ ...set('n/n.md', 'n'), ...ACTOR }) },
    {
      name: 'several changes',
      work: () =>
        bench.editor.changeMany([swap('a.md', 'b', 'x'), set('n.md', 'n'), swap('f/c.md', 'c', 'x')], ACTOR),
    },
    { name: 'a deletion', work: () => bench.editor.remove({ path: 'b.md', ...ACTOR }) },
    {
      name: 'a permanent deletion',
      work: () => bench.editor.remove({ path: 'b.md', permanent: true, ...ACTOR }),
    },
    { name: 'a deleted attachment', work: () => bench.editor.remove({ path: 'f/i.png', ...ACTOR }) },
    { name: 'a move', work: () => move('b.md', 'n/m.md') },
    {
      name: 'a move with edits',
      work: () =>
        move('b.md', 'n/m.md', [swap('b.md', 'b', 'B'), swap('a.md', 'b', 'm'), swap('f/c.md', 'b', 'm')]),
    },
    { name: 'a move over another note', work: () => move('a.md', 'b.md', [], { overwrite: true }) },
    { name: 'a moved attachment', work: () => move('f/i.png', 'i.png') },
    {
      name: 'a moved folder with edits',
      work: () => move('f', 'g', [swap('f/c.md', 'c', 'C'), swap('a.md', 'b', 'x')]),
    },
    {
      name: 'bytes',
      work: () =>
        bench.editor.writeBytes({ path: 'f/i.png', mode: 'replace', bytes: new Uint8Array([1]), ...ACTOR }),
    },
  ]
  test.each(WORKS)('$name gives the vault of before, and can be undone again', async ({ work }) => {
    await work()
    const done = bench.files()
    const answers = await undoLast()
    expect(bench.files()).toEqual(FILES)
    expect(answers.length).toBeGreaterThanOrEqual(1)
    expect((await bench.history.list())[0]!.action).toBe('restore')
    await undoLast()
    const trashless = ([name]: [string, string]) => !name.startsWith('.trash')
    const visible = (files: Record<string, string>) =>
      Object.fromEntries(Object.entries(files).filter(trashless))
    expect(visible(bench.files())).toEqual(visible(done))
  })

  test('what has been changed since is a conflict, and nothing is undone', async () => {
    await bench.editor.changeMany([swap('a.md', 'b', 'x'), swap('b.md', 'b', 'y')], ACTOR)
    bench.put('b.md', 'mine')
    const before = bench.files()
    expect(await codeOf(undoLast())).toBe('conflict')
    expect(bench.files()).toEqual(before)
  })

  test('a dry run shows what it would do', async () => {
    await bench.editor.change({ ...swap('a.md', 'b', 'x'), ...ACTOR })
    const [entry] = await bench.history.list()
    const [answer] = await bench.editor.restore({ reference: entry!.id, dryRun: true, ...ACTOR })
    expect([answer!.diff.includes('+[[b]]'), bench.text('a.md')]).toEqual([true, '[[x]]\n'])
  })
})

describe('bringing a revision back', () => {
  test('replaces the note, which is kept; twice is the same', async () => {
    for (const text of ['1\n', '2\n', '3\n']) await bench.editor.change({ ...set('a.md', text), ...ACTOR })
    const request = { reference: rev('1\n').slice(0, 12), path: 'a.md', ...ACTOR }
    expect((await bench.editor.restore(request))[0]).toMatchObject({
      path: 'a.md',
      changed: true,
      revision: rev('1\n'),
    })
    expect((await bench.editor.restore(request))[0]).toMatchObject({ changed: false })
    expect([bench.text('a.md'), (await bench.history.list()).length]).toEqual(['1\n', 4])
    expect(bench.events.at(-1)!.path).toBe('a.md')
  })

  test('brings back a note that is gone, to where it was or to another path', async () => {
    await bench.editor.remove({ path: 'b.md', permanent: true, ...ACTOR })
    await bench.editor.restore({ reference: rev('b\n'), ...ACTOR })
    await bench.editor.restore({ reference: rev('b\n'), path: 'copy/b.md', ...ACTOR })
    expect([bench.text('b.md'), bench.text('copy/b.md')]).toEqual(['b\n', 'b\n'])
  })

  test('is guarded like every change', async () => {
    await bench.editor.change({ ...set('a.md', '1\n'), ...ACTOR })
    const restore = (more: object) =>
      bench.editor.restore({ reference: rev('[[b]]\n'), path: 'a.md', ...ACTOR, ...more })
    expect(await codeOf(restore({ expectedRevision: rev('x') }))).toBe('conflict')
    expect(await codeOf(restore({ path: '.obsidian/a.md' }))).toBe('bad_path')
    expect(await codeOf(restore({ path: 'f' }))).toBe('is_folder')
    expect(await codeOf(restore({ reference: rev('unknown') }))).toBe('not_found')
    expect(bench.text('a.md')).toBe('1\n')
  })
})
