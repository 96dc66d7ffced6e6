import type { FieldMask } from '../index/fields.ts'
import { pathOf } from '../index/segment.ts'
import type { IndexView } from '../index/text_index.ts'
import { combine, factorBelow, type Share } from './combine.ts'
import { exactMembers, nearMembers, prefixMembers, wordMembers } from './expand.ts'
import { firstOf } from './first_of.ts'
import { type Leaf, leafOf, type Pattern, times, wordPattern } from './leaf.ts'
import type { Members } from './postings.ts'
import {
  type Clause,
  type Compound,
  type Filter,
  narrows,
  type Phrase,
  type QueryNode,
  type Run,
  type Word,
} from './query_tree.ts'
import { isIdeograph } from './query_units.ts'
import { NONE, type Scored } from './score.ts'
import { difference, intersection, raised, union } from './sets.ts'
import type { Weights } from './weights.ts'

export interface Context {
  readonly view: IndexView
  readonly weights: Weights
  /** Fields to look into, whatever the question names. */
  readonly fields: FieldMask
  readonly fuzzy: boolean
  /** Which notes a filter lets through. */
  readonly filterTest: (filter: Filter) => (path: string) => boolean
  /** Words that say little in the question's language. */
  readonly common: ReadonlySet<string>
  /** What was evaluated already: a word that comes twice counts twice, but is looked up once. */
  readonly known: Map<string, Evaluated>
}

/** A part of a question, evaluated. */
export interface Evaluated {
  readonly node: QueryNode
  readonly scored: Scored
  /** What makes up the score of a note: the sum of the leaves' and the parts' scores there, times `share`. */
  readonly leaves: readonly Leaf[]
  readonly parts: readonly Evaluated[]
  /** How much of that sum counts where `found` of the leaves and parts are found; null = all of it. */
  readonly share: Share | null
  /** What raises the score of notes that are found anyway: in a clause its own, elsewhere those of the clause above. */
  readonly extras: readonly Leaf[]
}

export function evaluate(context: Context, node: QueryNode): Evaluated {
  if (node.kind === 'clause') return evaluateClause(context, node)
  const key = JSON.stringify(node)
  let known = context.known.get(key)
  if (known === undefined) context.known.set(key, (known = evaluateUnit(context, node)))
  return known
}

function evaluateUnit(context: Context, node: Exclude<QueryNode, Clause>): Evaluated {
  switch (node.kind) {
    case 'word':
      return evaluateWord(context, node)
    case 'phrase':
      return summed(context, node, [phraseLeaf(context, node)])
    case 'compound':
      return evaluateCompound(context, node)
    case 'run':
      return evaluateRun(context, node)
    default:
      return { ...summed(context, node, []), scored: notesWhere(context.view, context.filterTest(node)) }
  }
}

function evaluateClause(context: Context, node: Clause): Evaluated {
  const { view, weights } = context
  const needed = node.must.map((one) => evaluate(context, one))
  const wanted = node.should.map((one) => evaluate(context, one))
  const parts = [...needed, ...wanted].filter((part) => !narrows(part.node))
  const extras = parts.flatMap((part) => (part.node.kind === 'clause' ? [] : part.extras))
  const sets = parts.map(({ scored }) => scored)
  const completeFirst = parts.every((part) => isIdeographicName(part.node))
  const sum = combine(sets, { span: view.docSpan, weights, completeFirst })
  let scored = found(context, sum.scored, needed, wanted)
  for (const extra of extras) scored = raised(scored, extra.scored)
  const exact = context.fuzzy ? { ...context, fuzzy: false, known: new Map<string, Evaluated>() } : context
  for (const unwanted of node.not) scored = difference(scored, evaluate(exact, unwanted).scored)
  return { node, scored, leaves: [], parts, share: sum.share, extras }
}

/** Writers of ideographs set a blank where others write AND: notes that have all such names come first. */
function isIdeographicName(node: QueryNode): boolean {
  return node.kind === 'run' ? node.whole : node.kind === 'word' && isIdeograph(node.term)
}

/** The notes that a clause is about, with the scores of `sum`. */
function found(
  { view }: Context,
  sum: Scored,
  needed: readonly Evaluated[],
  wanted: readonly Evaluated[],
): Scored {
  const filters = wanted.filter(({ node }) => narrows(node))
  if (needed.length === 0 && filters.length === 0 && wanted.length > 0) return sum
  const optional = needed.some(({ node }) => !narrows(node))
  const sets = needed.map(({ scored }) => scored)
  if (!optional && wanted.length > 0)
    sets.push(union([sum, ...filters.map(({ scored }) => scored)], view.docSpan))
  const [first = allNotes(view), ...others] = sets
  const { docs } = others.reduce(intersection, first)
  return raised({ docs, scores: new Float64Array(docs.length) }, sum)
}

/** A vault of a few notes cannot tell how common "how" and "who" are, the language can: in this share of notes at least. */
const COMMON_SHARE = 0.5

function evaluateWord(context: Context, node: Word): Evaluated {
  const { view, weights } = context
  const members = membersOf(context, node.term, node.prefix)
  const leaf = leafOf(view, weights, {
    label: node.prefix ? `${node.term}*` : node.term,
    match: 'word',
    patterns: [wordPattern(members)],
    fields: node.fields & context.fields,
    least: context.common.has(node.term) ? view.docCount * COMMON_SHARE : 0,
  })
  const near = context.fuzzy && !node.prefix ? nearLeaf(context, node, members, leaf) : undefined
  return summed(context, node, near === undefined ? [leaf] : [leaf, near])
}

/**
 * Near words count only in notes that have the word itself in no form, and their scores are lowered together until
 * the best of them is below the least of the exact ones: so an exact hit always stands above a near one.
 */
function nearLeaf(context: Context, node: Word, members: Members, exact: Leaf): Leaf | undefined {
  const { view, weights } = context
  const near = leafOf(view, weights, {
    label: node.term,
    match: 'near',
    patterns: [wordPattern(nearMembers(view, node.term, members, weights))],
    fields: exact.fields,
  })
  const scored = difference(near.scored, exact.scored)
  if (scored.docs.length === 0) return undefined
  const least = exact.scored.scores.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
  const most = scored.scores.reduce((a, b) => Math.max(a, b), 0)
  return times({ ...near, scored }, Math.min(weights.near[0], factorBelow(least, most)))
}

function phraseLeaf(context: Context, { elements, slop, fields }: Phrase): Leaf {
  const { view, weights } = context
  const members = elements.map(({ term, prefix }) =>
    prefix ? prefixMembers(view, term, weights) : exactMembers(view, term),
  )
  return leafOf(view, weights, {
    label: elements.map(({ term }) => term).join(' '),
    match: elements.length > 1 ? 'phrase' : 'word',
    patterns: [{ elements: members, offsets: elements.map(({ offset }) => offset), slop }],
    fields: fields & context.fields,
  })
}

/** The whole or its parts side by side in any form; where no note has that, all parts anywhere in it. */
function evaluateCompound(context: Context, node: Compound): Evaluated {
  const { view, weights } = context
  const fields = node.fields & context.fields
  const members = node.parts.map(({ term, prefix }) => membersOf(context, term, prefix))
  const patterns = [sideBySide(members)]
  if (node.whole !== null) patterns.push(wordPattern(membersOf(context, node.whole.term, node.whole.prefix)))
  const label = node.whole?.term ?? node.parts.map(({ term }) => term).join(' ')
  const leaf = leafOf(view, weights, { label, match: 'word', patterns, fields })
  if (leaf.scored.docs.length === 0) return { ...evaluateClause(context, allParts(node)), extras: [] }
  const extras = node.parts.map(({ term }, i) => {
    const part = { label: term, match: 'part', patterns: [wordPattern(members[i]!)], fields } as const
    return times(leafOf(view, weights, part), weights.parts)
  })
  return { ...summed(context, node, [leaf]), extras }
}

function allParts({ parts, fields }: Compound): Clause {
  const must = parts.map(({ term, prefix }): Word => ({ kind: 'word', term, prefix, fields }))
  return { kind: 'clause', must, should: [], not: [] }
}

/** All pairs side by side, or any of them; two that stand side by side raise the score. */
function evaluateRun(context: Context, node: Run): Evaluated {
  const { view } = context
  const weights = { ...context.weights, saturation: context.weights.pairSaturation }
  const fields = node.fields & context.fields
  if (node.whole) return summed(context, node, [nameLeaf(context, node)])
  const members = node.pairs.map((term) => wordMembers(view, term, weights))
  const leaves = node.pairs.map((term, i) =>
    leafOf(view, weights, { label: term, match: 'word', patterns: [wordPattern(members[i]!)], fields }),
  )
  const extras = node.pairs.slice(1).map((term, i) => {
    const patterns = [sideBySide(members.slice(i, i + 2))]
    const label = `${node.pairs[i]!} ${term}`
    return times(leafOf(view, weights, { label, match: 'adjacent', patterns, fields }), weights.adjacentPairs)
  })
  const sets = leaves.map((leaf) => leaf.scored)
  const { scored, share } = combine(sets, { span: view.docSpan, weights })
  return { node, scored, leaves, parts: [], share, extras }
}

/** Writers set blanks inside names as they like: where no note has the pairs, the characters will do. */
function nameLeaf({ view, weights, fields }: Context, node: Run): Leaf {
  const leaf = (terms: readonly string[]) =>
    leafOf(view, weights, {
      label: node.characters.join(''),
      match: 'phrase',
      patterns: [sideBySide(terms.map((term) => wordMembers(view, term, weights)))],
      fields: node.fields & fields,
    })
  const together = leaf(node.pairs)
  return together.scored.docs.length > 0 ? together : leaf(node.characters)
}

function sideBySide(elements: readonly Members[]): Pattern {
  return { elements, offsets: elements.map((_, i) => i), slop: 0 }
}

function membersOf({ view, weights }: Context, term: string, prefix: boolean): Members {
  return prefix ? prefixMembers(view, term, weights) : wordMembers(view, term, weights)
}

function summed({ view }: Context, node: QueryNode, leaves: readonly Leaf[]): Evaluated {
  const sets = leaves.map(({ scored }) => scored)
  const scored = sets.length > 1 ? union(sets, view.docSpan) : (sets[0] ?? NONE)
  return { node, scored, leaves, parts: [], share: null, extras: [] }
}

function allNotes(view: IndexView): Scored {
  return notesWhere(view, null)
}

function notesWhere(view: IndexView, test: ((path: string) => boolean) | null): Scored {
  const docs = new Uint32Array(view.docCount)
  let n = 0
  for (const { segment, dead, base } of view.segments)
    for (let doc = 0; doc < segment.docCount; doc++)
      if (dead[doc] === 0 && (test === null || test(pathOf(segment, doc)))) docs[n++] = base + doc
  return { docs: firstOf(docs, n), scores: new Float64Array(n) }
}
