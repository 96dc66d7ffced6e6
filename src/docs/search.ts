import { fuseScores, type Sides } from '../search/fuse.ts'
import { meaningOf } from '../search/meaning.ts'
import { fittingPaths, type PathTest, searchText, type TextHits } from '../search/search.ts'
import { Question } from '../vault/question.ts'
import type { VectorHit } from '../vector/store.ts'
import type { Corpus } from './corpus.ts'
import type { Fragment } from './fragments.ts'
import { symbolRank, symbolsIn } from './symbols.ts'

export interface DocsHit {
  readonly corpus: string
  readonly fragment: Fragment
  /** 0 to 100: the better of cosine and keyword score, never the fused value. */
  readonly match: number
}

export interface DocsQuery {
  readonly query: string
  readonly limit: number
  /** The question as a vector of the model whose vectors count; null: words alone. */
  readonly vector: Float32Array | null
  /** Of that model. */
  readonly identity: string | null
  /** Default both; one of them alone is for measuring. */
  readonly way?: 'both' | 'words' | 'meaning' | undefined
}

/** Candidates that each side of each corpus brings. */
const CANDIDATES = 100

interface Candidate extends Sides {
  readonly corpus: Corpus
  readonly fragment: Fragment
  readonly hasVector: boolean
}

/**
 * The best fragments of some corpora, best first, one of each section. Words and meaning judge all candidates of all
 * corpora in one comparison; what holds a symbol that was asked for by its exact name stands above what does not.
 */
export function searchCorpora(corpora: readonly Corpus[], asked: DocsQuery): DocsHit[] {
  const sides = corpora.map((corpus) => candidatesOf(corpus, asked))
  const candidates = sides.flatMap((side) => side.candidates)
  const ceiling = Math.max(0, ...sides.map((side) => side.ceiling))
  const scores = fuseScores(candidates, {
    hasVector: (at) => candidates[at]?.hasVector ?? false,
    background: meanBackground(sides),
    ceiling,
  })
  const symbols = symbolsIn(asked.query)
  const ranked = candidates
    .map((candidate, i) => ({
      ...candidate,
      score: scores[i] as number,
      symbols: symbolRank(candidate.fragment, symbols),
    }))
    .sort((a, b) => b.symbols - a.symbols || b.score - a.score || (a.fragment.id < b.fragment.id ? -1 : 1))
  return onePerSection(ranked)
    .slice(0, asked.limit)
    .map(({ corpus, fragment, lexical, semantic }) => ({
      corpus: corpus.facts.name,
      fragment,
      match: percent(Math.max(semantic ?? 0, ceiling === 0 ? 0 : (lexical ?? 0) / ceiling)),
    }))
}

interface CorpusSide {
  readonly candidates: readonly Candidate[]
  readonly ceiling: number
  readonly background: number
  readonly vectors: number
}

function candidatesOf(corpus: Corpus, { query, vector, identity, way = 'both' }: DocsQuery): CorpusSide {
  const { index, fragments, vectors } = corpus
  const { gate } = meaningOf(query)
  const allowed = gate === null ? undefined : fittingPaths(index, gate)
  const store = vector !== null && way !== 'words' && vectors?.identity === identity ? vectors : null
  const question = store && vector ? new Question(store, vector) : null
  const words = (limit: number, filter: PathTest | ReadonlySet<string> | undefined): TextHits =>
    searchText(index, way === 'meaning' ? '' : query, { limit, filter })
  const near = (most: number, filter: PathTest | undefined): VectorHit[] =>
    question?.near({ most, perNote: 1, filter }) ?? []
  const union = new Set<string>([
    ...words(CANDIDATES, allowed).hits.map((hit) => hit.path),
    ...near(CANDIDATES, allowed && ((id) => allowed.has(id))).map((hit) => hit.path),
  ])
  const byWords = words(union.size, union)
  const lexical = new Map(byWords.hits.map((hit) => [hit.path, hit.score]))
  const semantic = new Map(near(union.size, (id) => union.has(id)).map((hit) => [hit.path, hit.best]))
  const candidates = [...union].flatMap((id) => {
    const fragment = fragments.get(id)
    if (fragment === undefined) return []
    const judged = { lexical: lexical.get(id) ?? null, semantic: semantic.get(id) ?? null }
    return [{ corpus, fragment, ...judged, hasVector: semantic.has(id) }]
  })
  const count = store?.chunkCount ?? 0
  return { candidates, ceiling: byWords.ceiling, background: question?.background ?? 0, vectors: count }
}

/** The cosine that chance gives, over the vectors of all corpora. */
function meanBackground(sides: readonly CorpusSide[]): number {
  const all = sides.reduce((sum, { vectors }) => sum + vectors, 0)
  return all === 0 ? 0 : sides.reduce((sum, { background, vectors }) => sum + background * vectors, 0) / all
}

/** A long section was cut: its best part stands for it. */
function onePerSection<T extends Candidate>(ranked: readonly T[]): T[] {
  const seen = new Set<string>()
  return ranked.filter(({ corpus, fragment: { path, headings } }) => {
    const key = JSON.stringify([corpus.facts.name, path, headings])
    return !seen.has(key) && seen.add(key)
  })
}

function percent(share: number): number {
  return Math.round(100 * Math.min(1, Math.max(0, share)))
}
