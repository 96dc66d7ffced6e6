import { ALL_FIELDS, type FieldName, fieldMask } from '../index/fields.ts'
import { pathOf } from '../index/segment.ts'
import type { IndexView, TextIndex } from '../index/text_index.ts'
import type { VaultPath } from '../note/path.ts'
import { commonWords } from '../text/common_words.ts'
import { guessLanguages } from '../text/guess.ts'
import { describe } from './describe.ts'
import { type Context, type Evaluated, evaluate } from './evaluate.ts'
import { type Contribution, explain } from './explain.ts'
import { firstOf } from './first_of.ts'
import { type Matched, matchedIn, patternsOf } from './matched.ts'
import { parseQuery } from './query.ts'
import type { Filter, Query } from './query_tree.ts'
import { topRanked } from './rank.ts'
import { type Scored, segmentOf } from './score.ts'
import { type Suggestion, suggest } from './suggest.ts'
import { WEIGHTS, type Weights } from './weights.ts'

export type PathTest = (path: VaultPath) => boolean

export interface SearchOptions {
  /** Words one or two slips away are found too, below the exact ones. Default false. */
  readonly fuzzy?: boolean | undefined
  /** Where to look; default everywhere. */
  readonly fields?: readonly FieldName[] | undefined
  /** Only these notes. Asked once for each note that the words find. */
  readonly filter?: PathTest | ReadonlySet<VaultPath> | undefined
  /** These notes stand lower: their scores count by {@link DEMOTED}. */
  readonly demote?: PathTest | undefined
  /** Which notes `tag:…`, `path:…` and `[property:value]` in the question let through. */
  readonly tagFilter?: ((tag: string) => PathTest) | undefined
  /** Default: the folder itself and everything below. */
  readonly pathFilter?: ((path: string) => PathTest) | undefined
  readonly propertyFilter?: ((property: string, value: string) => PathTest) | undefined
  /** Default 20. */
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  /** Says of each hit how its score comes about. */
  readonly explain?: boolean | undefined
  readonly weights?: Weights | undefined
}

export interface TextHit {
  readonly path: VaultPath
  /** Above 0; comparable within one answer only. Of notes that no word was asked of, 1. */
  readonly score: number
  /** For `passages`. */
  readonly matched: Matched
  /** Their scores add up to `score`; empty where no word was asked for. */
  readonly explanation?: readonly Contribution[]
}

export interface TextHits {
  /** Best first; what scores alike by path. */
  readonly hits: readonly TextHit[]
  /** Notes found, before `offset` and `limit`. */
  readonly total: number
  /** The question holds something to look for or to leave out; without, nothing is found. */
  readonly hasWords: boolean
  /** The question only says what must not be there. */
  readonly onlyNegative: boolean
  /** The question as it was understood, in its own syntax. */
  readonly understood: string
  /** What a note would score that had every word of the question, as often as one could wish. */
  readonly ceiling: number
  /** For words that are nowhere: words that the writer may have meant. */
  readonly suggestions: readonly Suggestion[]
}

/** Ranks every note that fits the question, then cuts. No question is an error. */
export function searchText(index: TextIndex, query: string | Query, options: SearchOptions = {}): TextHits {
  const parsed = typeof query === 'string' ? parseQuery(query) : query
  const { hasWords, onlyNegative } = parsed
  const answer = { hasWords, onlyNegative, understood: describe(parsed) }
  if (!hasWords) return { ...answer, hits: [], total: 0, ceiling: 0, suggestions: [] }
  const view = index.view()
  const context = contextOf(view, parsed, options)
  const root = evaluate(context, parsed.root)
  const found = demoted(view, filtered(view, root.scored, options.filter), options.demote)
  const { limit = 20, offset = 0 } = options
  const ranked = topRanked(view, found, offset + limit).slice(offset)
  const patterns = patternsOf(view, root)
  const hits = ranked.map((at) =>
    hitOf(context, root, found, at, matchedIn(view, patterns, found.docs[at]!), options),
  )
  return {
    ...answer,
    hits,
    total: found.docs.length,
    ceiling: ceilingOf(root),
    suggestions: suggest(view, root),
  }
}

/** Every note that fits a question, unranked. */
export function fittingPaths(index: TextIndex, query: Query, options: SearchOptions = {}): Set<VaultPath> {
  const view = index.view()
  const { scored } = evaluate(contextOf(view, query, options), query.root)
  const { docs } = filtered(view, scored, options.filter)
  return new Set(Array.from(docs, (doc) => pathIn(view, doc)))
}

function contextOf(view: IndexView, { text }: Query, options: SearchOptions): Context {
  const { tagFilter, propertyFilter, pathFilter = inFolder } = options
  const filterTest = (filter: Filter): PathTest => {
    if (filter.kind === 'path') return pathFilter(filter.path)
    if (filter.kind === 'tag') return tagFilter?.(filter.tag) ?? never
    return propertyFilter?.(filter.property, filter.value) ?? never
  }
  return {
    view,
    filterTest,
    weights: options.weights ?? WEIGHTS,
    fields: options.fields === undefined ? ALL_FIELDS : fieldMask(options.fields),
    fuzzy: options.fuzzy ?? false,
    common: commonWords(guessLanguages(text)),
    known: new Map(),
  }
}

/** A word scores less than its inverse document frequency, in whatever form it is found. */
function ceilingOf({ leaves, parts }: Evaluated): number {
  const own = leaves.reduce((most, { idf, factor }) => Math.max(most, idf * factor), 0)
  return parts.reduce((sum, part) => sum + ceilingOf(part), own)
}

const never: PathTest = () => false

function inFolder(folder: string): PathTest {
  const wanted = folder.replace(/^\/+|\/+$/g, '').toLowerCase()
  return (path) => {
    const key = path.toLowerCase()
    return wanted === '' || key === wanted || key === `${wanted}.md` || key.startsWith(`${wanted}/`)
  }
}

function filtered(view: IndexView, { docs, scores }: Scored, filter: SearchOptions['filter']): Scored {
  if (filter === undefined) return { docs, scores }
  const test = typeof filter === 'function' ? filter : (path: string) => filter.has(path)
  const kept = new Uint32Array(docs.length)
  const keptScores = new Float64Array(docs.length)
  let n = 0
  for (let i = 0; i < docs.length; i++) {
    if (!test(pathIn(view, docs[i]!))) continue
    kept[n] = docs[i]!
    keptScores[n++] = scores[i]!
  }
  return { docs: firstOf(kept, n), scores: firstOf(keptScores, n) }
}

/** What is left of the score of a note that stands lower. */
export const DEMOTED = 0.25

function demoted(view: IndexView, found: Scored, demote: PathTest | undefined): Scored {
  if (demote === undefined) return found
  const { docs, scores } = found
  return {
    docs,
    scores: scores.map((score, i) => (demote(pathIn(view, docs[i]!)) ? score * DEMOTED : score)),
  }
}

function hitOf(
  { view, weights }: Context,
  root: Evaluated,
  { docs, scores }: Scored,
  at: number,
  matched: Matched,
  options: SearchOptions,
): TextHit {
  const doc = docs[at]!
  // Without a word there is nothing to rank by, and a score of nothing would read as "no match".
  const score = scores[at]! === 0 ? 1 : scores[at]!
  const path = pathIn(view, doc)
  if (!options.explain) return { path, score, matched }
  const factor = options.demote?.(path) ? DEMOTED : 1
  return { path, score, matched, explanation: explain(view, weights, root, { doc, factor }) }
}

function pathIn(view: IndexView, doc: number): VaultPath {
  const { segment, base } = view.segments[segmentOf(view, doc)]!
  return pathOf(segment, doc - base)
}
