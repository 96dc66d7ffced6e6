import { CONTINUES, classOf, IDEOGRAPHIC, LOWER, UNSPACED, UPPER } from './char_class.ts'
import { FUNCTION_WORDS } from './function_words.ts'
import { ENGLISH, LANGUAGES, type Language, type LanguageMask, type Script, scriptOf } from './language.ts'
import { lowerCase } from './lower_case.ts'

/**
 * The languages that a text is probably written in: for each alphabet that occurs, the one or two whose function
 * words are frequent. Latin text without a sign of any is taken for English, Cyrillic for Russian, and so on.
 * Cheap whatever the length: looks at three samples of the text.
 * @returns the bits of those that have a stemmer; 0 for a text in none of them
 */
export function guessLanguages(text: string): LanguageMask {
  const found: Found = { votes: new Float64Array(LANGUAGES.length), words: new Map() }
  if (text.length <= 3 * SAMPLE) count(text, 0, text.length, found)
  else {
    const middle = (text.length - SAMPLE) >> 1
    for (const start of [0, middle, text.length - SAMPLE]) count(text, start, start + SAMPLE, found)
  }
  let mask = 0
  for (const [script, words] of found.words) mask |= likeliest(script, words, found.votes)
  return found.words.has('Latin') ? mask : mask | ENGLISH
}

/** UTF-16 units of each of the three samples: a page in all, of a long text. */
const SAMPLE = 1500

interface Found {
  /** By the order of `LANGUAGES`. */
  readonly votes: Float64Array
  readonly words: Map<Script, number>
}

/** Counts the words between two offsets; no string is made of any. */
function count(text: string, from: number, to: number, { votes, words }: Found): void {
  let current: Script | null = null
  let here = 0
  for (let at = from; at < to; ) {
    if ((classOf(text.charCodeAt(at)) & LETTERS) === 0) {
      at++
      continue
    }
    const end = wordEnd(text, at, to)
    const script = scriptOf(text.charCodeAt(at))
    if (script !== current) {
      if (current !== null) words.set(current, (words.get(current) ?? 0) + here)
      current = script
      here = 0
    }
    here++
    if (script !== null && end - at <= LONGEST_VOTER) vote(text, at, end, votes)
    at = end
  }
  if (current !== null) words.set(current, (words.get(current) ?? 0) + here)
}

const LETTERS = LOWER | UPPER | CONTINUES | IDEOGRAPHIC | UNSPACED

/** The end of a run of letters, or of two with an apostrophe between them: `d'un`. */
function wordEnd(text: string, from: number, to: number): number {
  const end = lettersEnd(text, from, to)
  if (end >= to || !isApostrophe(text.charCodeAt(end))) return end
  const last = lettersEnd(text, end + 1, to)
  return last > end + 1 ? last : end
}

function lettersEnd(text: string, from: number, to: number): number {
  let at = from
  while (at < to && (classOf(text.charCodeAt(at)) & LETTERS) !== 0) at++
  return at
}

function isApostrophe(unit: number): boolean {
  return unit === 0x27 || unit === 0x2019
}

function vote(text: string, from: number, end: number, votes: Float64Array): void {
  let hash = 0
  for (let i = from; i < end; i++) hash = hashWith(hash, spelled(text.charCodeAt(i)))
  for (let slot = hash & SLOT_MASK; VOTERS[slot] !== undefined; slot = (slot + 1) & SLOT_MASK) {
    const { word, languages } = VOTERS[slot]!
    if (!isSpelled(word, text, from, end)) continue
    for (const language of languages) votes[language]! += 1 / languages.length
    return
  }
}

function isSpelled(word: string, text: string, from: number, end: number): boolean {
  if (word.length !== end - from) return false
  for (let i = 0; i < word.length; i++)
    if (word.charCodeAt(i) !== spelled(text.charCodeAt(from + i))) return false
  return true
}

function spelled(unit: number): number {
  return unit === 0x2019 ? 0x27 : lowerCase(unit)
}

function hashWith(hash: number, unit: number): number {
  const mixed = Math.imul(hash ^ unit, 0x9e3779b1)
  return mixed ^ (mixed >>> 15)
}

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

/** A word that counts for languages: one of one language alone weighs 1, one that n share 1 / n. */
interface Voter {
  readonly word: string
  /** Indices into `LANGUAGES`. */
  readonly languages: readonly number[]
}

/** Above twice the number of function words. */
const SLOT_MASK = 4095
const VOTERS = hashedVoters()
const LONGEST_VOTER = Math.max(...VOTERS.map((voter) => voter?.word.length ?? 0))

/** An open hash table: each word at the first free place from its hash on. */
function hashedVoters(): (Voter | undefined)[] {
  const languages = new Map<string, number[]>()
  for (const [index, { code }] of LANGUAGES.entries())
    for (const word of new Set((FUNCTION_WORDS[code] ?? '').split(' ')))
      languages.set(word, [...(languages.get(word) ?? []), index])
  const slots = new Array<Voter | undefined>(SLOT_MASK + 1).fill(undefined)
  for (const [word, users] of languages) {
    let hash = 0
    for (let i = 0; i < word.length; i++) hash = hashWith(hash, word.charCodeAt(i))
    let slot = hash & SLOT_MASK
    while (slots[slot] !== undefined) slot = (slot + 1) & SLOT_MASK
    slots[slot] = { word, languages: users }
  }
  return slots
}
