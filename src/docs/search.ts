import { fuseScores, type Sides } from '../search/fuse.ts'
import { meaningOf } from '../search/meaning.ts'
import { fittingPaths, searchText, type TextHits } from '../search/search.ts'
import { Question } from '../vault/question.ts'
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

/**
 * What the second-best fragment of its page adds to a fragment: a page that speaks of the matter in two places is more
 * probably the right one. Measured with `bench/docs.ts`.
 */
const PAGE = 0.3

/**
 * The best fragments of some corpora, best first, one of each section. Words and meaning judge all candidates of all
 * corpora in one comparison; what holds a symbol that was asked for by its exact name stands above what does not.
 */
export function searchCorpora(corpora: readonly Corpus[], asked: DocsQuery): DocsHit[] {
  const sides = corpora.map((corpus) => sideOf(corpus, asked))
  const ceiling = Math.max(0, ...sides.map((side) => side.ceiling))
  const symbols = symbolsIn(asked.query)
  const ranked = withPages(judged(sides, ceiling))
    .map((candidate) => ({ ...candidate, symbols: symbolRank(candidate.fragment, symbols) }))
    .sort((a, b) => b.symbols - a.symbols || b.score - a.score || (a.fragment.id < b.fragment.id ? -1 : 1))
  return onePerSection(ranked)
    .slice(0, asked.limit)
    .map(({ corpus, fragment, lexical, semantic }) => ({
      corpus: corpus.facts.name,
      fragment,
      match: percent(Math.max(semantic ?? 0, ceiling === 0 ? 0 : (lexical ?? 0) / ceiling)),
    }))
}

/** One corpus and what both sides of the question say of its candidates. */
interface CorpusSide {
  readonly corpus: Corpus
  readonly fragments: ReadonlyMap<string, Fragment>
  readonly lexical: ReadonlyMap<string, number>
  readonly ceiling: number
  readonly question: Question | null
  /** Cosines. */
  readonly semantic: ReadonlyMap<string, number>
}

function sideOf(corpus: Corpus, { query, vector, identity, way = 'both' }: DocsQuery): CorpusSide {
  const { index, vectors } = corpus
  const { gate } = meaningOf(query)
  const allowed = gate === null ? undefined : fittingPaths(index, gate)
  const store = vector !== null && way !== 'words' && vectors?.identity === identity ? vectors : null
  const question = store && vector ? new Question(store, vector) : null
  const words = (limit: number, filter: ReadonlySet<string> | undefined): TextHits =>
    searchText(index, way === 'meaning' ? '' : query, { limit, filter })
  const union = new Set<string>([
    ...words(CANDIDATES, allowed).hits.map((hit) => hit.path),
    ...nearest(question, CANDIDATES, allowed).keys(),
  ])
  const byWords = words(union.size, union)
  const fragments = [...union].flatMap((id) => {
    const fragment = corpus.fragments.get(id)
    return fragment === undefined ? [] : [[id, fragment] as const]
  })
  return {
    corpus,
    fragments: new Map(fragments),
    lexical: new Map(byWords.hits.map((hit) => [hit.path, hit.score])),
    ceiling: byWords.ceiling,
    question,
    semantic: nearest(question, union.size, union),
  }
}

function nearest(
  question: Question | null,
  most: number,
  only: ReadonlySet<string> | undefined,
): ReadonlyMap<string, number> {
  const filter = only && ((id: string) => only.has(id))
  return new Map(question?.near({ most, perNote: 1, filter }).map((hit) => [hit.path, hit.best]))
}

interface Candidate extends Sides {
  readonly corpus: Corpus
  readonly fragment: Fragment
  readonly score: number
}

function judged(sides: readonly CorpusSide[], ceiling: number): Candidate[] {
  const candidates = sides.flatMap(({ corpus, fragments, lexical, semantic }) =>
    [...fragments].map(([id, fragment]) => {
      return { corpus, fragment, lexical: lexical.get(id) ?? null, semantic: semantic.get(id) ?? null }
    }),
  )
  const scores = fuseScores(candidates, {
    hasVector: (at) => candidates[at]?.semantic != null,
    background: meanBackground(sides),
    ceiling,
  })
  return candidates.map((candidate, i) => ({ ...candidate, score: scores[i] as number }))
}

function withPages(candidates: readonly Candidate[]): Candidate[] {
  const pages = Map.groupBy(candidates, ({ corpus, fragment }) => `${corpus.facts.name}\0${fragment.path}`)
  return [...pages.values()].flatMap((page) => {
    const [first, second] = page.toSorted((a, b) => b.score - a.score)
    return page.map((one) => ({
      ...one,
      score: one.score + PAGE * ((one === first ? second : first)?.score ?? 0),
    }))
  })
}

/** The cosine that chance gives, over the vectors of all corpora. */
function meanBackground(sides: readonly CorpusSide[]): number {
  const counts = sides.map(({ corpus, question }) =>
    question === null ? 0 : (corpus.vectors?.chunkCount ?? 0),
  )
  const all = counts.reduce((sum, n) => sum + n, 0)
  if (all === 0) return 0
  return (
    sides.reduce((sum, { question }, i) => sum + (question?.background ?? 0) * (counts[i] as number), 0) / all
  )
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
