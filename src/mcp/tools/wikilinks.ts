import { z } from 'zod'
import { VaultError } from '../../errors.ts'
import { decodeNote } from '../../note/encoding.ts'
import type { VaultPath } from '../../note/path.ts'
import {
  type BacklinkRow,
  backlinks,
  broken,
  neighbours,
  orphans,
  outgoing,
} from '../../vault/link_queries.ts'
import { unlinkedMentions } from '../../vault/unlinked.ts'
import type { Vault } from '../../vault/vault.ts'
import { indexState, warnings } from '../fields.ts'
import { defineTool } from '../tool.ts'

const QUERIES = ['backlinks', 'outgoing', 'broken', 'orphans', 'neighbours', 'unlinked'] as const
/** Queries about one note. */
const ABOUT_ONE: readonly string[] = ['backlinks', 'outgoing', 'neighbours', 'unlinked']

export const wikilinks = defineTool({
  name: 'wikilinks',
  title: 'Links',
  description:
    'Links as Obsidian resolves them: backlinks (with the line), outgoing, broken, orphans, neighbours to a depth, unlinked mentions of a name.',
  input: z.strictObject({
    query: z.enum(QUERIES),
    path: z.string().optional().describe('Note; needed by all but broken and orphans'),
    depth: z.int().min(1).max(5).default(1).describe('For neighbours'),
    limit: z.int().min(1).max(2000).default(500),
    offset: z.int().min(0).default(0),
  }),
  output: z.object({
    results: z.array(z.looseObject({})),
    total: z.number(),
    truncated: z.boolean(),
    index: indexState,
    warnings,
  }),
  access: 'read',
  async run({ vault, signal }, { query, path, depth, limit, offset }) {
    if (path === undefined && ABOUT_ONE.includes(query)) {
      throw new VaultError('bad_argument', `"path" is missing: ${query} are those of one note.`, {
        hint: `Give the path of the note whose ${query} you want.`,
      })
    }
    const index = await vault.searchable()
    const located = path === undefined ? undefined : await vault.locate(path)
    const all = await rowsOf(vault, query, located?.path, depth, signal)
    const page = all.slice(offset, offset + limit)
    const results = query === 'backlinks' ? await withContext(vault, page as BacklinkRow[]) : page
    return {
      data: {
        results: results as Record<string, unknown>[],
        total: all.length,
        truncated: offset + page.length < all.length,
        index,
        ...(located && located.warnings.length > 0 ? { warnings: [...located.warnings] } : {}),
      },
    }
  },
})

async function rowsOf(
  vault: Vault,
  query: (typeof QUERIES)[number],
  path: VaultPath | undefined,
  depth: number,
  signal: AbortSignal,
): Promise<readonly object[]> {
  const { graph } = vault.catalogue
  const note = path as VaultPath
  switch (query) {
    case 'backlinks':
      return backlinks(graph, note)
    case 'outgoing':
      return outgoing(graph, note)
    case 'broken':
      return broken(graph, path)
    case 'orphans':
      return orphans(graph)
    case 'neighbours':
      return neighbours(graph, note, depth)
    case 'unlinked':
      return await unlinkedMentions(vault, note, signal)
  }
}

const MAX_CONTEXT = 300

/** Puts the line that each link stands in beside it. */
async function withContext(vault: Vault, rows: readonly BacklinkRow[]): Promise<object[]> {
  const out: object[] = []
  for (let i = 0; i < rows.length; i += READ_AT_ONCE) {
    const texts = rows.slice(i, i + READ_AT_ONCE).map(async (row) => {
      const text = await textOf(vault, row.source_path)
      const links = row.links.map((link) => ({
        ...link,
        context: text === null ? null : lineOf(text, link.line),
      }))
      return { ...row, links }
    })
    out.push(...(await Promise.all(texts)))
  }
  return out
}

const READ_AT_ONCE = 32

async function textOf(vault: Vault, path: VaultPath): Promise<string | null> {
  try {
    return decodeNote(await vault.storage.read(path)).text
  } catch (error) {
    if (error instanceof VaultError) return null
    throw error
  }
}

function lineOf(text: string, line: number): string | null {
  let start = 0
  for (let n = 1; n < line; n++) {
    start = text.indexOf('\n', start) + 1
    if (start === 0) return null
  }
  const end = text.indexOf('\n', start)
  const trimmed = text.slice(start, end < 0 ? text.length : end).trim()
  return trimmed.length > MAX_CONTEXT ? `${[...trimmed].slice(0, MAX_CONTEXT).join('')}…` : trimmed
}
