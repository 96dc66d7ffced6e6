import type { Stemmer } from 'snowball-stemmers'
import { LANGUAGES, type Language, type LanguageMask, scriptOf } from './language.ts'

/**
 * The Snowball stems of a word of letters, one for each language of the mask that is written in the word's script.
 * @param word surface form, letters only
 */
export function stems(word: string, languages: LanguageMask): string[] {
  const found: string[] = []
  eachStem(word, languages, (stem) => found.push(stem))
  return found
}

/** {@link stems}, one by one, each with its language. */
export function eachStem(
  word: string,
  languages: LanguageMask,
  take: (stem: string, language: LanguageMask) => void,
): void {
  if (languages === 0 || word.length < SHORTEST || word.length > LONGEST) return
  for (const language of BY_SCRIPT.get(scriptOf(word.charCodeAt(0))) ?? [])
    if ((language.bit & languages) !== 0) take(stemIn(language, word), language.bit)
}

const BY_SCRIPT = Map.groupBy(
  LANGUAGES.filter(({ bit }) => bit !== 0),
  ({ script }) => script,
)

/** UTF-16 units: shorter words have no endings to lose, longer ones are names and not worth the time. */
const SHORTEST = 3
const LONGEST = 40

interface StemmerOfLanguage {
  readonly stemmer: Stemmer
  /** Stems of words seen before: a stem takes some microseconds, and the same words come again with every segment. */
  readonly known: Map<string, string>
}

const stemmers = new Map<string, StemmerOfLanguage>()

/** Words remembered of one language. */
const MOST_KNOWN = 50_000

/** Loaded with the first word: it costs a start a tenth of its time. */
const library = () => require('snowball-stemmers') as typeof import('snowball-stemmers')

function stemIn(language: Language, word: string): string {
  let held = stemmers.get(language.code)
  if (held === undefined) {
    held = { stemmer: library().newStemmer(language.stemmer!), known: new Map() }
    stemmers.set(language.code, held)
  }
  const { stemmer, known } = held
  let stem = known.get(word)
  if (stem === undefined) {
    // The Russian algorithm expects its text without ё.
    stem = stemmer.stem(language.code === 'ru' ? word.replaceAll('ё', 'е') : word)
    if (known.size >= MOST_KNOWN) known.clear()
    known.set(word, stem)
  }
  return stem
}
