import { ALL_FIELDS } from '../index/fields.ts'
import { allowedDistance, nearTerms } from '../index/fuzzy.ts'
import { stringAt } from '../index/string_table.ts'
import type { IndexView } from '../index/text_index.ts'
import type { Evaluated } from './evaluate.ts'
import { exactMembers } from './expand.ts'
import { gather } from './postings.ts'
import { docFrequency } from './score.ts'

export interface Suggestion {
  /** A word of the question that is in no note, in no form. */
  readonly word: string
  /** Words of the vault that it may stand for, the likeliest first; at least one. */
  readonly near: readonly string[]
}

/** A question with more unknown words than this is not about this vault. */
const MOST_WORDS = 8
const MOST_NEAR = 3

/** "Did you mean": near words for each word of a question that found nothing. */
export function suggest(view: IndexView, root: Evaluated): Suggestion[] {
  const words = new Set(lostWords(root))
  const suggestions: Suggestion[] = []
  for (const word of [...words].slice(0, MOST_WORDS)) {
    const near = nearest(view, word)
    if (near.length > 0) suggestions.push({ word, near })
  }
  return suggestions
}

function lostWords({ node, scored, parts }: Evaluated): string[] {
  if (node.kind === 'word') return scored.docs.length === 0 && !node.prefix ? [node.term] : []
  return parts.flatMap(lostWords)
}

function nearest(view: IndexView, word: string): string[] {
  if (allowedDistance(word) === 0) return []
  const distances = new Map<string, number>()
  for (const { segment } of view.segments)
    for (const { term, distance } of nearTerms(segment.terms, word))
      distances.set(stringAt(segment.terms, term), distance)
  const found = [...distances]
    .map(([term, distance]) => ({
      term,
      distance,
      notes: docFrequency(gather(view, exactMembers(view, term), ALL_FIELDS)),
    }))
    .filter(({ notes }) => notes > 0)
  // The word itself is there, only not where it was looked for.
  if (found.some(({ distance }) => distance === 0)) return []
  return found
    .sort((a, b) => a.distance - b.distance || b.notes - a.notes || (a.term < b.term ? -1 : 1))
    .slice(0, MOST_NEAR)
    .map(({ term }) => term)
}
