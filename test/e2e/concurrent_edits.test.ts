import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import {
  type AnyClient,
  connectHttp,
  type RunningServer,
  startHttp,
  type TemporaryVault,
  temporaryVault,
} from './clients.ts'

/** How long the clients edit: a minute or more says more than a test run has time for. */
const SECONDS = Number(process.env.KNAP_TEST_SECONDS ?? 2)
const CLIENTS = 16
const NOTES = 50

setDefaultTimeout((SECONDS + 30) * 1000)

const name = (i: number) => `n${i}.md`
const before = '---\ncount: 0\n---\n# Log\n\n## End\nkept\n'

let vault: TemporaryVault
let server: RunningServer
let clients: AnyClient[]
beforeAll(async () => {
  vault = temporaryVault(Object.fromEntries(Array.from({ length: NOTES }, (_, i) => [name(i), before])))
  server = await startHttp(vault)
  clients = await Promise.all(Array.from({ length: CLIENTS }, (_, i) => connectHttp(i % 2 === 0, server.url)))
})
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()))
  await server.stop()
  vault.remove()
})

interface Tally {
  /** Lines that an accepted edit put under `Log`, by note. */
  readonly lines: Map<number, string[]>
  /** Accepted additions of one to the property `count`, by note. */
  readonly counted: Map<number, number>
}

test(`${CLIENTS} clients edit ${NOTES} notes for ${SECONDS} s: what was accepted is on disk, once, and nothing else`, async () => {
  const tally: Tally = { lines: new Map(), counted: new Map() }
  const end = performance.now() + SECONDS * 1000
  await Promise.all(
    clients.map(async (client, id) => {
      // Neighbours meet on the same notes, so that most of the edits race.
      for (let turn = 0; performance.now() < end; turn++) {
        const note = (turn * 7 + Math.floor(id / 4)) % NOTES
        await (turn % 2 === 0
          ? addLine(client, note, `- c${id} t${turn}`, tally)
          : count(client, note, tally))
      }
    }),
  )
  expect([...tally.lines.values()].flat().length).toBeGreaterThan(0)
  for (let i = 0; i < NOTES; i++) {
    const lines = tally.lines.get(i) ?? []
    const text = readFileSync(vault.path(name(i)), 'utf8')
    expect(text.match(/^- c.*$/gm) ?? []).toEqual(expect.arrayContaining(lines))
    expect(text).toBe(
      before
        .replace('count: 0', `count: ${tally.counted.get(i) ?? 0}`)
        .replace('# Log\n', `# Log\n${(text.match(/^- c.*\n/gm) ?? []).join('')}`),
    )
    expect((text.match(/^- c/gm) ?? []).length).toBe(lines.length)
  }
})

async function addLine(client: AnyClient, note: number, line: string, tally: Tally): Promise<void> {
  const read = await client.call('note_read', { path: name(note) })
  const edit = await client.call('note_patch', {
    path: name(note),
    operation: 'append',
    target_type: 'heading',
    target: 'Log',
    scope: 'body',
    content: line,
    expected_revision: read.structured.revision,
  })
  if (accept(edit)) tally.lines.set(note, [...(tally.lines.get(note) ?? []), line])
}

async function count(client: AnyClient, note: number, tally: Tally): Promise<void> {
  const read = await client.call('frontmatter', { action: 'get', path: name(note), key: 'count' })
  const edit = await client.call('frontmatter', {
    action: 'set',
    path: name(note),
    key: 'count',
    value: (read.structured.value as number) + 1,
    expected_revision: read.structured.revision,
  })
  if (accept(edit)) tally.counted.set(note, (tally.counted.get(note) ?? 0) + 1)
}

/** A refusal other than a conflict is a failure of the test. */
function accept({ isError, text }: { isError: boolean; text: string }): boolean {
  if (!isError) return true
  expect(JSON.parse(text)).toMatchObject({ code: 'conflict' })
  return false
}
