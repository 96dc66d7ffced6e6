import { VaultError } from '../errors.ts'
import { linesOf } from '../note/line_index.ts'
import { mentionsIn } from '../note/mentions.ts'
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
    const mentions = isNotePath(source) ? await mentionsOf(vault, source, names) : []
    if (mentions.length > 0) out.push({ source_path: source, mentions })
  }
  const linked = new Set(backlinks(vault.catalogue.graph, path).map((row) => row.source_path))
  // Notes that link to it somewhere are still named where they mention it again without a link, after the others.
  return [...out.filter((m) => !linked.has(m.source_path)), ...out.filter((m) => linked.has(m.source_path))]
}

async function mentionsOf(
  vault: Vault,
  source: VaultPath,
  names: readonly string[],
): Promise<UnlinkedMention['mentions']> {
  const text = await textOf(vault, source)
  if (text === null) return []
  const lines = linesOf(text)
  return mentionsIn(text, names, MAX_MENTIONS).map(({ name, line }) => ({
    name,
    line,
    context: text.slice(lines.start(line), lines.end(line)).trim().slice(0, MAX_CONTEXT),
  }))
}

async function textOf(vault: Vault, path: VaultPath): Promise<string | null> {
  try {
    return (await vault.read(path)).text
  } catch (error) {
    if (error instanceof VaultError) return null
    throw error
  }
}
