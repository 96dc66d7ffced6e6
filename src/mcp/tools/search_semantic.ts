import { z } from 'zod'
import { VaultError } from '../../errors.ts'
import { stemOf, type VaultPath } from '../../note/path.ts'
import { blend } from '../../search/fuse.ts'
import type { Condition } from '../../search/where.ts'
import { showHit } from '../../vault/evidence.ts'
import { compileFilters } from '../../vault/filters.ts'
import { searchNotes } from '../../vault/search_notes.ts'
import type { SemanticIndex } from '../../vault/semantic.ts'
import type { Vault } from '../../vault/vault.ts'
import type { VectorHit } from '../../vector/store.ts'
import { filters, indexState, warnings } from '../fields.ts'
import { defineTool } from '../tool.ts'

export const searchSemantic = defineTool({
  name: 'search_semantic',
  title: 'Search by meaning',
  description:
    'Finds notes by meaning, in other words than theirs; answers the best place of each with its similarity. Known words: search_text; both: search_hybrid.',
  input: z.strictObject({
    query: z.string(),
    top_k: z.int().min(1).max(200).default(10).describe('Notes'),
    include_content: z.boolean().default(false),
    lexical_prefetch: z.boolean().default(false).describe('Blend with keywords'),
    alpha: z.number().min(0).max(1).optional().describe('1 words, 0 meaning; 0.25'),
    ...filters,
  }),
  output: z.object({
    results: z.array(
      z.looseObject({ path: z.string(), title: z.string(), score: z.number(), source_status: z.string() }),
    ),
    total: z.number(),
    notice: z.string().optional(),
    index: indexState,
    warnings,
  }),
  access: 'read',
  searches: true,
  annotations: { openWorld: true },
  async run({ vault }, args) {
    const semantic = requireSemantic(vault)
    const index = await vault.searchable()
    if (args.query.trim() === '')
      return { data: { results: [], total: 0, notice: 'The query holds no word.', index } }
    const fits = compileFilters({ ...args, where: args.where as Condition[] | undefined })
    const filter = fits === null ? undefined : (path: VaultPath) => testFile(vault, path, fits)
    const { prefetch, alpha } = vault.options.semantic ?? { prefetch: 50, alpha: 0.25 }
    const most = args.lexical_prefetch ? Math.max(args.top_k, prefetch) : args.top_k
    const hits = await semantic.search(args.query, { most, perNote: 1, ...(filter ? { filter } : {}) })
    const needsWords = args.lexical_prefetch || hits === null
    const words = needsWords ? (await searchNotes(vault, { ...searchArgs(args), limit: most })).hits : []
    const ranked = rank(
      hits ?? [],
      words,
      args.lexical_prefetch ? (args.alpha ?? alpha) : hits === null ? 1 : 0,
    )
    const results = await Promise.all(
      ranked.slice(0, args.top_k).map(async ({ path, score, hit }) => ({
        path,
        title: stemOf(path),
        score,
        tags: [...(vault.file(path)?.facts?.tags ?? [])],
        ...(hit ? await showHit(vault, hit, args.include_content) : { source_status: 'not_embedded' }),
      })),
    )
    return {
      data: {
        results,
        total: ranked.length,
        ...(hits === null
          ? { notice: 'The model does not speak the language of the query: these are keyword hits.' }
          : {}),
        index,
      },
    }
  },
})

/** @throws VaultError `not_configured` */
function requireSemantic(vault: Vault): SemanticIndex {
  if (vault.semantic !== null) return vault.semantic
  throw new VaultError('not_configured', 'Search by meaning is off on this server.', {
    hint: 'Use search_text; the owner can turn it on with OBSIDIAN_EMBEDDINGS=true.',
  })
}

function testFile(
  vault: Vault,
  path: VaultPath,
  fits: NonNullable<ReturnType<typeof compileFilters>>,
): boolean {
  const file = vault.file(path)
  return file !== undefined && fits(file)
}

function searchArgs(args: {
  query: string
  path?: string | undefined
  tag?: string | undefined
  where?: unknown[] | undefined
  modified_after?: string | undefined
  modified_before?: string | undefined
}) {
  const { query, path, tag, where, modified_after, modified_before } = args
  return { query, path, tag, where: where as Condition[] | undefined, modified_after, modified_before }
}

interface Ranked {
  readonly path: VaultPath
  readonly score: number
  readonly hit: VectorHit | undefined
}

/** The union of both sides; without words the score is the cosine itself. */
function rank(
  hits: readonly VectorHit[],
  words: readonly { path: VaultPath; score: number }[],
  alpha: number,
): Ranked[] {
  if (words.length === 0) return hits.map((hit) => ({ path: hit.path, score: hit.cosine, hit }))
  const byPath = new Map(hits.map((hit) => [hit.path, hit]))
  const lexical = new Map(words.map(({ path, score }) => [path, score]))
  const paths = [...new Set([...byPath.keys(), ...lexical.keys()])]
  const scores = blend(
    paths.map((path) => ({ lexical: lexical.get(path) ?? null, semantic: byPath.get(path)?.cosine ?? null })),
    alpha,
  )
  return paths
    .map((path, i) => ({ path, score: scores[i] as number, hit: byPath.get(path) }))
    .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1))
}
