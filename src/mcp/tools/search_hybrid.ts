import { z } from 'zod'
import { VaultError } from '../../errors.ts'
import { isNotePath, stemOf } from '../../note/path.ts'
import type { Condition } from '../../search/where.ts'
import { hybridSearch } from '../../vault/hybrid.ts'
import { indexState, warnings, where } from '../fields.ts'
import { defineTool } from '../tool.ts'

export const searchHybrid = defineTool({
  name: 'search_hybrid',
  title: 'Search words and meaning',
  description:
    'The search to reach for: passages by words and meaning together, cited as path#heading with a match of 0 to 100 percent. Operators and exact words: search_text.',
  input: z.strictObject({
    query: z.string(),
    limit: z.int().min(1).max(50).default(6).describe('Passages'),
    max_per_note: z.int().min(1).max(10).default(2),
    folders: z.array(z.string()).optional(),
    tags: z.array(z.string()).optional().describe('Any of these'),
    where,
    expand_links: z.boolean().default(false).describe('Up to 3 linked notes too'),
    min_similarity: z.number().min(0).max(1).default(0).describe('Cosine'),
    fusion: z.enum(['auto', 'rrf']).default('auto'),
    token_budget: z.int().min(50).optional().describe('Whole passages only'),
    explain: z.boolean().default(false),
  }),
  output: z.object({
    results: z.array(
      z.looseObject({
        path: z.string(),
        title: z.string(),
        citation: z.string(),
        content: z.string(),
        match_percent: z.number(),
      }),
    ),
    total: z.number(),
    notice: z.string().optional(),
    index: indexState,
    warnings,
  }),
  access: 'read',
  searches: true,
  hitOrder: () => (a, b) => Number(b.hit.match_percent) - Number(a.hit.match_percent),
  annotations: { openWorld: true },
  async run({ vault }, args) {
    const index = await vault.searchable()
    const folders = await Promise.all((args.folders ?? []).map(async (f) => folderOrNote(vault, f)))
    const found = await hybridSearch(vault, {
      query: args.query,
      limit: args.limit,
      perNote: args.max_per_note,
      folders,
      tags: args.tags ?? [],
      where: (args.where ?? []) as Condition[],
      expandLinks: args.expand_links,
      minSimilarity: args.min_similarity,
      fusion: args.fusion,
      tokenBudget: args.token_budget,
    })
    const results = found.passages.map(
      ({ path, heading, text, line, match, linked, lexical, semantic, score }) => ({
        path,
        title: stemOf(path),
        citation: heading === null ? path : `${path}#${heading}`,
        heading,
        line,
        content: text,
        match_percent: match,
        ...(linked ? { linked_from: linked } : {}),
        ...(args.explain
          ? { explanation: { fused: score, keyword_score: lexical, cosine_similarity: semantic } }
          : {}),
      }),
    )
    return { data: { results, total: found.total, ...(found.notice ? { notice: found.notice } : {}), index } }
  },
})

async function folderOrNote(vault: Parameters<typeof hybridSearch>[0], argument: string): Promise<string> {
  try {
    return (await vault.locateFolder(argument)).path
  } catch (error) {
    if (!(error instanceof VaultError) || !isNotePath(argument)) throw error
    return (await vault.locate(argument)).path
  }
}
