import { FUNCTION_WORDS } from './function_words.ts'
import { ENGLISH, LANGUAGES, type Language, type LanguageMask, type Script, scriptOf } from './language.ts'

/**
 * The languages that a text is probably written in: for each alphabet that occurs, the one or two whose function
 * words are frequent. Latin text without a sign of any is taken for English, Cyrillic for Russian, and so on.
 * Cheap whatever the length: looks at three samples of the text.
 * @returns the bits of those that have a stemmer; 0 for a text in none of them
 */
export function guessLanguages(text: string): LanguageMask {
  const counts = new Float64Array(LANGUAGES.length)
  const words = new Map<Script, number>()
  for (const word of sample(text).match(WORDS) ?? []) {
    const script = scriptOf(word.charCodeAt(0))
    if (script === null) continue
    words.set(script, (words.get(script) ?? 0) + 1)
    for (const { language, weight } of VOTES.get(word) ?? NO_VOTES) counts[language]! += weight
  }
  let mask = 0
  for (const [script, count] of words) mask |= likeliest(script, count, counts)
  return words.has('Latin') ? mask : mask | ENGLISH
}

/** UTF-16 units of each of the three samples: a page in all, of a long text. */
const SAMPLE = 1500

function sample(text: string): string {
  if (text.length <= 3 * SAMPLE) return text.toLowerCase()
  const middle = (text.length - SAMPLE) >> 1
  const parts = [text.slice(0, SAMPLE), text.slice(middle, middle + SAMPLE), text.slice(-SAMPLE)]
  return parts
    .join(' ')
    .toLowerCase()
    .replace(/\u2019/g, "'")
}

const WORDS = /[\p{L}\p{M}]+(?:'[\p{L}\p{M}]+)?/gu

/** A second language counts when its words are this share of the first one's: a note may quote or be bilingual. */
const SECOND_SHARE = 0.5
/** Below this weight nothing is known: one word that two languages share. */
const LEAST = 0.6
/** Running text has ten times this share of function words; names and addresses amid another script have less. */
const LEAST_SHARE = 0.04

function likeliest(script: Script, words: number, counts: Float64Array): LanguageMask {
  let best = 0
  for (const { index } of of(script)) best = Math.max(best, counts[index]!)
  if (best < Math.max(LEAST, words * LEAST_SHARE)) return of(script)[0]!.language.bit
  let mask = 0
  for (const { language, index } of of(script))
    if (counts[index]! >= best * SECOND_SHARE) mask |= language.bit
  return mask
}

interface Candidate {
  readonly language: Language
  readonly index: number
}

const BY_SCRIPT = new Map<Script, Candidate[]>()
for (const [index, language] of LANGUAGES.entries()) {
  if (language.script === null) continue
  const list = BY_SCRIPT.get(language.script)
  if (list === undefined) BY_SCRIPT.set(language.script, [{ language, index }])
  else list.push({ language, index })
}

function of(script: Script): readonly Candidate[] {
  return BY_SCRIPT.get(script) ?? []
}

interface Vote {
  readonly language: number
  readonly weight: number
}

const NO_VOTES: readonly Vote[] = []
const VOTES = countVotes()

/** A word of one language alone weighs 1, one that n share 1 / n. */
function countVotes(): Map<string, Vote[]> {
  const users = new Map<string, number[]>()
  for (const [index, { code }] of LANGUAGES.entries()) {
    for (const word of new Set((FUNCTION_WORDS[code] ?? '').split(' '))) {
      const list = users.get(word)
      if (list === undefined) users.set(word, [index])
      else list.push(index)
    }
  }
  const votes = new Map<string, Vote[]>()
  for (const [word, list] of users) {
    votes.set(
      word,
      list.map((language) => ({ language, weight: 1 / list.length })),
    )
  }
  return votes
}
