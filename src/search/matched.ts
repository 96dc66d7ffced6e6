import type { FieldMask } from '../index/fields.ts'
import type { IndexView } from '../index/text_index.ts'
import type { Evaluated } from './evaluate.ts'
import { memberTerms } from './expand.ts'
import type { Leaf } from './leaf.ts'
import { segmentOf } from './score.ts'

/** What made a note a hit, for showing where: opaque to callers, good as long as they like. */
export interface Matched {
  readonly patterns: () => readonly TextPattern[]
  /** Languages of the note: stems count in these. */
  readonly languages: number
}

/** A word or phrase as spellings: for each element its terms and the languages that each counts in. */
export interface TextPattern {
  readonly elements: readonly ReadonlyMap<string, number>[]
  readonly offsets: readonly number[]
  readonly slop: number
  readonly fields: FieldMask
  /** What finding it is worth. */
  readonly weight: number
}

/** The patterns of everything that a question looks for. Spelled out when first needed: few hits are shown. */
export function patternsOf(view: IndexView, root: Evaluated): () => readonly TextPattern[] {
  let spelled: readonly TextPattern[] | undefined
  return () => {
    spelled ??= leavesOf(root).flatMap((leaf) => leafPatterns(view, leaf))
    return spelled
  }
}

export function matchedIn(view: IndexView, patterns: () => readonly TextPattern[], doc: number): Matched {
  const { segment, base } = view.segments[segmentOf(view, doc)]!
  return { patterns, languages: segment.docLanguages[doc - base]! }
}

function leavesOf({ leaves, parts }: Evaluated): Leaf[] {
  return [...leaves, ...parts.flatMap(leavesOf)].filter(({ scored }) => scored.docs.length > 0)
}

function leafPatterns(view: IndexView, { patterns, fields, idf, factor }: Leaf): TextPattern[] {
  return patterns.map(({ elements, offsets, slop }) => ({
    elements: elements.map((members) => memberTerms(view, members)),
    offsets,
    slop,
    fields,
    weight: idf * factor,
  }))
}
