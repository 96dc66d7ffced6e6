import { fold } from './fold.ts'
import type { LanguageMask } from './language.ts'
import { eachStem } from './stem.ts'

/**
 * What forms of one word have in common: two terms with a common key are forms of each other.
 *
 * The first key is the folded form, connectors left out where people spell without them (`e-mail`, `u.s.a`,
 * `note_id`, `1,000`); then `ä ö ü ø å` in the two letters that stand in for them (`mueller`), then the stem in each
 * language, folded.
 * @param term surface form as the tokenizer gives it
 * @param languages of the notes that it occurs in
 * @returns at least one key, without repetition
 */
export function groupKeys(term: string, languages: LanguageMask): string[] {
  const keys: string[] = []
  eachKey(term, languages, (key) => {
    if (!keys.includes(key)) keys.push(key)
  })
  return keys
}

/**
 * {@link groupKeys}, one by one, each with the language that it is a stem in, or 0 where it holds in every language;
 * those come first. A stem may come again, in another language or as what it is without being one.
 */
export function eachKey(
  term: string,
  languages: LanguageMask,
  take: (key: string, language: LanguageMask) => void,
): void {
  const plain = isPlain(term)
  const word = plain ? term : joined(term)
  const folded = plain ? word : fold(word)
  take(folded, 0)
  if (!plain && SPELLED_OUT.test(word)) {
    const spelled = fold(word.replace(SPELLED_OUT_ALL, (letter) => DIGRAPHS[letter]!))
    if (spelled.length > 0 && spelled !== folded) take(spelled, 0)
  }
  if (languages === 0 || !(plain || LETTERS_ONLY.test(word))) return
  eachStem(word, languages, (stem, language) => {
    const key = stem === word ? folded : fold(stem)
    if (key.length > 0) take(key, language)
  })
}

/** ASCII letters or ideographs alone: most terms of most vaults. They have no other spelling. */
function isPlain(term: string): boolean {
  for (let i = 0; i < term.length; i++) {
    const unit = term.charCodeAt(i)
    if (unit < 0x61 || (unit > 0x7a && (unit < 0x4e00 || unit > 0x9fff))) return false
  }
  return true
}

const LETTERS_ONLY = /^[\p{L}\p{M}]+$/u
const DIGRAPHS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' }
const SPELLED_OUT = /[äöüøå]/
const SPELLED_OUT_ALL = /[äöüøå]/g

/** The term without its inner connectors; addresses and paths keep theirs, and so do figures (`3-1` is not `31`). */
function joined(term: string): string {
  if (!CONNECTED.test(term) || ADDRESS.test(term)) return term
  return term.replace(THOUSANDS, '').replace(BETWEEN_LETTERS, '').replace(LIGHT, '')
}

const CONNECTED = /[-_'.,\u00b7\u05f4"]/
const ADDRESS = /[@:]/
const THOUSANDS = /(?<=\d),(?=\d{3}(?:\D|$))/g
const BETWEEN_LETTERS = /(?<=\p{L})\.(?=\p{L})/gu
/** Hyphens and the like, where a letter stands on one side at least. */
const LIGHT = /(?<=[\p{L}\p{M}])[-_'\u00b7\u05f4"](?=[\p{L}\p{M}\p{N}])|(?<=\p{N})[-_'](?=\p{L})/gu
