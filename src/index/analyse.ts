import type { IndexDocument } from '../note/note.ts'
import { guessLanguages } from '../text/guess.ts'
import { type LanguageMask, languageMask } from '../text/language.ts'
import type { TokenTarget } from '../text/token.ts'
import { scanTokens } from '../text/tokenize.ts'
import { FIELDS, type FieldName } from './fields.ts'

export interface Analysed {
  /** Words of each field, in the order of `FIELDS`: positions taken, so that a bigram or a whole identifier adds none. */
  readonly lengths: readonly number[]
  readonly languages: LanguageMask
}

/** Takes the tokens of one field after the other, as {@link TokenTarget} does. */
export interface FieldTarget extends TokenTarget {
  /**
   * What follows is made from `text`, a value of a field (an index into `FIELDS`); its positions count from `base`.
   * They never descend inside a field.
   */
  open(field: number, text: string, base: number): void
}

/**
 * Splits every field of a note into terms. Several values of one field stand {@link VALUE_GAP} positions apart, so
 * that no phrase reaches from one alias into the next.
 * @param pinned the languages that a vault's notes are in, or null: they are guessed
 */
export function analyseInto(
  doc: IndexDocument,
  target: FieldTarget,
  pinned: LanguageMask | null = null,
): Analysed {
  const lengths = FIELDS.map((name, field) => analyseField(valuesOf(doc, name), field, target))
  return { lengths, languages: languagesOf(doc, pinned) }
}

/** The same with each token as a string: its field, itself, its position. */
export function analyse(
  doc: IndexDocument,
  sink: (field: number, term: string, position: number) => void,
): Analysed {
  let at = { field: 0, text: '', base: 0 }
  return analyseInto(doc, {
    open(field, text, base) {
      at = { field, text, base }
    },
    piece: (start, end, position) =>
      sink(at.field, at.text.slice(start, end).toLowerCase(), at.base + position),
    term: (term, _start, _end, position) => sink(at.field, term, at.base + position),
  })
}

/** More than any sensible slop of a phrase. */
export const VALUE_GAP = 128

function analyseField(values: readonly string[], field: number, target: FieldTarget): number {
  let base = 0
  let length = 0
  for (const value of values) {
    target.open(field, value, base)
    const used = scanTokens(value, target)
    length += used
    base += used + VALUE_GAP
  }
  return length
}

function valuesOf(doc: IndexDocument, name: FieldName): readonly string[] {
  const value = doc[name]
  return typeof value === 'string' ? [value] : value
}

/** What the note says of itself wins over what is pinned, and that over the guess. */
function languagesOf(doc: IndexDocument, pinned: LanguageMask | null): LanguageMask {
  const named = doc.language === undefined ? 0 : languageMask([doc.language])
  if (named !== 0) return named
  return pinned ?? guessLanguages(`${doc.title}\n${doc.body}`)
}
