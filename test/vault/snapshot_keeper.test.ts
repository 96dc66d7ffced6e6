import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TextIndex } from '../../src/index/text_index.ts'
import { Catalogue } from '../../src/vault/catalogue.ts'
import { loadSnapshot } from '../../src/vault/snapshot.ts'
import { SnapshotKeeper } from '../../src/vault/snapshot_keeper.ts'
import { doc } from '../index/doc.ts'

const folder = mkdtempSync(join(tmpdir(), 'knap-keeper-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function keeper(name: string, times: { afterMs: number; everyMs: number }) {
  const index = new TextIndex()
  let taken = 0
  let next = Promise.withResolvers<void>()
  const file = join(folder, name)
  const kept = new SnapshotKeeper(
    file,
    async () => {
      taken++
      next.resolve()
      next = Promise.withResolvers()
      return { files: [], indexParts: index.encodeParts(), languages: index.languages }
    },
    times,
  )
  const put = (path: string) => {
    index.put(doc(path, 'x'))
    kept.touch()
  }
  const size = async () => (await loadSnapshot(file, new Catalogue(), null))?.size ?? null
  return { kept, put, size, taken: () => taken, untilTaken: () => next.promise }
}

test('changes are gathered, and written once more at the end', async () => {
  const { kept, put, size, taken, untilTaken } = keeper('gathered', { afterMs: 1, everyMs: 1 })
  put('a.md')
  put('b.md')
  expect([taken(), await size()]).toEqual([0, null])
  const written = untilTaken()
  kept.start({ changed: true })
  await written
  put('c.md')
  await kept.close()
  expect([taken(), await size()]).toEqual([2, 3])
})

test('whatever changes, the next writing waits for its time; the end does not', async () => {
  const { kept, put, size, taken, untilTaken } = keeper('seldom', { afterMs: 1, everyMs: 3_600_000 })
  const written = untilTaken()
  kept.start({ changed: true })
  await written
  for (let i = 0; i < 20; i++) {
    put(`${i}.md`)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  expect(taken()).toBe(1)
  await kept.close()
  expect([taken(), await size()]).toEqual([2, 20])
})

test('what has not changed is not written', async () => {
  const { kept, taken } = keeper('unchanged', { afterMs: 1, everyMs: 1 })
  kept.start({ changed: false })
  await kept.close()
  expect(taken()).toBe(0)
})
