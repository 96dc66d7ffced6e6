/** A set of languages that have a stemmer, one bit each; 0 is none. */
export type LanguageMask = number

export type Script = 'Latin' | 'Cyrillic' | 'Arabic' | 'Armenian' | 'Tamil'

export interface Language {
  /** ISO 639-1. */
  readonly code: string
  readonly name: string
  /** Its Snowball algorithm, or null: then it has no bit, and its words are matched by their folded forms. */
  readonly stemmer: string | null
  /** 0 where it has no stemmer. */
  readonly bit: LanguageMask
  /** Null for the scripts whose words are not stemmed in any language. */
  readonly script: Script | null
}

/** The languages that the analyser can tell apart or be told. */
export const LANGUAGES: readonly Language[] = [
  ...stemmed('Latin', [
    ['en', 'English'],
    ['de', 'German'],
    ['fr', 'French'],
    ['es', 'Spanish'],
    ['it', 'Italian'],
    ['pt', 'Portuguese'],
    ['nl', 'Dutch'],
    ['sv', 'Swedish'],
    ['da', 'Danish'],
    ['no', 'Norwegian'],
    ['fi', 'Finnish'],
    ['hu', 'Hungarian'],
    ['ro', 'Romanian'],
    ['tr', 'Turkish'],
    ['cs', 'Czech'],
    ['ca', 'Catalan'],
    ['eu', 'Basque'],
    ['ga', 'Irish'],
    ['sl', 'Slovene'],
  ]),
  ...stemmed('Cyrillic', [['ru', 'Russian']], 19),
  ...stemmed('Arabic', [['ar', 'Arabic']], 20),
  ...stemmed('Armenian', [['hy', 'Armenian']], 21),
  ...stemmed('Tamil', [['ta', 'Tamil']], 22),
  ...unstemmed('Latin', [
    ['pl', 'Polish'],
    ['vi', 'Vietnamese'],
    ['id', 'Indonesian'],
    ['sk', 'Slovak'],
    ['hr', 'Croatian'],
    ['et', 'Estonian'],
    ['lt', 'Lithuanian'],
    ['lv', 'Latvian'],
    ['af', 'Afrikaans'],
  ]),
  ...unstemmed('Cyrillic', [
    ['uk', 'Ukrainian'],
    ['bg', 'Bulgarian'],
    ['sr', 'Serbian'],
  ]),
  ...unstemmed('Arabic', [
    ['fa', 'Persian'],
    ['ur', 'Urdu'],
  ]),
  ...unstemmed(null, [
    ['zh', 'Chinese'],
    ['ja', 'Japanese'],
    ['ko', 'Korean'],
    ['th', 'Thai'],
    ['el', 'Greek'],
    ['he', 'Hebrew'],
    ['hi', 'Hindi'],
  ]),
]

export const ENGLISH: LanguageMask = 1

/**
 * The mask of the languages named.
 * @param codes ISO 639-1 with or without a region (`pt-BR`), or English names, in any case; what is unknown or has
 *   no stemmer adds nothing
 */
export function languageMask(codes: readonly string[]): LanguageMask {
  let mask = 0
  for (const code of codes) mask |= languageOf(code)?.bit ?? 0
  return mask
}

/** The language that such a name means, or undefined. */
export function languageOf(name: string): Language | undefined {
  const wanted = name.trim().toLowerCase()
  const code = wanted.split(/[-_]/)[0]!
  const plain = code === 'nb' || code === 'nn' ? 'no' : code
  return LANGUAGES.find((language) => language.code === plain || language.name.toLowerCase() === wanted)
}

/** The alphabet of a letter, where words in it may be stemmed or its languages told apart. */
export function scriptOf(code: number): Script | null {
  if (code < 0x250 || (code >= 0x1e00 && code < 0x1f00)) return 'Latin'
  if (code >= 0x400 && code < 0x530) return 'Cyrillic'
  if (code >= 0x530 && code < 0x590) return 'Armenian'
  if (code >= 0x600 && code < 0x780) return 'Arabic'
  return code >= 0xb80 && code < 0xc00 ? 'Tamil' : null
}

function stemmed(script: Script, names: readonly (readonly [string, string])[], first = 0): Language[] {
  return names.map(([code, name], i) => ({
    code,
    name,
    stemmer: name.toLowerCase(),
    bit: 1 << (first + i),
    script,
  }))
}

function unstemmed(script: Script | null, names: readonly (readonly [string, string])[]): Language[] {
  return names.map(([code, name]) => ({ code, name, stemmer: null, bit: 0, script }))
}
