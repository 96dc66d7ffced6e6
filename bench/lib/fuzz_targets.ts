import { isDeepStrictEqual } from 'node:util'
import { VaultError } from '../../src/errors.ts'
import { TextIndex } from '../../src/index/text_index.ts'
import { fastFacts } from '../../src/note/fast.ts'
import { scanFrontmatter } from '../../src/note/frontmatter.ts'
import { insertText } from '../../src/note/insert.ts'
import { parseNote } from '../../src/note/parse.ts'
import { patchNote } from '../../src/note/patch.ts'
import { removeProperty, setProperties } from '../../src/note/properties.ts'
import { replaceInText } from '../../src/note/replace.ts'
import { renameTag } from '../../src/note/retag.ts'
import { searchText } from '../../src/search/search.ts'
import { compileGlob } from '../../src/text/glob.ts'
import { pageOf } from '../../src/vault/pages.ts'
import { decodeSections, encodeSections, SnapshotRefused } from '../../src/vault/snapshot_format.ts'
import type { Random } from './random.ts'

/** One input; throws where a promise is broken. Expected refusals are no throw. */
export type FuzzTarget = (random: Random) => void

/** What is generated, by name: the inputs that users and agents send, and the promises that hold for any of them. */
export const FUZZ_TARGETS: Readonly<Record<string, FuzzTarget>> = {
  parse,
  frontmatter,
  patch,
  insert,
  replace,
  tag,
  query,
  glob,
  snapshot,
  pages,
}

const PIECES = [
  ...[
    '# A',
    '## B',
    '### ',
    'T\n===',
    'text',
    'word [[a]]',
    '![[b#c|d]]',
    '[x](y.md)',
    '#tag',
    '#a/b',
    '- [ ] t',
    '* x',
  ],
  ...[
    '1. y',
    '> q',
    '> [!note] c',
    '```',
    '~~~js',
    '    code',
    '%%',
    '$$',
    '---',
    '...',
    '| a | b |',
    '| - | - |',
    '^id',
  ],
  ...[
    'x ^id2',
    'k:: v',
    '[k:: v]',
    '<div>',
    '<!--',
    '-->',
    '[^1]: f',
    '\\',
    '`',
    '**',
    '==',
    '[[',
    ']]',
    '![',
    '](',
    '|',
  ],
  ...[
    'a: 1',
    'tags: [x, "y"]',
    'list:',
    '  - z',
    '"q": |',
    '&a [*a]',
    '{{date}}',
    '\ufeff',
    '\u0000',
    '漢字',
    'é',
    '🏳️‍🌈',
  ],
  ...['  ', '\t', ' ', ''],
]
const ENDS = ['\n', '\n', '\n', '\n\n', '\r\n', '\r', ' ', '']

function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T
}

function textOf(random: Random, most = 24): string {
  let text = random() < 0.3 ? pick(random, ['---\n', '\ufeff---\r\n', '---\na: 1\nb: "x" # c\n---\n']) : ''
  for (let i = Math.floor(random() * most); i > 0; i--) text += pick(random, PIECES) + pick(random, ENDS)
  return text
}

function hold(condition: boolean, promise: string, ...about: readonly unknown[]): void {
  if (!condition) throw new Error(`${promise}: ${about.map((x) => JSON.stringify(x)).join(' ')}`)
}

/** The result, or null where it was refused with a reason. */
function attempt<T>(work: () => T): T | null {
  try {
    return work()
  } catch (error) {
    if (error instanceof VaultError && error.code !== 'internal') return null
    throw error
  }
}

function parse(random: Random): void {
  const text = textOf(random)
  const { headings, links, tags, blocks, tasks } = parseNote(text)
  for (const { range, section } of headings) {
    hold(section.start <= range.start && range.end <= section.end, 'a heading lies in its section', text)
    hold(section.end <= text.length, 'a section lies in the note', text)
  }
  for (const { range } of [...links, ...tags, ...blocks])
    hold(
      0 <= range.start && range.start <= range.end && range.end <= text.length,
      'a range lies in the note',
      text,
    )
  const { facts } = fastFacts('a.md', text)
  hold(
    isDeepStrictEqual(
      facts.headings.map((h) => h.text),
      headings.map((h) => h.text),
    ),
    'both readings find the same headings',
    text,
  )
  hold(facts.tasks.length === tasks.length, 'both readings find the same tasks', text)
  hold(facts.links.length === links.length, 'both readings find the same links', text)
}

const VALUES = [
  1,
  true,
  null,
  'x',
  '007',
  'no',
  '2026-01-01',
  'a: b',
  '# c',
  'l\nm',
  ['a', 2],
  [],
  { k: [1] },
  '',
  ' ',
]

function frontmatter(random: Random): void {
  const text = textOf(random, 10)
  const [key, value] = [pick(random, ['new', 'a', 'tags', 'x y', '"q"', '漢', 'list']), pick(random, VALUES)]
  const before = scanFrontmatter(text)
  const changed = attempt(() => setProperties(text, { [key]: value }))
  if (changed === null) return
  const after = scanFrontmatter(changed)
  hold(
    isDeepStrictEqual(after.data?.[key], value),
    'a property has the value it was given',
    text,
    key,
    value,
    changed,
  )
  hold(
    changed.slice(after.bodyStart).endsWith(text.slice(before.bodyStart)),
    'the body keeps its bytes',
    text,
    key,
    value,
    changed,
  )
  if (before.data === null || Object.hasOwn(before.data, key)) return
  const removed = attempt(() => removeProperty(changed, key))
  if (removed !== null && before.kind === 'mapping')
    hold(
      removed === text,
      'a property that is set and removed leaves the first bytes',
      text,
      key,
      value,
      removed,
    )
}

function patch(random: Random): void {
  const text = textOf(random)
  const { headings } = parseNote(text)
  const heading = pick(random, headings)
  if (heading === undefined) return
  const operation = pick(random, ['append', 'prepend', 'replace'] as const)
  const request = { operation, targetType: 'heading', target: heading.text, line: heading.line } as const
  const patched = attempt(() => patchNote(text, { ...request, content: textOf(random, 4) }))
  if (patched === null) return
  const { start, end } = heading.section
  const about = [text, request, patched.text]
  hold(
    patched.text.startsWith(text.slice(0, start)),
    'what stands before a section keeps its bytes',
    ...about,
  )
  hold(patched.text.endsWith(text.slice(end)), 'what stands after a section keeps its bytes', ...about)
}

function insert(random: Random): void {
  const [text, content] = [textOf(random), textOf(random, 4)]
  const position = pick(random, ['end', 'beginning'] as const)
  const inserted = attempt(() => insertText(text, content, { position }))
  if (inserted === null || position === 'beginning') return
  hold(
    inserted.text.startsWith(text.trimEnd()),
    'what was there stays in front',
    text,
    content,
    inserted.text,
  )
}

function replace(random: Random): void {
  const text = textOf(random)
  const [search, other] = [pick(random, PIECES), 'qzother']
  if (search === '' || text.includes(other)) return
  const there = attempt(() => replaceInText(text, { search, replace: other, count: 'all', scope: 'whole' }))
  if (there === null) return
  hold(
    there.text === text.replaceAll(search, other),
    'every place is replaced and no other',
    text,
    search,
    there.text,
  )
}

function tag(random: Random): void {
  const text = textOf(random)
  if (text.includes('qzother')) return
  const there = attempt(() => renameTag(text, 'tag', 'qzother'))
  const back = there && attempt(() => renameTag(there.text, 'qzother', 'tag'))
  if (back)
    hold(back.text === text, 'a tag that is renamed and renamed back leaves the first bytes', text, back.text)
}

const NOTES = [
  'alpha beta gamma',
  'beta C++ foo:bar',
  '漢字 text',
  'naïve café',
  'WorkspaceLeaf snake_case v2.3.1',
]
const WORDS = [
  'alpha',
  'beta',
  '"alpha beta"',
  '"',
  '-',
  '+',
  '(',
  ')',
  'AND',
  'OR',
  'NOT',
  '*',
  'al*',
  'title:',
  'tag:#a',
  '[p:v]',
]
const index = new TextIndex()
for (const [i, body] of NOTES.entries())
  index.put({
    ...{ path: `${i}.md`, title: String(i), aliases: [], headings: [], tags: ['a'], frontmatter: '', body },
    ...{ bodyStart: 0, language: undefined },
  })

function query(random: Random): void {
  let asked = ''
  for (let i = Math.floor(random() * 12); i > 0; i--)
    asked += pick(random, random() < 0.7 ? WORDS : PIECES) + pick(random, [' ', ' ', ''])
  const { hits, total } = searchText(index, asked, { explain: true, fuzzy: random() < 0.3 })
  hold(hits.length <= total && total <= NOTES.length, 'the total counts the hits', asked)
  for (const { score, explanation = [] } of hits) {
    const sum = explanation.reduce((all, part) => all + part.score, 0)
    hold(score > 0, 'a hit has a score', asked)
    hold(
      explanation.length === 0 || Math.abs(sum - score) < 1e-6,
      'an explanation adds up',
      asked,
      score,
      sum,
    )
  }
}

function glob(random: Random): void {
  const alphabet = ['a', 'b', '/', '*', '**', '?', '[', ']', '!', '{', '}', ',', '\\', '.', '-', '漢']
  const make = (letters: readonly string[]) =>
    Array.from({ length: Math.floor(random() * 12) }, () => pick(random, letters)).join('')
  const pattern = make(alphabet)
  const test = attempt(() => compileGlob(pattern))
  if (test === null) return
  hold(typeof test(make(['a', 'b', '/', '.', '漢'])) === 'boolean', 'a glob answers', pattern)
  if (/^[ab.漢]+(\/[ab.漢]+)*$/u.test(pattern)) hold(test(pattern), 'a plain pattern fits itself', pattern)
}

function snapshot(random: Random): void {
  const parts = Array.from({ length: 3 }, () => [
    Uint8Array.from({ length: random() * 40 }, () => random() * 256),
  ])
  const file = Buffer.concat(encodeSections(parts))
  const cut = random() < 0.3 ? Math.floor(random() * file.length) : file.length
  const damaged = Uint8Array.from(file.subarray(0, cut))
  const at = Math.floor(random() * damaged.length)
  if (cut === file.length) damaged[at] = (damaged[at] as number) ^ (1 << Math.floor(random() * 8))
  try {
    decodeSections(damaged)
  } catch (error) {
    if (error instanceof SnapshotRefused) return
    throw error
  }
  hold(false, 'a damaged file is refused', Array.from(damaged), at, cut)
}

const encoder = new TextEncoder()
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function pages(random: Random): void {
  const bytes = encoder.encode(textOf(random))
  const limit = 1 + Math.floor(random() * 20)
  const read: Uint8Array[] = []
  let next: { start_byte: number; end_byte: number } | null = { start_byte: 0, end_byte: bytes.length }
  while (next !== null) {
    const page = pageOf(bytes, next, limit)
    const part = bytes.subarray(page.range.start_byte, page.range.end_byte)
    strict.decode(part)
    read.push(part)
    hold(page.next === null || page.next.start_byte > next.start_byte, 'pages go on', limit)
    next = page.next
  }
  hold(Buffer.concat(read).equals(bytes), 'pages together are the note', limit)
}
