import { z } from 'zod'
import type { Graph } from '../../vault/graph.ts'
import { noticesOf, troublesOf } from '../../vault/health.ts'
import { countLinks } from '../../vault/link_queries.ts'
import { indexState, warnings } from '../fields.ts'
import { defineTool } from '../tool.ts'

/** Null where nobody has been able to look yet. */
const count = z.number().nullable()

export const vaultInfo = defineTool({
  name: 'vault_info',
  title: 'About the vault',
  description:
    'Name, counts, state of the index and of semantic search, files with problems. The first call in an unknown vault.',
  input: z.strictObject({
    include_paths: z.boolean().default(false).describe('Absolute paths of this machine too'),
  }),
  output: z.looseObject({
    vault_name: z.string(),
    total_notes: count,
    total_files: count,
    total_tags: count,
    total_links: count,
    broken_links: count,
    vault_size_bytes: count,
    excluded_notes: count,
    exclude_patterns: z.array(z.string()),
    index: indexState,
    embeddings: z.looseObject({ source: z.string(), availability: z.string() }),
    problems: z.array(z.object({ path: z.string(), reason: z.string() })),
    warnings,
  }),
  access: 'read',
  async run({ vault }, { include_paths }) {
    const state = await vault.searchable()
    const files = vault.catalogue.files()
    const tags = new Set<string>()
    let notes = 0
    let links = 0
    let bytes = 0
    for (const { kind, size, facts } of files) {
      bytes += size
      if (kind === 'note') notes++
      links += facts?.links.length ?? 0
      for (const tag of facts?.tags ?? []) tags.add(tag.toLowerCase())
    }
    const notices = noticesOf(vault)
    const isKnown = vault.isCounted
    const connection = vault.storage.connection?.()
    return {
      data: {
        vault_name: vault.name,
        total_notes: isKnown ? notes : null,
        total_files: isKnown ? files.length : null,
        total_tags: isKnown ? tags.size : null,
        total_links: isKnown ? links : null,
        broken_links: isKnown ? countBroken(vault.catalogue.graph) : null,
        vault_size_bytes: isKnown ? bytes : null,
        excluded_notes: isKnown ? vault.catalogue.excludedNotes : null,
        exclude_patterns: [...vault.options.excludePatterns],
        index: state,
        ...(connection && { connection: { state: connection.state, last_error: connection.lastError } }),
        embeddings: vault.embeddings(),
        problems: troublesOf(vault, 100),
        ...(notices.length > 0 ? { warnings: notices } : {}),
        ...(include_paths ? { paths: vault.paths() } : {}),
      },
    }
  },
})

function countBroken(graph: Graph): number {
  return Object.values(countLinks(graph).broken).reduce((sum, n) => sum + n, 0)
}
