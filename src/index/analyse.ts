import type { IndexDocument } from '../note/note.ts'
import { guessLanguages } from '../text/guess.ts'
import { type LanguageMask, languageMask } from '../text/language.ts'
import { tokenize } from '../text/tokenize.ts'
import { FIELDS, type FieldName } from './fields.ts'

export interface Analysed {
  /** Words of each field, in the order of `FIELDS`: positions taken, so that a bigram or a whole identifier adds none. */
  readonly lengths: readonly number[]
  readonly languages: LanguageMask
}

/**
 * Called with each token of a note. `field` is an index into `FIELDS`; positions never descend inside a field; the term
 * was made from `text` between `start` and `end`.
 */
export type TokenSink = (
  field: number,
  term: string,
  position: number,
  text: string,
  start: number,
  end: number,
) => void

/**
 * Splits every field of a note into terms. Several values of one field stand {@link VALUE_GAP} positions apart, so
 * that no phrase reaches from one alias into the next.
 */
export function analyse(doc: IndexDocument, sink: TokenSink): Analysed {
  const lengths = FIELDS.map((name, field) => analyseField(valuesOf(doc, name), field, sink))
  return { lengths, languages: languagesOf(doc) }
}

/** More than any sensible slop of a phrase. */
export const VALUE_GAP = 128

function analyseField(values: readonly string[], field: number, sink: TokenSink): number {
  let base = 0
  let length = 0
  for (const value of values) {
    const used = tokenize(value, (term, start, end, position) =>
      sink(field, term, base + position, value, start, end),
    )
    length += used
    base += used + VALUE_GAP
  }
  return length
}

function valuesOf(doc: IndexDocument, name: FieldName): readonly string[] {
  const value = doc[name]
  return typeof value === 'string' ? [value] : value
}

function languagesOf(doc: IndexDocument): LanguageMask {
  const named = doc.language === undefined ? 0 : languageMask([doc.language])
  return named === 0 ? guessLanguages(`${doc.title}\n${doc.body}`) : named
}
