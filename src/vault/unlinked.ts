import { VaultError } from '../errors.ts'
import { parseNote } from '../note/parse.ts'
import { isNotePath, stemOf, type VaultPath } from '../note/path.ts'
import { searchText } from '../search/search.ts'
import { backlinks } from './link_queries.ts'
import type { Vault } from './vault.ts'

/** A note that names another one without linking to it. */
export interface UnlinkedMention {
  readonly source_path: VaultPath
  readonly mentions: readonly { readonly name: string; readonly line: number; readonly context: string }[]
}

const MAX_SOURCES = 500
const MAX_MENTIONS = 20
const MAX_CONTEXT = 300

/**
 * Notes that hold the name or an alias of `path` as whole words outside links, code and properties, in order of paths.
 * Candidates come from the full-text index; each is read and looked at.
 */
export async function unlinkedMentions(
  vault: Vault,
  path: VaultPath,
  signal: AbortSignal,
): Promise<UnlinkedMention[]> {
  const names = [stemOf(path), ...(vault.file(path)?.facts?.aliases ?? [])].filter((n) => n.trim() !== '')
  const candidates = new Set<VaultPath>()
  for (const name of names) {
    const phrase = `"${name.replaceAll('"', ' ')}"`
    for (const hit of searchText(vault.index, phrase, { limit: MAX_SOURCES }).hits) candidates.add(hit.path)
  }
  candidates.delete(path)
  const out: UnlinkedMention[] = []
  for (const source of [...candidates].sort()) {
    if (signal.aborted) break
    const mentions = isNotePath(source) ? await mentionsIn(vault, source, names) : []
    if (mentions.length > 0) out.push({ source_path: source, mentions })
  }
  const linked = new Set(backlinks(vault.catalogue.graph, path).map((row) => row.source_path))
  // Notes that link to it somewhere are still named where they mention it again without a link, after the others.
  return [...out.filter((m) => !linked.has(m.source_path)), ...out.filter((m) => linked.has(m.source_path))]
}

async function mentionsIn(
  vault: Vault,
  source: VaultPath,
  names: readonly string[],
): Promise<UnlinkedMention['mentions']> {
  let text: string
  try {
    text = (await vault.read(source)).text
  } catch (error) {
    if (error instanceof VaultError) return []
    throw error
  }
  const prose = withoutLinksAndCode(text)
  const lines = text.split('\n')
  const found: { name: string; line: number; context: string }[] = []
  for (const name of names) {
    for (const at of wholeWords(prose, name)) {
      const line = countLines(text, at)
      found.push({ name, line, context: (lines[line - 1] ?? '').trim().slice(0, MAX_CONTEXT) })
      if (found.length >= MAX_MENTIONS) return found
    }
  }
  return found.sort((a, b) => a.line - b.line)
}

/** The text with links, code and properties blanked out, so that offsets stay. */
function withoutLinksAndCode(text: string): string {
  const parsed = parseNote(text)
  const blanks = [
    { start: 0, end: parsed.frontmatter.bodyStart },
    ...parsed.links.filter((l) => l.property === null).map((l) => l.range),
    ...[...text.matchAll(/^(`{3,}|~{3,})[\s\S]*?^\1/gm), ...text.matchAll(/`[^`\n]+`/g)].map((m) => ({
      start: m.index,
      end: m.index + m[0].length,
    })),
  ]
  let out = text
  for (const { start, end } of blanks) out = out.slice(0, start) + ' '.repeat(end - start) + out.slice(end)
  return out
}

const WORD = /[\p{L}\p{N}_]/u

function* wholeWords(text: string, name: string): Generator<number> {
  const haystack = text.toLowerCase()
  const needle = name.toLowerCase()
  for (let at = haystack.indexOf(needle); at >= 0; at = haystack.indexOf(needle, at + needle.length)) {
    const before = text[at - 1] ?? ' '
    const after = text[at + needle.length] ?? ' '
    const opens = !(WORD.test(needle[0] ?? '') && WORD.test(before)) || isUnspaced(needle)
    const closes = !(WORD.test(needle.at(-1) ?? '') && WORD.test(after)) || isUnspaced(needle)
    if (opens && closes) yield at
  }
}

/** Chinese, Japanese and Thai put no blanks between words. */
function isUnspaced(name: string): boolean {
  return /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+$/u.test(name)
}

function countLines(text: string, at: number): number {
  let line = 1
  for (let i = text.indexOf('\n'); i >= 0 && i < at; i = text.indexOf('\n', i + 1)) line++
  return line
}
