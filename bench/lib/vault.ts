import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Random, randomFrom } from './random.ts'

export interface MadeNote {
  /** Below the vault, with `/` and `.md`. */
  readonly path: string
  /** May begin with a byte-order mark, and may use CRLF. */
  readonly text: string
}

/**
 * A made-up vault, the same for the same seed: headings, links, properties, code, tasks, tables, several scripts and
 * emoji, deep folders, names that occur twice, CRLF and byte-order marks. Words are as unevenly frequent as in real
 * text, and note `i` is the same in a vault of any size.
 */
export function* makeVault(count: number, seed = 1): Generator<MadeNote> {
  for (let i = 0; i < count; i++) yield makeNote(i, seed)
}

/** Writes a made-up vault into a folder, which may exist. */
export function writeVault(folder: string, count: number, seed = 1): void {
  for (const { path, text } of makeVault(count, seed)) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}

function makeNote(index: number, seed: number): MadeNote {
  const random = randomFrom(seed * 1_000_003 + index)
  const lines = [...properties(random, index), `# ${titleOf(index)}`, '']
  const sections = 1 + Math.floor(random() ** 2 * 12)
  for (let i = 0; i < sections; i++) lines.push(...section(random, index))
  const eol = index % 17 === 5 ? '\r\n' : '\n'
  const mark = index % 41 === 7 ? '\ufeff' : ''
  return { path: pathOf(index, random), text: `${mark}${lines.join(eol)}${eol}` }
}

/** Every twentieth name is one that other folders have too. */
function pathOf(index: number, random: Random): string {
  const depth = index % 50 === 3 ? 9 : Math.floor(random() * 4)
  const folders = Array.from({ length: depth }, () => AREAS[Math.floor(random() * AREAS.length)]!)
  if (index % 20 !== 11) return [...folders, `${titleOf(index)}.md`].join('/')
  return [...folders, `Group ${index}`, index % 40 === 11 ? 'Index.md' : 'README.md'].join('/')
}

function titleOf(index: number): string {
  const random = randomFrom(index + 77)
  const words = Array.from({ length: 1 + Math.floor(random() * 3) }, () => capital(rareWord(random)))
  return `${words.join(' ')} ${index}`
}

function properties(random: Random, index: number): string[] {
  if (random() < 0.35) return []
  const lines = ['---', `created: ${date(random)}`]
  if (random() < 0.5) lines.push(`tags: [${tag(random)}, ${tag(random)}]`)
  if (random() < 0.3) lines.push('aliases:', `  - ${capital(rareWord(random))} ${capital(word(random))}`)
  if (random() < 0.3)
    lines.push(`status: ${pick(random, ['draft', 'active', 'done'])}`, `rating: ${1 + (index % 5)}`)
  if (random() < 0.2) lines.push(`related: "[[${titleOf(Math.floor(random() * (index + 1)))}]]"`)
  return [...lines, '---', '']
}

function section(random: Random, index: number): string[] {
  const heading = `${'#'.repeat(2 + Math.floor(random() * 3))} ${capital(words(random, 2))}`
  const lines = [heading, '', paragraph(random, index), '']
  const extra = EXTRAS[Math.floor(random() * EXTRAS.length * 1.6)]
  return extra === undefined ? lines : [...lines, ...extra(random, index), '']
}

function paragraph(random: Random, index: number): string {
  const sentences = 1 + Math.floor(random() * 6)
  return Array.from({ length: sentences }, () => sentence(random, index)).join(' ')
}

function sentence(random: Random, index: number): string {
  const parts = [capital(words(random, 4 + Math.floor(random() * 12)))]
  if (random() < 0.2) parts.push(`[[${titleOf(Math.floor(random() * (index + 1)))}]]`)
  if (random() < 0.05) parts.push(`[[${titleOf(Math.floor(random() * (index + 1)))}|${word(random)}]]`)
  if (random() < 0.05)
    parts.push(`[${word(random)}](https://${word(random)}.example.com/${word(random)}-${word(random)})`)
  if (random() < 0.05) parts.push(`#${tag(random)}`)
  if (random() < 0.04) parts.push(pick(random, FOREIGN))
  if (random() < 0.04) parts.push(pick(random, ['✅', '🚀', '👍🏽', '👨‍👩‍👧', '❤️']))
  return `${parts.join(' ')}.`
}

type Extra = (random: Random, index: number) => string[]

const EXTRAS: readonly Extra[] = [
  (r) => Array.from({ length: 3 }, () => `- [${r() < 0.5 ? ' ' : 'x'}] ${words(r, 4)} 📅 ${date(r)}`),
  (r) => Array.from({ length: 4 }, () => `- ${words(r, 5)}`),
  (r) => [
    '```ts',
    `const ${word(r)}${capital(word(r))} = ${word(r)}_${word(r)}(${Math.floor(r() * 999)})`,
    '# no heading',
    '```',
  ],
  (r) => [`> [!note] ${capital(word(r))}`, `> ${words(r, 9)}`],
  (r) => ['| a | b |', '| - | - |', `| ${word(r)} | ${words(r, 3)} |`],
  (r, i) => [`${words(r, 8)} ^b${i}`],
  (r) => [`${pick(r, FOREIGN)} ${words(r, 3)} ${pick(r, FOREIGN)}`],
]

const AREAS = [
  'Projects',
  'Areas',
  'Archive',
  'Journal',
  'People',
  'Books',
  'Sources',
  'Ideas',
  'Arbeit',
  '资料',
]

const FOREIGN = [
  '知识管理系统使用双向链接',
  '検索エンジンはノートを見つけます',
  '검색 엔진은 노트를 찾습니다',
  'Поиск находит заметки по словам',
  'Die Suche findet Notizen über ihre Wörter',
  'La recherche trouve les notes par leurs mots',
  'การค้นหาพบบันทึกด้วยคำ',
  'البحث يجد الملاحظات بكلماتها',
]

const SYLLABLES =
  'ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo yu za bre cla dro fle gri plo stu tra'.split(' ')
const COMMON =
  'the of and to in is that it for on with as this note are be from by not or which when can will there an at one have what about into more than other some only also used first work time part point way case'.split(
    ' ',
  )

/** A third are function words; of the others, few are frequent and most are rare. */
function word(random: Random): string {
  if (random() < 0.35) return COMMON[Math.floor(random() ** 2 * COMMON.length)]!
  return spelled(Math.floor(random() ** 4 * 60_000))
}

function rareWord(random: Random): string {
  return spelled(Math.floor(random() * 60_000))
}

function words(random: Random, count: number): string {
  return Array.from({ length: count }, () => word(random)).join(' ')
}

/** The word of this rank: two to four syllables. */
function spelled(rank: number): string {
  let rest = rank + SYLLABLES.length
  let text = ''
  while (rest > 0) {
    text += SYLLABLES[rest % SYLLABLES.length]!
    rest = Math.floor(rest / SYLLABLES.length)
  }
  return text
}

function tag(random: Random): string {
  const top = pick(random, ['project', 'area', 'topic', 'person', '主题'])
  return random() < 0.5 ? top : `${top}/${rareWord(random)}`
}

function date(random: Random): string {
  const day = Math.floor(random() * 2000)
  return new Date(Date.UTC(2020, 0, 1) + day * 86_400_000).toISOString().slice(0, 10)
}

function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)]!
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
