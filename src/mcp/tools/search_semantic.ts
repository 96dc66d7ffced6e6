import { z } from 'zod'
import { VaultError } from '../../errors.ts'
import { stemOf, type VaultPath } from '../../note/path.ts'
import { NO_WORD } from '../../search/describe.ts'
import { blend } from '../../search/fuse.ts'
import { meaningOf } from '../../search/meaning.ts'
import type { TextHit } from '../../search/search.ts'
import type { Condition } from '../../search/where.ts'
import { showHit, showWords } from '../../vault/evidence.ts'
import type { Filters } from '../../vault/filters.ts'
import { NOT_SPOKEN, stillPreparing } from '../../vault/hybrid.ts'
import type { Question } from '../../vault/question.ts'
import { fittingNotes, noteTest, searchNotes } from '../../vault/search_notes.ts'
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
    results: z.array(z.looseObject({ path: z.string(), title: z.string(), score: z.number() })),
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
    const nothing = (notice: string) => ({ data: { results: [], total: 0, notice, index } })
    const { text, gate, hasWords } = meaningOf(args.query)
    if (!hasWords) return nothing(NO_WORD)
    if (text === '') return nothing('The query only filters: search_text and search_metadata answer it.')
    const allowed = gate === null ? null : fittingNotes(vault, gate)
    const fits = noteTest(vault, filtersOf(args))
    const only = (path: string) =>
      (fits?.(path as VaultPath) ?? true) && (allowed?.has(path as VaultPath) ?? true)
    const question = await semantic.ask(text)
    const { prefetch, alpha } = vault.options.semantic ?? { prefetch: 50, alpha: 0.25 }
    const search = { vault, query: args.query, topK: args.top_k, only, prefetch }
    const found =
      question === null
        ? await byWords(search)
        : args.lexical_prefetch
          ? await blended(search, question, args.alpha ?? alpha)
          : await byMeaning(search, question)
    const results = await Promise.all(
      found.slice(0, args.top_k).map(async ({ path, score, hit, words }) => ({
        path,
        title: stemOf(path),
        score,
        tags: [...(vault.file(path)?.facts?.tags ?? [])],
        ...(hit && (await showHit(vault, hit, args.include_content))),
        ...(!hit && words && (await showWords(vault, words, args.include_content))),
      })),
    )
    const notice = question === null ? NOT_SPOKEN : stillPreparing(vault)
    return { data: { results, total: found.length, ...(notice ? { notice } : {}), index } }
  },
})

/** @throws VaultError `not_configured` */
function requireSemantic(vault: Vault): SemanticIndex {
  if (vault.semantic !== null) return vault.semantic
  throw new VaultError('not_configured', 'Search by meaning is off on this server.', {
    hint: 'Use search_text; the owner can turn it on with OBSIDIAN_EMBEDDINGS=true.',
  })
}

function filtersOf({
  path,
  tag,
  where,
  modified_after,
  modified_before,
}: Omit<Filters, 'where'> & { where?: unknown[] | undefined }): Filters {
  return { path, tag, where: where as Condition[] | undefined, modified_after, modified_before }
}

interface Search {
  readonly vault: Vault
  readonly query: string
  readonly topK: number
  readonly only: (path: string) => boolean
  /** Notes that the keyword side brings. */
  readonly prefetch: number
}

interface Found {
  readonly path: VaultPath
  readonly score: number
  readonly hit?: VectorHit | undefined
  readonly words?: TextHit | undefined
}

async function byWords({ vault, query, topK: limit, only }: Search): Promise<Found[]> {
  const { hits } = await searchNotes(vault, { query, only, limit })
  return hits.map((words) => ({ path: words.path, score: words.score, words }))
}

/** The score is the cosine itself. Notes that the application excludes come after the others. */
async function byMeaning({ vault, topK, only }: Search, question: Question): Promise<Found[]> {
  const demote = await vault.appExcluded.test()
  const hits = question.near({ most: topK, perNote: 1, filter: (p) => only(p) && !demote?.(p as VaultPath) })
  const last = demote
    ? question.near({ most: topK, perNote: 1, filter: (p) => only(p) && demote(p as VaultPath) })
    : []
  return [...hits, ...last].map((hit) => ({ path: hit.path as VaultPath, score: hit.best, hit }))
}

/** The union of what both sides find, each judged by both. */
async function blended(
  { vault, query, topK, only, prefetch }: Search,
  question: Question,
  alpha: number,
): Promise<Found[]> {
  const most = Math.max(topK, prefetch)
  const found = (await searchNotes(vault, { query, only, limit: prefetch })).hits
  const near = question.near({ most, perNote: 1, filter: only })
  const union = new Set([...found, ...near].map((hit) => hit.path as VaultPath))
  const inUnion = (path: string) => union.has(path as VaultPath)
  const words = new Map(
    (await searchNotes(vault, { query, only: inUnion, limit: union.size })).hits.map((hit) => [
      hit.path,
      hit,
    ]),
  )
  const hits = new Map(
    question
      .near({ most: union.size, perNote: 1, filter: inUnion })
      .map((hit) => [hit.path as VaultPath, hit]),
  )
  const paths = [...union]
  const scores = blend(
    paths.map((path) => ({
      lexical: words.get(path)?.score ?? null,
      semantic: hits.get(path)?.best ?? null,
    })),
    alpha,
  )
  return paths
    .map((path, i) => ({ path, score: scores[i] as number, hit: hits.get(path), words: words.get(path) }))
    .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1))
}
