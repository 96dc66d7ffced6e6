import { eachKey } from '../text/group.ts'
import type { LanguageMask } from '../text/language.ts'
import { FOLD_BIT } from './segment.ts'
import { fromUtf8, toUtf8 } from './string_table.ts'

/** A key under which forms of one word meet, and the languages in which it does (or {@link FOLD_BIT}: in all). */
export interface Form {
  readonly key: string
  readonly languages: number
}

/**
 * What a term is filed under: its folded form first (and other spellings that hold in every language), then its stem
 * in each of the languages given. What holds in every language counts in each as its stem does.
 */
export function formsOf(term: string, languages: LanguageMask): readonly Form[] {
  let known = remembered.get(languages)
  if (known === undefined) remembered.set(languages, (known = new Map()))
  let forms = known.get(term)
  if (forms === undefined) {
    // A term is a piece of the note it comes from and keeps all of that in memory; a copy does not.
    const own = fromUtf8(toUtf8(term))
    forms = computeForms(own, languages)
    remember(known, own, forms)
  }
  return forms
}

/**
 * Stemming is the dearest step of indexing a note, and its words are mostly those of the notes before it. One map for
 * each set of languages: joining it with the term to one key would cost as much as looking up.
 */
const remembered = new Map<LanguageMask, Map<string, readonly Form[]>>()
const MOST_REMEMBERED = 30_000
let count = 0

function remember(known: Map<string, readonly Form[]>, term: string, forms: readonly Form[]): void {
  if (++count > MOST_REMEMBERED) {
    remembered.clear()
    count = 0
  } else known.set(term, forms)
}

/** {@link formsOf} without remembering: for a dictionary's worth of terms, each of which comes once. */
export function computeForms(term: string, languages: LanguageMask): Form[] {
  const forms: { key: string; languages: number }[] = []
  const everywhere = (FOLD_BIT | languages) >>> 0
  eachKey(term, languages, (key, language) => {
    for (const form of forms) {
      if (form.key !== key) continue
      form.languages = (form.languages | language) >>> 0
      return
    }
    forms.push({ key, languages: language === 0 ? everywhere : language })
  })
  return forms
}
