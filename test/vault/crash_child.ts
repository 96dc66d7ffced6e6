/** Edits a vault in a loop until it is killed: `bun crash_child.ts VAULT DATA`. Each line of output is a finished round. */
import { openLocalStorage } from '../../src/storage/local.ts'
import { openEditor } from '../../src/vault/edit.ts'
import { createRules } from '../../src/vault/rules.ts'
import { noteText, otherPlace, PLACES } from './crash_notes.ts'

const [root, dataDir] = process.argv.slice(2) as [string, string]
const storage = await openLocalStorage(root)
const { editor } = await openEditor({ storage, rules: createRules({}), dataDir, onChange: () => {} })
const actor = { client: 'child', tool: 'loop' }

async function singleNotes(seq: number): Promise<void> {
  await Promise.all(
    [0, 1, 2].map((n) =>
      editor.change({
        path: `n${n}.md`,
        mode: 'upsert',
        edit: () => ({ text: noteText(`n${n}`, seq) }),
        ...actor,
      }),
    ),
  )
}

async function pair(seq: number): Promise<void> {
  const edits = ['p', 'q'].map((name) => ({
    path: `pair/${name}.md`,
    mode: 'upsert' as const,
    edit: () => ({ text: noteText(name, seq) }),
  }))
  await editor.changeMany(edits, actor)
}

async function move(): Promise<void> {
  const from = (await storage.stat(PLACES[0])) === null ? PLACES[1] : PLACES[0]
  const to = otherPlace(from)
  const edit = () => ({ text: `[[${to}]]` })
  await editor.move({ from, to, edits: [{ path: 'index.md', mode: 'replace', edit }], ...actor })
}

async function comeAndGo(seq: number): Promise<void> {
  await editor.change({
    path: 'gone.md',
    mode: 'upsert',
    edit: () => ({ text: noteText('gone', seq) }),
    ...actor,
  })
  await editor.remove({ path: 'gone.md', permanent: seq % 2 === 0, ...actor })
}

for (let seq = Date.now() % 1_000_000; ; seq++) {
  await singleNotes(seq)
  await pair(seq)
  await move()
  await comeAndGo(seq)
  console.log(seq)
}
