import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { revisionOf } from '../../src/note/revision.ts'
import { openLocalStorage } from '../../src/storage/local.ts'
import { openEditor } from '../../src/vault/edit.ts'
import { createRules } from '../../src/vault/rules.ts'
import { noteText, PLACES, seqOf } from './crash_notes.ts'

/** 500 for the long form. */
const KILLS = Number(process.env.KNAP_TEST_KILLS ?? 30)

test(
  `killed ${KILLS} times in the middle of its work, the server leaves every note whole, moves finished and a history that opens`,
  async () => {
    const top = mkdtempSync(join(tmpdir(), 'knap-crash-'))
    const [root, dataDir] = [join(top, 'vault'), join(top, 'data')]
    for (const folder of [root, join(root, 'here'), join(root, 'there')]) mkdirSync(folder)
    writeFileSync(join(root, PLACES[0]), noteText('moving', 1))
    writeFileSync(join(root, 'index.md'), `[[${PLACES[0]}]]`)
    const storage = await openLocalStorage(root)
    let rounds = 0
    let next = start(root, dataDir)
    for (let kill = 0; kill < KILLS; kill++) {
      const child = next
      rounds += await killWithin(child, 1 + Math.random() * 60)
      const { editor, history } = await openEditor({
        storage,
        rules: createRules({}),
        dataDir,
        onChange: () => {},
      })
      await verify(root, await filesOf(storage))
      const [newest] = await history.list({ limit: 1 })
      const kept = newest?.changes.find((c) => c.after !== null && c.after !== c.before)?.after
      if (kept) expect(revisionOf((await history.bytesOf(kept))!)).toBe(kept)
      editor.close()
      next = start(root, dataDir)
    }
    next.kill('SIGKILL')
    await next.exited
    expect(rounds).toBeGreaterThan(KILLS / 10)
    await storage.sweep(-1000)
    rmSync(top, { recursive: true })
  },
  1000 * (20 + KILLS),
)

function start(root: string, dataDir: string) {
  const script = join(import.meta.dir, 'crash_child.ts')
  return Bun.spawn([process.execPath, script, root, dataDir], { stdout: 'pipe', stderr: 'ignore' })
}

/** Lets a child finish its first round, then kills it some milliseconds later. @returns finished rounds */
async function killWithin(child: ReturnType<typeof start>, ms: number): Promise<number> {
  const reader = child.stdout.getReader()
  let rounds = 0
  const counting = (async () => {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      rounds += new TextDecoder().decode(read.value).split('\n').length - 1
    }
  })()
  while (rounds === 0 && child.exitCode === null) await Bun.sleep(2)
  await Bun.sleep(ms)
  child.kill('SIGKILL')
  await child.exited
  await counting
  return rounds
}

async function filesOf(storage: Awaited<ReturnType<typeof openLocalStorage>>): Promise<Map<string, string>> {
  const { entries } = await storage.list('', { recursive: true, enter: (f) => !f.startsWith('.') })
  const files = entries.filter((e) => e.kind === 'file').map((e) => e.path)
  const read = async (path: string) => [path, new TextDecoder().decode(await storage.read(path))] as const
  return new Map(await Promise.all(files.map(read)))
}

async function verify(root: string, files: Map<string, string>): Promise<void> {
  const seqs = new Map<string, number>()
  for (const [path, text] of files) {
    if (path === 'index.md') continue
    const name = path.replace(/^.*\//, '').replace('.md', '').replace('moved', 'moving')
    const seq = seqOf(name, text)
    expect({ path, whole: seq !== null }).toEqual({ path, whole: true })
    seqs.set(name, seq!)
  }
  expect(seqs.get('p')).toBe(seqs.get('q')!)
  const places = PLACES.filter((place) => files.has(place))
  expect(places.length).toBe(1)
  expect(readFileSync(join(root, 'index.md'), 'utf8')).toBe(`[[${places[0]}]]`)
  expect([...files.keys()].filter((path) => path.includes('.knap-tmp-'))).toEqual([])
}
