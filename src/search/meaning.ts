import { parseQuery } from './query.ts'
import type { Clause, Query, QueryNode } from './query_tree.ts'

/** What a question asks of meaning: a text to embed, and what holds for every note whatever it means. */
export interface MeaningQuestion {
  /** Empty where the question only filters or leaves out. */
  readonly text: string
  /** What a note must have and must not have; null: nothing. */
  readonly gate: Query | null
  /** Neither a word nor a filter otherwise: nothing was asked. */
  readonly hasWords: boolean
}

/**
 * Reads a question for the side of meaning. `coffee -pour` means coffee, and no note with "pour" fits, however near it
 * lies; `+word`, `tag:`, `path:` and `a AND b` narrow both sides alike. A question without such signs is embedded as it
 * was written.
 */
export function meaningOf(question: string): MeaningQuestion {
  const query = parseQuery(question)
  const { hasWords } = query
  if (!hasWords) return { text: '', gate: null, hasWords }
  const { must, should, not } = query.root
  const [only] = should
  const all = should.length === 1 && only?.kind === 'clause' && only.should.length === 0 ? only : null
  if (must.length === 0 && not.length === 0 && all === null)
    return { text: question.trim(), gate: null, hasWords }
  const root: Clause = {
    kind: 'clause',
    must: [...must, ...(all?.must ?? [])],
    should: [],
    not: [...not, ...(all?.not ?? [])],
  }
  const gate = { ...query, root, onlyNegative: root.must.length === 0 }
  const isOpen = root.must.length === 0 && root.not.length === 0
  return { text: [...must, ...should].flatMap(wordsOf).join(' '), gate: isOpen ? null : gate, hasWords }
}

/** The words of what is looked for, in their order. */
function wordsOf(node: QueryNode): string[] {
  switch (node.kind) {
    case 'clause':
      return [...node.must, ...node.should].flatMap(wordsOf)
    case 'word':
      return [node.term]
    case 'phrase':
      return node.elements.map(({ term }) => term)
    case 'compound':
      return node.whole === null ? node.parts.map(({ term }) => term) : [node.whole.term]
    case 'run':
      return [node.characters.join('')]
    default:
      return []
  }
}
