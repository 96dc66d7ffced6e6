import type { IndexDocument, LinkFact, NoteFacts, ParsedNote, TaskFact } from './note.ts'
import { stemOf, type VaultPath } from './path.ts'
import { countWords } from './words.ts'

/** What the catalogue keeps of a note. The title is the file's name. */
export function factsOf(path: VaultPath, text: string, parsed: ParsedNote): NoteFacts {
  const { frontmatter, headings, blocks, inlineFields, problems } = parsed
  return {
    title: stemOf(path),
    aliases: aliasesOf(frontmatter.data),
    tags: distinct(parsed.tags.map(({ tag }) => tag)),
    frontmatter: frontmatter.data,
    frontmatterKind: frontmatter.kind,
    headings: headings.map(({ level, text: shown, raw, line }) =>
      raw === shown ? { level, text: shown, line } : { level, text: shown, raw, line },
    ),
    links: parsed.links.map(linkFact),
    blocks: blocks.map(({ id, line }) => ({ id, line })),
    tasks: parsed.tasks.map((task) => taskFact(task, headings)),
    inlineFields,
    words: countWords(text, frontmatter.bodyStart),
    problems,
  }
}

/** What the full-text index reads of a note. */
export function indexDocumentOf(path: VaultPath, text: string, parsed: ParsedNote): IndexDocument {
  const { frontmatter, headings, tags } = parsed
  const { data, bodyStart, yaml, kind } = frontmatter
  return {
    path,
    title: stemOf(path),
    aliases: aliasesOf(data),
    headings: headings.map((heading) => heading.text),
    tags: distinct(tags.map(({ tag }) => tag)),
    // A block that does not parse still has its words.
    frontmatter: kind === 'broken' && yaml !== null ? text.slice(yaml.start, yaml.end) : wordsOf(data),
    body: bodyStart === 0 ? text : text.slice(bodyStart),
    bodyStart,
    language: languageOf(data),
  }
}

/** Names by which a note is also known: the properties `aliases` and `alias` (any case), lists or texts with commas. */
function aliasesOf(data: Record<string, unknown> | null): string[] {
  const aliases: string[] = []
  for (const [key, value] of Object.entries(data ?? {})) {
    if (!/^alias(?:es)?$/i.test(key)) continue
    const values = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [value]
    for (const alias of values) {
      if (typeof alias === 'string' || typeof alias === 'number') aliases.push(String(alias).trim())
    }
  }
  return [...new Set(aliases.filter((alias) => alias !== ''))]
}

/** Each once, whatever the case, in the first spelling. */
function distinct(tags: readonly string[]): string[] {
  const seen = new Map<string, string>()
  for (const tag of tags) {
    const key = tag.normalize('NFC').toLowerCase()
    if (!seen.has(key)) seen.set(key, tag)
  }
  return [...seen.values()]
}

function linkFact({
  kind,
  raw,
  target,
  fragment,
  display,
  line,
  property,
}: ParsedNote['links'][number]): LinkFact {
  return { kind, raw, target, fragment, display, line, property }
}

function taskFact(task: ParsedNote['tasks'][number], headings: ParsedNote['headings']): TaskFact {
  const { status, text, line, tags, dates } = task
  return { status, text, line, heading: headings[task.heading]?.text ?? null, tags, dates }
}

/** Keys and values of the properties, one pair a line; `false`, numbers and nested values included. */
function wordsOf(data: Record<string, unknown> | null): string {
  if (data === null) return ''
  const lines: string[] = []
  for (const [key, value] of Object.entries(data)) lines.push(`${key}: ${flat(value)}`)
  return lines.join('\n')
}

function flat(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(flat).join(', ')
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([key, inner]) => `${key}: ${flat(inner)}`)
      .join(', ')
  return String(value)
}

function languageOf(data: Record<string, unknown> | null): string | undefined {
  for (const key of ['lang', 'language']) {
    const value = data?.[key]
    if (typeof value === 'string' && value.trim() !== '') return value.trim().toLowerCase()
  }
  return undefined
}
