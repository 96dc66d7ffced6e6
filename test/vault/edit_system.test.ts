import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../storage/contract.ts'
import { ACTOR, editBench, rev, swap } from './edit_bench.ts'

const SOURCE = join(import.meta.dir, '../../src')

/** A script that opens an editor over a vault, as another server would. */
function script(body: string): string {
  return `
    import { openLocalStorage } from ${JSON.stringify(join(SOURCE, 'storage/local.ts'))}
    import { openEditor } from ${JSON.stringify(join(SOURCE, 'vault/edit.ts'))}
    import { createRules } from ${JSON.stringify(join(SOURCE, 'vault/rules.ts'))}
    const [root, dataDir, who] = process.argv.slice(1)
    const storage = await openLocalStorage(root)
    const { editor, history } = await openEditor({ storage, rules: createRules({}), dataDir, onChange: () => {} })
    const actor = { client: who, tool: 'test' }
    ${body}
    editor.close()`
}

test('two servers that append to one note lose nothing, and both are in its history', async () => {
  const bench = await editBench({ 'log.md': '' })
  const body = script(`
    for (let i = 0; i < 40; i++) {
      await editor.change({ path: 'log.md', mode: 'replace', edit: (b) => ({ text: b.text + who + ' ' + i + '\\n' }), ...actor })
    }`)
  const servers = ['one', 'two'].map((who) =>
    Bun.spawn([process.execPath, '-e', body, bench.root, bench.dataDir, who], { stderr: 'inherit' }),
  )
  expect(await Promise.all(servers.map((s) => s.exited))).toEqual([0, 0])
  const lines = bench.text('log.md').trim().split('\n')
  const right = ['one', 'two'].flatMap((who) => Array.from({ length: 40 }, (_, i) => `${who} ${i}`))
  expect(lines.toSorted()).toEqual(right.toSorted())
  for (const who of ['one', 'two'])
    expect(lines.filter((l) => l.startsWith(who))).toEqual(right.filter((l) => l.startsWith(who)))
  expect((await bench.history.list({ limit: 1000 })).length).toBe(80)
  bench.close()
})

test('a save by another program in the moment of our write is a conflict, and its bytes are in the history too', async () => {
  const bench = await editBench({ 'a.md': 'one\n' })
  // The edit itself is the moment between our look and our write.
  const edit = () => {
    bench.put('a.md', 'theirs\n')
    return { text: 'ours\n' }
  }
  const error = await bench.editor
    .change({ path: 'a.md', mode: 'replace', edit, ...ACTOR })
    .then(String, (e) => e)
  expect([error.code, error.details.current_revision]).toEqual(['conflict', rev('theirs\n')])
  expect(bench.text('a.md')).toBe('theirs\n')
  const [entry, ...others] = await bench.history.list()
  expect([entry!.action, entry!.changes[0]!.before, others]).toEqual(['conflict', rev('theirs\n'), []])
  expect(new TextDecoder().decode((await bench.history.bytesOf(rev('theirs\n')))!)).toBe('theirs\n')
  bench.close()
})

/** Mount points of one's own need Linux and its user namespaces. */
const canMount =
  process.platform === 'linux' &&
  Bun.spawnSync(['unshare', '-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt']).exitCode === 0

/** Runs a script on a vault that lies on a file system of its own. */
async function onMount(
  prepare: string,
  body: string,
): Promise<{ out: string; top: string; close: () => void }> {
  const bench = await editBench({ 'a.md': 'one\n', 'b.md': '[[a]]\n' })
  const mount = join(bench.top, 'mount')
  mkdirSync(mount)
  writeFileSync(
    join(bench.top, 'script.ts'),
    script(body).replaceAll('process.argv.slice(1)', 'process.argv.slice(2)'),
  )
  const commands = `set -e; mount -t tmpfs -o size=1m none ${mount}; cp -r ${bench.root}/. ${mount}; ${prepare.replaceAll('MOUNT', mount)}
    ${process.execPath} ${bench.top}/script.ts ${mount} ${bench.dataDir} test; cat ${mount}/a.md; ls -A ${mount}`
  const child = Bun.spawn(['unshare', '-rm', 'sh', '-c', commands], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return { out: stdout + stderr, top: bench.top, close: bench.close }
}

const FAILING = `
    const code = (work) => work.then(() => 'done', (e) => e.code)
    const big = 'x'.repeat(300000)
    console.log(await code(editor.change({ path: 'a.md', mode: 'replace', edit: () => ({ text: big }), ...actor })))
    console.log(await code(editor.change({ path: 'f/new.md', mode: 'create', edit: () => ({ text: big }), ...actor })))
    console.log(await code(editor.changeMany(['b.md', 'a.md'].map((path) => ({ path, mode: 'replace', edit: (b) => ({ text: b.text + (path === 'a.md' ? big : 'x') }) })), actor)))
    console.log((await history.list()).length, (await storage.list('', { recursive: true })).entries.length)`

if (canMount) {
  test('a disk that is full is disk_full; notes stay, nothing half-written stays, the history tells of nothing', async () => {
    const { out, close } = await onMount(
      'dd if=/dev/zero of=MOUNT/fill bs=1k count=900 2>/dev/null;',
      FAILING,
    )
    expect(out).toBe('disk_full\ndisk_full\ndisk_full\n0 3\none\na.md\nb.md\nfill\n')
    close()
  })

  test('a vault that is mounted read-only is read_only, and still read', async () => {
    const { out, close } = await onMount('mount -o remount,ro MOUNT;', FAILING)
    expect(out).toBe('read_only\nread_only\nread_only\n0 2\none\na.md\nb.md\n')
    close()
  })
}

test('a data folder that cannot be written stops the change before the note', async () => {
  const bench = await editBench({ 'a.md': 'one\n' })
  writeFileSync(join(bench.top, 'file'), '')
  const { editor } = await bench.open({ dataDir: join(bench.top, 'file/data') })
  expect(await codeOf(editor.change({ ...swap('a.md', 'one', 'two'), ...ACTOR }))).toBe('unavailable')
  expect(bench.text('a.md')).toBe('one\n')
  bench.close()
})

test('a vault that is only read is not touched, nor is a data folder made', async () => {
  const bench = await editBench({ 'a.md': 'one\n', '.knap-tmp-0123456789abcdef': 'left' })
  const dataDir = join(bench.top, 'other')
  await bench.open({ dataDir, readOnly: true })
  expect([existsSync(dataDir), readdirSync(bench.root).length]).toEqual([false, 2])
  expect(readFileSync(join(bench.root, 'a.md'), 'utf8')).toBe('one\n')
  bench.close()
})
