import { VaultError } from '../errors.ts'
import type { VaultPath } from '../note/path.ts'
import { fuseRanks, fuseScores } from '../search/fuse.ts'
import { type Condition, matchTag } from '../search/where.ts'
import { estimateTokens } from '../text/tokens.ts'
import type { VectorHit } from '../vector/store.ts'
import { previewOf } from './evidence.ts'
import { compileFilters } from './filters.ts'
import { outgoing } from './link_queries.ts'
import { passagesOf, searchNotes } from './search_notes.ts'
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

export interface HybridPassage {
  readonly path: VaultPath
  /** The innermost heading above it. */
  readonly heading: string | null
  readonly text: string
  readonly line: number
  /** 0 to 100: the better of cosine and keyword score, never the fused value. */
  readonly match: number
  readonly score: number
  readonly lexical: number | null
  readonly semantic: number | null
  /** The hit that links here, for passages of linked notes. */
  readonly linked?: VaultPath | undefined
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
/** UTF-16 units of a passage. */
const PASSAGE_UNITS = 1200

/** Words and meaning together, over the union of what both find; words alone where meaning is not to be had, and says so. */
export async function hybridSearch(vault: Vault, query: HybridQuery): Promise<HybridAnswer> {
  const fits = testOf(vault, query)
  const words = await wordsSide(vault, query, fits)
  const { hits, notice } = await meaningSide(vault, query, fits)
  const strong = hits.filter((hit) => hit.cosine >= query.minSimilarity)
  const ranked = fuse(vault, query, words, strong)
  const passages: HybridPassage[] = []
  for (const note of ranked) {
    if (passages.length >= query.limit) break
    passages.push(...(await notePassages(vault, note, query, query.limit - passages.length)))
  }
  if (query.expandLinks) passages.push(...(await linkedPassages(vault, query, passages)))
  return { passages: withinBudget(passages, query.tokenBudget), total: ranked.length, notice }
}

type Test = (path: VaultPath) => boolean

function testOf(vault: Vault, { folders, tags, where }: HybridQuery): Test {
  const inFolders = folders.map((path) => compileFilters({ path }) ?? (() => true))
  const holds = compileFilters({ where })
  return (path) => {
    const file = vault.file(path)
    if (file === undefined) return false
    if (inFolders.length > 0 && !inFolders.some((is) => is(file))) return false
    if (tags.length > 0 && !(file.facts && tags.some((tag) => matchTag(file.facts as never, tag))))
      return false
    return holds === null || holds(file)
  }
}

async function wordsSide(vault: Vault, { query }: HybridQuery, fits: Test) {
  const { hits } = await searchNotes(vault, { query, limit: CANDIDATES * 3 })
  return hits.filter((hit) => fits(hit.path)).slice(0, CANDIDATES)
}

async function meaningSide(vault: Vault, { query, perNote }: HybridQuery, fits: Test) {
  if (vault.semantic === null)
    return { hits: [], notice: 'Search by meaning is off: these are keyword hits.' }
  try {
    const hits = await vault.semantic.search(query, { most: CANDIDATES, perNote, filter: fits })
    if (hits !== null) return { hits, notice: undefined }
    return { hits: [], notice: 'The model does not speak the language of the query: these are keyword hits.' }
  } catch (error) {
    if (!(error instanceof VaultError)) throw error
    return { hits: [], notice: `${error.message} These are keyword hits.` }
  }
}

interface RankedNote {
  readonly path: VaultPath
  readonly score: number
  readonly words: Awaited<ReturnType<typeof wordsSide>>[number] | undefined
  /** Of the best keyword score, 0 to 1. */
  readonly wordShare: number
  readonly chunks: readonly VectorHit[]
}

function fuse(
  vault: Vault,
  { fusion }: HybridQuery,
  words: Awaited<ReturnType<typeof wordsSide>>,
  hits: readonly VectorHit[],
): RankedNote[] {
  const byWords = new Map(words.map((hit) => [hit.path, hit]))
  const byMeaning = Map.groupBy(hits, (hit) => hit.path)
  const paths = [...new Set([...byWords.keys(), ...byMeaning.keys()])]
  const sides = paths.map((path) => ({
    lexical: byWords.get(path)?.score ?? null,
    semantic: byMeaning.get(path)?.[0]?.cosine ?? null,
  }))
  const hasVector = (at: number) => hits.length > 0 && (vault.semantic?.has(paths[at] as VaultPath) ?? false)
  const scores = fusion === 'rrf' ? fuseRanks(sides) : fuseScores(sides, hasVector)
  const best = Math.max(...words.map((w) => w.score), Number.MIN_VALUE)
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

/** The best places of a note: where its meaning was found, else where its words stand. */
async function notePassages(
  vault: Vault,
  note: RankedNote,
  { perNote }: HybridQuery,
  room: number,
): Promise<HybridPassage[]> {
  const most = Math.min(perNote, room)
  const common = { path: note.path, score: note.score, lexical: note.words?.score ?? null }
  const percent = (cosine: number | null) =>
    Math.round(100 * Math.min(1, Math.max(0, cosine ?? 0, note.wordShare)))
  const out: HybridPassage[] = []
  const read = await vault.read(note.path).catch(() => null)
  if (read === null) return []
  for (const { chunk, cosine, revision } of note.chunks) {
    if (out.length >= most || revision !== read.revision) break
    const { text } = previewOf(read.text, chunk.range, PASSAGE_UNITS)
    const line = read.text.slice(0, chunk.range.start).split('\n').length
    out.push({
      ...common,
      heading: chunk.headingPath.at(-1) ?? null,
      text,
      line,
      match: percent(cosine),
      semantic: cosine,
    })
  }
  if (out.length > 0 || note.words === undefined) return out
  const found = await passagesOf(vault, note.words, { contextLength: PASSAGE_UNITS / 4, max: most })
  return found.map(({ text, line, headingPath }) => ({
    ...common,
    heading: headingPath.at(-1) ?? null,
    text,
    line,
    match: percent(null),
    semantic: note.chunks[0]?.cosine ?? null,
  }))
}

/** Notes that the hits link to, the best place of each. */
async function linkedPassages(
  vault: Vault,
  query: HybridQuery,
  hits: readonly HybridPassage[],
): Promise<HybridPassage[]> {
  const seen = new Set(hits.map((h) => h.path))
  const out: HybridPassage[] = []
  const fits = testOf(vault, query)
  for (const { path } of hits) {
    for (const { resolved_path: target } of outgoing(vault.catalogue.graph, path)) {
      if (out.length >= MAX_LINKED) return out
      if (target === null || seen.has(target) || !fits(target) || vault.file(target)?.kind !== 'note')
        continue
      seen.add(target)
      const only = (p: VaultPath) => p === target
      const words = (await wordsSide(vault, query, only))[0]
      const { hits: chunks } = await meaningSide(vault, { ...query, perNote: 1 }, only)
      const note: RankedNote = { path: target, score: 0, words, wordShare: words ? 0.5 : 0, chunks }
      const [passage] = await notePassages(vault, note, { ...query, perNote: 1 }, 1)
      if (passage) out.push({ ...passage, linked: path })
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
