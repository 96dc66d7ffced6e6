import { fold } from './fold.ts'
import type { LanguageMask } from './language.ts'
import { stems } from './stem.ts'

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
  const word = joined(term)
  const keys = [fold(word)]
  if (SPELLED_OUT.test(word)) add(keys, fold(word.replace(SPELLED_OUT_ALL, (letter) => DIGRAPHS[letter]!)))
  if (languages === 0 || !LETTERS_ONLY.test(word)) return keys
  for (const stem of stems(word, languages)) add(keys, fold(stem))
  return keys
}

function add(keys: string[], key: string): void {
  if (key.length > 0 && !keys.includes(key)) keys.push(key)
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
