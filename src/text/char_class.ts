/**
 * What a code point is to the tokenizer, as bits. {@link CONTINUES} characters (combining marks, joiners, soft hyphens) go on with a word and never begin one.
 */
export const LOWER = 1
export const UPPER = 2
export const DIGIT = 4
export const CONTINUES = 8
/** Han, Hiragana, Katakana, Bopomofo and their marks. */
const HAN_KANA = 16
const HANGUL = 32
/** Scripts that write words without blanks: Thai, Lao, Khmer, Burmese. */
export const UNSPACED = 64
export const EMOJI = 128
/**
 * The character changes under NFKC, or may join with a neighbour that does; or its lower case has another length or
 * depends on its neighbours.
 */
export const UNSTABLE = 256
/** A blank or sign that no word goes on behind. */
export const BREAK = 512
/** A sign that may join what stands on both its sides: a break only before another one. */
export const JOINT = 1024
/** A sign that may belong to the word before it, as in `C++`; a lone surrogate. */
const OTHER = 2048

/** Letters of alphabets and digits, and what goes on with them. */
export const WORD = LOWER | UPPER | DIGIT | CONTINUES
export const IDEOGRAPHIC = HAN_KANA | HANGUL

const TABLE_SIZE = 0x20000
/** Filled as characters turn up; 0 where none has asked yet. */
const table = new Uint16Array(TABLE_SIZE)

/** @param code a code point, 0 to 0x10FFFF */
export function classOf(code: number): number {
  return code < TABLE_SIZE ? table[code] || remembered(code) : beyondTable(code)
}

function remembered(code: number): number {
  table[code] = classify(code)
  return table[code]!
}

function beyondTable(code: number): number {
  if (code >= 0x20000 && code < 0x2f800) return HAN_KANA
  if (code >= 0x2f800 && code < 0x2fa20) return HAN_KANA | UNSTABLE
  if (code >= 0x30000 && code < 0x33480) return HAN_KANA
  if (code >= 0xe0100 && code <= 0xe01ef) return CONTINUES | UNSTABLE
  return OTHER
}

function classify(code: number): number {
  if (code >= 0xd800 && code < 0xe000) return OTHER
  const char = String.fromCodePoint(code)
  const kind = kindOf(code, char)
  if (kind === 0) return JOINTS.test(char) ? JOINT : SUFFIXES.test(char) ? OTHER : BREAK
  const stable = char.normalize('NFKC') === char && hasPlainLowerCase(code, char)
  return kind === CONTINUES || isJamo(code) || !stable ? kind | UNSTABLE : kind
}

/** @see connectorAt */
const JOINTS = /['\u2019\u02bc\uff07\-\u2010\u2011\uff0d_\uff3f.\uff0e,\u00b7\u05f4"\u200c@\uff20:]/
/** Of names, and of encoded runs. */
const SUFFIXES = /[+#/=]/

function hasPlainLowerCase(code: number, char: string): boolean {
  if (code > 0xffff) return char.toLowerCase() === char
  return code !== CAPITAL_SIGMA && char.toLowerCase().length === 1
}

/** `ς` at the end of a word, else `σ`. */
const CAPITAL_SIGMA = 0x3a3

function kindOf(code: number, char: string): number {
  if (code < 128) return asciiKind(code)
  if (SEPARATORS.includes(code)) return 0
  if (code === 0xff9e || code === 0xff9f || IGNORED.test(char)) return CONTINUES
  if (/[\u3005\u3007\u303b\u30fc\uff70]|[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Bopo}]/u.test(char))
    return /[\p{L}\p{N}\p{So}]/u.test(char) && !/[\u2e80-\u2fdf]/.test(char) ? HAN_KANA : 0
  if (/\p{sc=Hang}/u.test(char)) return isMedialJamo(code) ? CONTINUES : HANGUL
  if (/[\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u.test(char))
    return /\p{Nd}/u.test(char) ? DIGIT : /[\p{L}\p{M}]/u.test(char) ? UNSPACED : 0
  if (/\p{M}/u.test(char)) return CONTINUES
  if (/\p{Lu}|\p{Lt}/u.test(char)) return UPPER
  if (/\p{L}/u.test(char)) return LOWER
  if (/\p{N}/u.test(char)) return DIGIT
  return /\p{Extended_Pictographic}|\p{Regional_Indicator}|\p{Emoji_Modifier}/u.test(char) ? EMOJI : 0
}

/** Letters by their category that stand between words or word parts here: apostrophe letter, ZWNJ, ZWSP, byte-order mark. */
const SEPARATORS = [0x02bc, 0x200b, 0x200c, 0xfeff]

/** Invisible inside a word: soft hyphen, joiners, bidirectional marks, variation selectors. */
const IGNORED = /\u00ad|\u061c|[\u200d-\u200f]|[\u2060-\u2064]|\u034f|[\u180b-\u180f]|[\ufe00-\ufe0f]/

function asciiKind(code: number): number {
  if (code >= 0x61 && code <= 0x7a) return LOWER
  if (code >= 0x41 && code <= 0x5a) return UPPER
  return code >= 0x30 && code <= 0x39 ? DIGIT : 0
}

function isJamo(code: number): boolean {
  return (code >= 0x1100 && code <= 0x11ff) || (code >= 0xa960 && code <= 0xa97f) || isMedialJamo(code)
}

/** Vowels and final consonants of decomposed syllables, as file names on some systems have them. */
function isMedialJamo(code: number): boolean {
  return (code >= 0x1160 && code <= 0x11ff) || (code >= 0xd7b0 && code <= 0xd7ff)
}
