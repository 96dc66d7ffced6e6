import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { chmodSync, linkSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { VaultError } from '../../src/errors.ts'
import { createRules } from '../../src/vault/rules.ts'
import { codeOf } from '../storage/contract.ts'
import { ACTOR, type EditBench, editBench, rev, set, swap } from './edit_bench.ts'

let bench: EditBench
beforeEach(async () => {
  bench = await editBench({
    'a.md': 'one\n',
    'f/b.md': '---\nk: 1\n---\nbody\n',
    'x.canvas': '{"nodes":[]}',
    '.obsidian/app.json': '{}',
  })
})
afterEach(() => bench.close())

const change = (edit: ReturnType<typeof set>, more = {}) =>
  bench.editor.change({ ...edit, ...ACTOR, ...more })

describe('one note', () => {
  test('the answer says revision, previous revision and what changed, and the file holds it', async () => {
    const answer = await change(swap('a.md', 'one', 'two'))
    expect(answer).toEqual({
      path: 'a.md',
      revision: rev('two\n'),
      previous_revision: rev('one\n'),
      changed: true,
      changed_lines: 1,
      diff: '--- a/a.md\n+++ b/a.md\n@@ -1,1 +1,1 @@\n-one\n+two\n',
      warnings: [],
    })
    expect(bench.text('a.md')).toBe('two\n')
  })

  test('a dry run gives the same answer and writes nothing, neither note nor history', async () => {
    const dry = await change(swap('a.md', 'one', 'two'), { dryRun: true })
    expect([bench.text('a.md'), await bench.history.list(), bench.events]).toEqual(['one\n', [], []])
    expect(await change(swap('a.md', 'one', 'two'))).toEqual(dry)
  })

  test('equal bytes are no change: nothing is written, nothing is kept', async () => {
    const before = statSync(join(bench.root, 'a.md'))
    const answer = await change(set('a.md', 'one\n'))
    expect(answer).toMatchObject({ changed: false, changed_lines: 0, diff: '', revision: rev('one\n') })
    expect(statSync(join(bench.root, 'a.md')).ino).toBe(before.ino)
    expect([await bench.history.list(), bench.events]).toEqual([[], []])
  })

  test('mode and line ends stay, the time moves on', async () => {
    bench.put('crlf.md', '\ufeffone\r\ntwo\r\n')
    chmodSync(join(bench.root, 'crlf.md'), 0o640)
    const before = statSync(join(bench.root, 'crlf.md'))
    await change(swap('crlf.md', 'one', 'x'))
    const after = statSync(join(bench.root, 'crlf.md'))
    expect([bench.text('crlf.md'), after.mode & 0o777]).toEqual(['\ufeffx\r\ntwo\r\n', 0o640])
    expect(after.mtimeMs).toBeGreaterThan(before.mtimeMs)
  })

  const MODES = [
    { path: 'a.md', mode: 'create', code: 'already_exists' },
    { path: 'no.md', mode: 'replace', code: 'not_found' },
    { path: 'f', mode: 'replace', code: 'is_folder' },
    { path: 'f', mode: 'create', code: 'is_folder' },
    { path: '', mode: 'replace', code: 'is_folder' },
    { path: 'a.md', mode: 'upsert', code: null },
    { path: 'new/n.md', mode: 'create', code: null },
    { path: 'new/n.md', mode: 'upsert', code: null },
  ] as const
  test.each(MODES)('$mode of $path: $code', async ({ path, mode, code }) => {
    const before = bench.files()
    expect(await codeOf(change(set(path, 'new\n', { mode })))).toBe(code)
    expect(bench.files()).toEqual(code === null ? { ...before, [path]: 'new\n' } : before)
  })

  test('a throw of the edit leaves everything as it was, and the path is free', async () => {
    for (let i = 0; i < 100; i++) {
      const edit = () => {
        throw new VaultError('target_not_found', 'no', { hint: '' })
      }
      expect(await codeOf(change({ path: 'a.md', mode: 'replace', edit }))).toBe('target_not_found')
    }
    await change(swap('a.md', 'one', 'two'))
    expect((await bench.history.list()).length).toBe(1)
  })

  test('listeners are told at once, with bytes and times', async () => {
    await change(swap('a.md', 'one', 'two'))
    const [event] = bench.events
    expect([
      event!.path,
      new TextDecoder().decode(event!.before!),
      new TextDecoder().decode(event!.after!),
    ]).toEqual(['a.md', 'one\n', 'two\n'])
    expect(event!.entry).toMatchObject({
      path: 'a.md',
      size: 4,
      mtimeMs: statSync(join(bench.root, 'a.md')).mtimeMs,
    })
  })
})

describe('what would do damage', () => {
  const REFUSED = [
    {
      name: 'bytes that are not UTF-8',
      path: 'latin.md',
      before: new Uint8Array([0x61, 0xe9, 0x0a]),
      now: 'x',
      code: 'bad_encoding',
    },
    { name: 'a sound block broken', path: 'f/b.md', now: '---\nk: [1\n---\nbody\n', code: 'bad_frontmatter' },
    {
      name: 'a new note with a broken block',
      path: 'n.md',
      now: '---\nk: [1\n---\n',
      code: 'bad_frontmatter',
    },
    {
      name: 'a new note whose block is a list',
      path: 'n.md',
      now: '---\n- a\n---\nx',
      code: 'bad_frontmatter',
    },
    {
      name: 'a sound block made plain text',
      path: 'f/b.md',
      now: '---\njust text\n---\nx',
      code: 'bad_frontmatter',
    },
    { name: 'a canvas that is no JSON', path: 'x.canvas', now: '{"nodes":[}', code: 'bad_argument' },
    { name: 'a base that is no YAML', path: 'n.base', now: 'a: [1\n', code: 'bad_argument' },
  ]
  test.each(REFUSED)('$name is $code', async ({ path, before, now, code }) => {
    if (before) bench.put(path, before)
    const files = bench.files()
    expect(await codeOf(change(set(path, now)))).toBe(code)
    expect([bench.files(), await bench.history.list()]).toEqual([files, []])
  })

  test('a block that was broken already may be edited as raw text', async () => {
    bench.put('broken.md', '---\nk: [1\n---\nx\n')
    await change(swap('broken.md', 'x', 'y'))
    await change(swap('broken.md', '[1', '[1]'))
    expect(bench.text('broken.md')).toBe('---\nk: [1]\n---\ny\n')
  })

  test('code that plugins run is written and named', async () => {
    const { warnings } = await change(set('a.md', 'one\n\n```dataviewjs\nx\n```\n'))
    expect(warnings.join()).toContain('dataviewjs')
    expect((await change(swap('a.md', 'one', 'two'))).warnings).toEqual([])
  })
})

describe('revisions', () => {
  test('the expected revision is taken in any case; another one is a conflict that changes nothing', async () => {
    await change(swap('a.md', 'one', 'two', { expectedRevision: rev('one\n').toUpperCase() }))
    const error = await change(swap('a.md', 'two', 'three', { expectedRevision: rev('other') })).then(
      String,
      (e) => e,
    )
    expect([error.code, error.details.current_revision]).toEqual(['conflict', rev('two\n')])
    expect(bench.text('a.md')).toBe('two\n')
  })

  test('a conflict shows what has changed since the revision that was read, where it is known', async () => {
    await change(swap('a.md', 'one', 'two'))
    bench.put('a.md', 'three\n')
    const error = await change(set('a.md', 'x', { expectedRevision: rev('two\n') })).then(String, (e) => e)
    expect(error.details.diff).toContain('-two\n+three')
  })

  test('what was only read is known too once it is remembered', async () => {
    bench.editor.remember(rev('one\n'), new TextEncoder().encode('one\n'))
    bench.put('a.md', 'three\n')
    const error = await change(set('a.md', 'x', { expectedRevision: rev('one\n') })).then(String, (e) => e)
    expect(error.details.diff).toContain('-one\n+three')
  })

  test('where it is not known, the conflict shows what the change would do to the text that is there', async () => {
    const error = await change(set('a.md', 'mine\n', { expectedRevision: rev('never') })).then(
      String,
      (e) => e,
    )
    expect(error.details.diff).toContain('-one\n+mine')
  })

  test('a note that is gone is no conflict but not_found; with upsert it is a conflict', async () => {
    expect(await codeOf(change(set('no.md', 'x', { mode: 'replace', expectedRevision: rev('x') })))).toBe(
      'not_found',
    )
    expect(await codeOf(change(set('no.md', 'x', { expectedRevision: rev('x') })))).toBe('conflict')
  })

  test('sixteen writers who read, expect and write lose nothing and double nothing', async () => {
    bench.put('n.md', '0')
    let accepted = 0
    const writer = async () => {
      for (let i = 0; i < 10; ) {
        const seen = bench.text('n.md')
        const code = await codeOf(change(set('n.md', `${Number(seen) + 1}`, { expectedRevision: rev(seen) })))
        if (code === null) {
          accepted++
          i++
        } else expect(code).toBe('conflict')
      }
    }
    await Promise.all(Array.from({ length: 16 }, writer))
    expect([accepted, bench.text('n.md')]).toEqual([160, '160'])
    expect((await bench.history.list({ limit: 1000 })).length).toBe(160)
  })

  test('appends that overlap all arrive', async () => {
    const append = (i: number) =>
      change({ path: 'log.md', mode: 'upsert', edit: (before) => ({ text: `${before?.text ?? ''}${i}\n` }) })
    await Promise.all(Array.from({ length: 40 }, (_, i) => append(i)))
    expect(
      bench
        .text('log.md')
        .trim()
        .split('\n')
        .map(Number)
        .sort((a, b) => a - b),
    ).toEqual(Array.from({ length: 40 }, (_, i) => i))
  })

  test('of eight that create one note, one does', async () => {
    const codes = await Promise.all(
      Array.from({ length: 8 }, (_, i) => codeOf(change(set('race.md', `${i}`, { mode: 'create' })))),
    )
    expect(codes.filter((c) => c === null).length).toBe(1)
    expect(codes.filter((c) => c === 'already_exists').length).toBe(7)
  })
})

describe('the gate', () => {
  const CLOSED = [
    { path: '.obsidian/app.json', code: 'bad_path' },
    { path: '.obsidian/new.md', code: 'bad_path' },
    { path: '.trash/x.md', code: 'bad_path' },
    { path: 'Private/x.md', code: 'excluded' },
    { path: 'Denied/x.md', code: 'not_found' },
    { path: 'to-app.md', code: 'outside_vault' },
    { path: 'to-folder/new.md', code: 'outside_vault' },
    { path: 'out.md', code: 'outside_vault' },
  ]
  test.each(CLOSED)('$path is $code for every kind of change', async ({ path, code }) => {
    symlinkSync('.obsidian/app.json', join(bench.root, 'to-app.md'))
    symlinkSync('.obsidian', join(bench.root, 'to-folder'))
    symlinkSync(join(bench.top, 'evil.md'), join(bench.root, 'out.md'))
    writeFileSync(join(bench.top, 'evil.md'), 'evil')
    const rules = createRules({ exclude: ['Private/'], deny: ['Denied/'] })
    const { editor } = await bench.open({ rules })
    const before = bench.files()
    const works = [
      () => editor.change({ ...set(path, 'x'), ...ACTOR }),
      () => editor.changeMany([set('a.md', 'x'), set(path, 'x')], ACTOR),
      () => editor.writeBytes({ path, mode: 'upsert', bytes: new Uint8Array(3), ...ACTOR }),
      () => editor.remove({ path, ...ACTOR }),
      () => editor.move({ from: path, to: 'm.md', edits: [], ...ACTOR }),
      () => editor.move({ from: 'a.md', to: path, edits: [], ...ACTOR }),
    ]
    for (const work of works) expect(await codeOf(work())).toBe(code)
    expect(bench.files()).toEqual(before)
  })

  test('folders that may not be written are read_only', async () => {
    const { editor } = await bench.open({ rules: createRules({ write: ['f/'] }) })
    await editor.change({ ...swap('f/b.md', 'body', 'x'), ...ACTOR })
    expect(await codeOf(editor.change({ ...set('a.md', 'x'), ...ACTOR }))).toBe('read_only')
    expect(await codeOf(editor.move({ from: 'f', to: 'g', edits: [], ...ACTOR }))).toBe('read_only')
  })

  test('an edit through a link changes its target and leaves the link; both paths are told', async () => {
    symlinkSync('../a.md', join(bench.root, 'f/link.md'))
    await change(swap('f/link.md', 'one', 'two'))
    expect(bench.text('a.md')).toBe('two\n')
    expect(bench.events.map((e) => e.path).sort()).toEqual(['a.md', 'f/link.md'])
    expect((await bench.history.list({ path: 'a.md' })).length).toBe(1)
  })
})

describe('several notes', () => {
  test('are one entry of the history', async () => {
    const answers = await bench.editor.changeMany(
      [swap('a.md', 'one', 'two'), swap('f/b.md', 'none', 'x'), set('new.md', 'n')],
      ACTOR,
    )
    expect(answers.map((a) => [a.path, a.changed])).toEqual([
      ['a.md', true],
      ['f/b.md', false],
      ['new.md', true],
    ])
    const [entry, ...others] = await bench.history.list()
    expect([others, entry!.changes.map((c) => c.path)]).toEqual([[], ['a.md', 'new.md']])
  })

  test('if one is refused, none is changed', async () => {
    const before = bench.files()
    const edits = [swap('a.md', 'one', 'two'), set('x.canvas', '{'), set('new/n.md', 'n')]
    expect(await codeOf(bench.editor.changeMany(edits, ACTOR))).toBe('bad_argument')
    expect(await codeOf(bench.editor.changeMany([set('a.md', 'x'), set('a.md', 'y')], ACTOR))).toBe(
      'bad_argument',
    )
    expect(bench.files()).toEqual(before)
  })

  test('none of them is nothing', async () => {
    expect(await bench.editor.changeMany([], ACTOR)).toEqual([])
  })
})

describe('any bytes', () => {
  test('are put in place, kept, and never over what stands there when they are new', async () => {
    const write = (mode: 'create' | 'replace', bytes: number[]) =>
      bench.editor.writeBytes({ path: 'i/p.png', mode, bytes: new Uint8Array(bytes), ...ACTOR })
    expect(await write('create', [255, 0])).toMatchObject({
      changed: true,
      previous_revision: null,
      diff: '',
    })
    expect(await codeOf(write('create', [1]))).toBe('already_exists')
    await write('replace', [255, 1])
    expect(await write('replace', [255, 1])).toMatchObject({ changed: false })
    expect((await bench.history.list({ path: 'i/p.png' })).length).toBe(2)
  })
})

test('a hard-linked note keeps its other name’s old text: the file is replaced, not written into', async () => {
  mkdirSync(join(bench.root, 'h'))
  linkSync(join(bench.root, 'a.md'), join(bench.root, 'h/a.md'))
  await change(swap('a.md', 'one', 'two'))
  expect([bench.text('a.md'), bench.text('h/a.md')]).toEqual(['two\n', 'one\n'])
})
