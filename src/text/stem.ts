import { newStemmer, type Stemmer } from 'snowball-stemmers'
import { LANGUAGES, type Language, type LanguageMask, scriptOf } from './language.ts'

/**
 * The Snowball stems of a word of letters, one for each language of the mask that is written in the word's script.
 * @param word surface form, letters only
 */
export function stems(word: string, languages: LanguageMask): string[] {
  const script =
    languages === 0 || word.length < SHORTEST || word.length > LONGEST ? null : scriptOf(word.charCodeAt(0))
  if (script === null) return []
  const found: string[] = []
  for (const language of LANGUAGES) {
    if ((language.bit & languages) !== 0 && language.script === script) found.push(stemIn(language, word))
  }
  return found
}

/** UTF-16 units: shorter words have no endings to lose, longer ones are names and not worth the time. */
const SHORTEST = 3
const LONGEST = 40

const stemmers = new Map<string, Stemmer>()

function stemIn(language: Language, word: string): string {
  let stemmer = stemmers.get(language.code)
  if (stemmer === undefined) {
    stemmer = newStemmer(language.stemmer!)
    stemmers.set(language.code, stemmer)
  }
  // The Russian algorithm expects its text without ё.
  return stemmer.stem(language.code === 'ru' ? word.replaceAll('ё', 'е') : word)
}
