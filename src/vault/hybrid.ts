import { VaultError } from '../errors.ts'
import { log } from '../logger.ts'
import type { VaultPath } from '../note/path.ts'
import { NO_WORD } from '../search/describe.ts'
import { fuseRanks, fuseScores } from '../search/fuse.ts'
import { meaningOf } from '../search/meaning.ts'
import { DEMOTED, type TextHits } from '../search/search.ts'
import { type Condition, matchTag } from '../search/where.ts'
import { estimateTokens } from '../text/tokens.ts'
import type { VectorHit } from '../vector/store.ts'
import { compileFilters } from './filters.ts'
import { beginningOf, type HybridPassage, notePassages, type RankedNote } from './hybrid_passages.ts'
import { outgoing } from './link_queries.ts'
import type { Question } from './question.ts'
import { fittingNotes, searchNotes } from './search_notes.ts'
import type { Vault } from './vault.ts'

export interface HybridQuery {
  readonly query: string
  /** Passages. */
  readonly limit: number
  readonly perNote: number
  readonly folders: readonly string[]
  /** A note needs one of them. */
  readonly tags: readonly string[]
  readonly where: readonly Condition[]
  readonly expandLinks: boolean
  /** Cosine below which meaning does not count. */
  readonly minSimilarity: number
  readonly fusion: 'auto' | 'rrf'
  readonly tokenBudget?: number | undefined
}

export interface HybridAnswer {
  readonly passages: readonly HybridPassage[]
  /** Notes that either side found. */
  readonly total: number
  readonly notice?: string | undefined
}

/** Candidates that each side brings. */
const CANDIDATES = 100
/** Linked notes that are added, at most. */
const MAX_LINKED = 3
/** How far a question is drawn towards the best notes of the first look, so many of them, and how steeply trust falls. */
const FEEDBACK = { weight: 0.3, notes: 5, power: 8 }

/** Words and meaning together, over the union of what both find; words alone where meaning is not to be had, and says so. */
export async function hybridSearch(vault: Vault, query: HybridQuery): Promise<HybridAnswer> {
  if (!meaningOf(query.query).hasWords) return { passages: [], total: 0, notice: NO_WORD }
  const search = await sidesOf(vault, query)
  const ranked = await rank(search)
  const passages: HybridPassage[] = []
  for (const note of ranked) {
    if (passages.length >= query.limit) break
    passages.push(
      ...(await notePassages(vault, note, Math.min(query.perNote, query.limit - passages.length))),
    )
  }
  if (query.expandLinks) passages.push(...(await linkedPassages(search, passages)))
  return { passages: withinBudget(passages, query.tokenBudget), total: ranked.length, notice: search.notice }
}

type Test = (path: VaultPath) => boolean

/** Both sides of a search, ready to be asked. */
interface Sides {
  readonly vault: Vault
  readonly query: HybridQuery
  readonly words: (only: Test, most: number) => Promise<TextHits>
  readonly question: Question | null
  readonly fits: Test
  /** Notes that stand lower. */
  readonly demote: Test | undefined
  readonly notice: string | undefined
}

async function sidesOf(vault: Vault, query: HybridQuery): Promise<Sides> {
  const { text, gate } = meaningOf(query.query)
  const filters = testOf(vault, query)
  const allowed = gate === null ? null : fittingNotes(vault, gate)
  const { question, notice } = await questionOf(vault, text)
  return {
    vault,
    query,
    words: (only, limit) => searchNotes(vault, { query: query.query, only, limit }),
    question,
    fits: allowed === null ? filters : (path) => allowed.has(path) && filters(path),
    demote: await vault.appExcluded.test(),
    notice,
  }
}

function testOf(vault: Vault, { folders, tags, where }: HybridQuery): Test {
  const inFolders = folders.map((path) => compileFilters({ path }) ?? (() => true))
  const holds = compileFilters({ where })
  return (path) => {
    const file = vault.file(path)
    if (file === undefined) return false
    if (inFolders.length > 0 && !inFolders.some((is) => is(file))) return false
    const { facts } = file
    if (tags.length > 0 && !(facts && tags.some((tag) => matchTag(facts, tag)))) return false
    return holds === null || holds(file)
  }
}

async function questionOf(
  vault: Vault,
  text: string,
): Promise<{ question: Question | null; notice?: string | undefined }> {
  if (text === '') return { question: null }
  if (vault.semantic === null)
    return { question: null, notice: 'Search by meaning is off: these are keyword hits.' }
  try {
    const question = await vault.semantic.ask(text)
    return question === null ? { question, notice: NOT_SPOKEN } : { question, notice: stillPreparing(vault) }
  } catch (error) {
    // Whatever happens to the model, words still answer; what is no ordinary failure is logged whole.
    if (!(error instanceof VaultError)) log.error('search by meaning failed', error)
    const why = error instanceof VaultError ? error.message : 'Search by meaning failed.'
    return { question: null, notice: `${why} These are keyword hits.` }
  }
}

export const NOT_SPOKEN = 'The model does not speak the language of the query: these are keyword hits.'

/** Says so where not every note has its vectors yet. */
export function stillPreparing(vault: Vault): string | undefined {
  const { phase, indexed_notes: indexed, total_notes: total } = vault.embeddings().status ?? {}
  if (phase !== 'warming' || indexed === undefined || total === undefined || indexed >= total)
    return undefined
  return `Search by meaning knows ${indexed} of ${total} notes by now; the others are judged by their words.`
}

/** The best of each side, each judged by both, best first. */
async function rank(sides: Sides): Promise<RankedNote[]> {
  const { query, words, question, fits } = sides
  const found = await words(fits, CANDIDATES)
  if (question === null) return fused(sides, { words: found, hits: [], background: 0 })
  const options = { most: CANDIDATES, perNote: query.perNote }
  const near = question.near({ ...options, filter: fits }).filter((h) => h.best >= query.minSimilarity)
  if (query.fusion === 'rrf') return fused(sides, { words: found, hits: near, background: 0 })
  const union = new Set([...found.hits, ...near].map((hit) => hit.path as VaultPath))
  const inUnion = (path: string) => union.has(path as VaultPath)
  const all = await words(inUnion, union.size)
  const judge = (asked: Question) => {
    const hits = asked.near({ most: union.size, perNote: query.perNote, filter: inUnion })
    return fused(sides, { words: all, hits, background: asked.background })
  }
  const first = judge(question)
  return withCosines(judge(question.towards(trusted(first), FEEDBACK.weight)), first)
}

/** The places of the best notes, the best of all trusted most. */
function trusted(ranked: readonly RankedNote[]): { hit: VectorHit; trust: number }[] {
  return ranked.slice(0, FEEDBACK.notes).flatMap(({ chunks: [hit], score }) => {
    return hit === undefined ? [] : [{ hit, trust: Math.max(0, score) ** FEEDBACK.power }]
  })
}

/** What is shown is how near a note lies to the question itself. */
function withCosines(ranked: readonly RankedNote[], asked: readonly RankedNote[]): RankedNote[] {
  const chunks = new Map(asked.map((note) => [note.path, note.chunks]))
  return ranked.map((note) => ({ ...note, chunks: chunks.get(note.path) ?? [] }))
}

interface Found {
  readonly words: TextHits
  readonly hits: readonly VectorHit[]
  readonly background: number
}

function fused(
  { vault, query: { fusion }, demote }: Sides,
  { words, hits, background }: Found,
): RankedNote[] {
  const byWords = new Map(words.hits.map((hit) => [hit.path, hit]))
  const byMeaning = Map.groupBy(hits, (hit) => hit.path as VaultPath)
  const paths = [...new Set([...byWords.keys(), ...byMeaning.keys()])]
  const lower = (path: VaultPath, cosine: number) =>
    demote?.(path) ? background + DEMOTED * (cosine - background) : cosine
  const sides = paths.map((path) => {
    const cosine = byMeaning.get(path)?.[0]?.best
    return {
      lexical: byWords.get(path)?.score ?? null,
      semantic: cosine === undefined ? null : lower(path, cosine),
    }
  })
  const hasVector = (at: number) => hits.length > 0 && (vault.semantic?.has(paths[at] as VaultPath) ?? false)
  const scores =
    fusion === 'rrf' ? fuseRanks(sides) : fuseScores(sides, { hasVector, background, ceiling: words.ceiling })
  const best = Math.max(...words.hits.map((w) => w.score), Number.MIN_VALUE)
  return paths
    .map((path, i) => ({
      path,
      score: scores[i] as number,
      words: byWords.get(path),
      wordShare: (byWords.get(path)?.score ?? 0) / best,
      chunks: byMeaning.get(path) ?? [],
    }))
    .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1))
}

/** Notes that the hits link to, the best place of each. */
async function linkedPassages(sides: Sides, hits: readonly HybridPassage[]): Promise<HybridPassage[]> {
  const { vault, words, question, fits } = sides
  const seen = new Set(hits.map((h) => h.path))
  const out: HybridPassage[] = []
  for (const { path } of hits) {
    for (const { resolved_path: target } of outgoing(vault.catalogue.graph, path)) {
      if (out.length >= MAX_LINKED) return out
      if (target === null || seen.has(target) || !fits(target) || vault.file(target)?.kind !== 'note')
        continue
      seen.add(target)
      const only = (p: string) => p === target
      const [found] = (await words(only, 1)).hits
      const chunks = question?.near({ most: 1, perNote: 1, filter: only }) ?? []
      const note: RankedNote = { path: target, score: 0, words: found, wordShare: 0, chunks }
      const [passage] = await notePassages(vault, note, 1)
      out.push({ ...(passage ?? (await beginningOf(vault, target))), linked: path })
    }
  }
  return out
}

/** Whole passages, best first, as long as they fit. */
function withinBudget(
  passages: readonly HybridPassage[],
  budget: number | undefined,
): readonly HybridPassage[] {
  if (budget === undefined) return passages
  let used = 0
  return passages.filter(({ text }) => {
    const size = estimateTokens(text)
    if (used + size > budget) return false
    used += size
    return true
  })
}
