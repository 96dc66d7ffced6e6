import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { canvasFacts } from '../src/note/canvas.ts'
import { decodeNote } from '../src/note/encoding.ts'
import { fastFacts } from '../src/note/fast.ts'
import type { LinkFact, NoteFacts } from '../src/note/note.ts'
import { extensionOf, stemOf } from '../src/note/path.ts'
import { Graph } from '../src/vault/graph.ts'
import { backlinks, countLinks, orphans } from '../src/vault/link_queries.ts'
import { planMove } from '../src/vault/moves.ts'
import { NameIndex } from '../src/vault/names.ts'
import { type Cell, table } from './lib/table.ts'

/**
 * The link graph: real vaults given as folders (each link classified), and made ones of growing size, where adding,
 * editing, deleting and planning a rename must cost the same at every size.
 *
 *     bun bench/graph.ts [FOLDER ...]
 */
const folders = process.argv.slice(2)
if (folders.length > 0) {
  const head =
    'vault notes links resolved ambiguous no_note no_file no_fragment orphans parse_ms set_ms count_ms orphans_ms MiB'
  console.log(`${table(head.split(' '), folders.map(realVault), 1)}\n`)
}
const head = 'notes add_µs edit_µs delete_µs backlinks_µs plan_rename_µs plan_rename_p95 nearest_ms'
console.log(table(head.split(' '), [1_000, 5_000, 20_000, 50_000].map(madeVault), 1))

function realVault(folder: string): Cell[] {
  const paths = filesIn(folder)
  const before = memory()
  const started = performance.now()
  const facts = new Map<string, NoteFacts>()
  for (const path of paths) {
    const extension = extensionOf(path)
    if (extension !== 'md' && extension !== 'canvas') continue
    const { text } = decodeNote(readFileSync(join(folder, path)))
    facts.set(path, (extension === 'md' ? fastFacts(path, text) : canvasFacts(path, text)).facts)
  }
  const parsed = performance.now()
  const graph = new Graph(new NameIndex())
  for (const path of paths) graph.names.addFile(path)
  for (const [path, fact] of facts) graph.set(path, fact)
  const set = performance.now()
  const { links, ambiguous, broken } = countLinks(graph)
  const counted = performance.now()
  const alone = orphans(graph).length
  const done = performance.now()
  const lost = [broken.missing_note, broken.missing_attachment, broken.broken_fragment]
  const resolved = links - lost[0]! - lost[1]!
  const times = [parsed - started, set - parsed, counted - set, done - counted]
  const name = folder.split('/').at(-1) ?? folder
  return [
    name,
    facts.size,
    links,
    resolved,
    ambiguous,
    ...lost,
    alone,
    ...times,
    (memory() - before) / 2 ** 20,
  ]
}

/** Every note links to five others by name; ten notes link to the one that is measured. */
function madeVault(size: number): Cell[] {
  const graph = new Graph(new NameIndex())
  const nameOf = (i: number): string => `Note ${i % size}`
  const pathOf = (i: number): string => `Folder ${i % 97}/${nameOf(i)}.md`
  for (let i = 0; i < size; i++) {
    graph.names.addFile(pathOf(i))
    const own = [1, 7, 31, 211, 977].map((step) => nameOf(i + step))
    graph.set(pathOf(i), factsWith(pathOf(i), i % (size / 10) === 0 ? [...own, 'Probe'] : own))
  }
  const path = 'Folder 1/Probe.md'
  const facts = factsWith(path, ['Note 1', 'Note 2', 'Note 3', 'gone'])
  const times: number[][] = [[], [], [], [], []]
  for (let round = 0; round < 300; round++) {
    const measured = [
      () => {
        graph.names.addFile(path)
        graph.set(path, facts)
      },
      () => graph.set(path, facts),
      () => backlinks(graph, path),
      () => planMove(graph, { from: path, to: 'Folder 2/Other.md', format: 'shortest' }),
      () => {
        graph.names.remove(path)
        graph.delete(path)
      },
    ]
    for (const [i, run] of measured.entries()) {
      const started = performance.now()
      run()
      times[i]!.push((performance.now() - started) * 1000)
    }
  }
  const started = performance.now()
  graph.names.nearest('Folder 1/Prboe 77.md')
  const nearest = performance.now() - started
  const [add, edit, back, plan, remove] = times.map((one) => one.sort((a, b) => a - b))
  const half = (one: number[] | undefined): number => one![one!.length >> 1]!
  return [
    size,
    half(add),
    half(edit),
    half(remove),
    half(back),
    half(plan),
    plan![Math.floor(plan!.length * 0.95)]!,
    nearest,
  ]
}

function factsWith(path: string, targets: readonly string[]): NoteFacts {
  const links = targets.map(
    (target): LinkFact => ({
      kind: 'wikilink',
      raw: `[[${target}]]`,
      target,
      fragment: null,
      display: null,
      line: 1,
      property: null,
    }),
  )
  const none: never[] = []
  const empty = {
    aliases: none,
    tags: none,
    headings: none,
    blocks: none,
    tasks: none,
    inlineFields: none,
    problems: none,
  }
  return { title: stemOf(path), ...empty, frontmatter: null, frontmatterKind: 'absent', links, words: 0 }
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
  return paths.filter((path) => !`/${path}`.includes('/.'))
}

function memory(): number {
  Bun.gc(true)
  return process.memoryUsage().rss
}
