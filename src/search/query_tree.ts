import type { FieldMask } from '../index/fields.ts'

/** A question as it was understood. */
export interface Query {
  readonly text: string
  readonly root: Clause
  /** There is something to look for or to leave out: a word, a phrase or a filter. */
  readonly hasWords: boolean
  /** It only says what must not be there: everything else is the answer. */
  readonly onlyNegative: boolean
  /** Words beyond the most that one question may have were left out. */
  readonly cut: boolean
}

/**
 * All of `must`, none of `not`; of `should` at least one where `must` holds no words (filters are none), else they
 * only raise the score. With neither, everything that `not` does not name.
 */
export interface Clause {
  readonly kind: 'clause'
  readonly must: readonly QueryNode[]
  readonly should: readonly QueryNode[]
  readonly not: readonly QueryNode[]
}

export type QueryNode = Clause | Word | Phrase | Compound | Run | Filter

/** A word in all its forms, or with `prefix` every word that begins so. */
export interface Word {
  readonly kind: 'word'
  readonly term: string
  readonly prefix: boolean
  readonly fields: FieldMask
}

/** Words at fixed places, exactly as spelled (case and width aside). */
export interface Phrase {
  readonly kind: 'phrase'
  readonly elements: readonly PhraseElement[]
  /** By how many places the words may stand apart from where the phrase has them, altogether. */
  readonly slop: number
  readonly fields: FieldMask
}

export interface PhraseElement {
  readonly term: string
  /** Place in the phrase, from 0. */
  readonly offset: number
  readonly prefix: boolean
}

/**
 * Something written without a blank that has parts (`kebab-case`, `v2.3.1`, a URL): the whole, or its parts side by
 * side in any form; where a vault has neither, a note that has all parts.
 */
export interface Compound {
  readonly kind: 'compound'
  readonly whole: Word | null
  /** At least two. */
  readonly parts: readonly PhraseElement[]
  readonly fields: FieldMask
}

/**
 * Ideographs, kana or Hangul without a blank, as the pairs they consist of. A short run (`whole`) has all of them side
 * by side, or where no note has that, its characters; of a long one (a question) any, the more and the closer together
 * the better.
 */
export interface Run {
  readonly kind: 'run'
  /** Its single characters, as terms. */
  readonly characters: readonly string[]
  /** Each two neighbours of them. */
  readonly pairs: readonly string[]
  readonly whole: boolean
  readonly fields: FieldMask
}

export type Filter = TagFilter | PathFilter | PropertyFilter

export interface TagFilter {
  readonly kind: 'tag'
  /** Without `#`. */
  readonly tag: string
}

export interface PathFilter {
  readonly kind: 'path'
  readonly path: string
}

export interface PropertyFilter {
  readonly kind: 'property'
  readonly property: string
  readonly value: string
}

export function isFilter(node: QueryNode): node is Filter {
  return node.kind === 'tag' || node.kind === 'path' || node.kind === 'property'
}

/** A filter, or alternatives among filters: it narrows what words find and adds nothing to the score. */
export function narrows(node: QueryNode): boolean {
  if (node.kind !== 'clause') return isFilter(node)
  return node.must.length === 0 && node.should.length > 0 && node.should.every(narrows)
}
