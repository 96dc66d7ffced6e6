/**
 * What a code point is to the tokenizer, as bits. 0 is a break: blanks, punctuation, lone surrogates.
 * {@link CONTINUES} characters (combining marks, joiners, soft hyphens) go on with a word and never begin one.
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
/** The character changes under NFKC, or may join with a neighbour that does. */
export const UNSTABLE = 256

/** Letters of alphabets and digits, and what goes on with them. */
export const WORD = LOWER | UPPER | DIGIT | CONTINUES
export const IDEOGRAPHIC = HAN_KANA | HANGUL

const TABLE_SIZE = 0x20000
const BLOCK = 0x100
const table = new Uint16Array(TABLE_SIZE)
const filled = new Uint8Array(TABLE_SIZE / BLOCK)

/** @param code a code point, 0 to 0x10FFFF */
export function classOf(code: number): number {
  if (code >= TABLE_SIZE) return beyondTable(code)
  const block = code >>> 8
  // A block is classified when its first character turns up: most vaults use a dozen of the 512.
  if (filled[block] === 0) fill(block)
  return table[code]!
}

function fill(block: number): void {
  const first = block * BLOCK
  for (let code = first; code < first + BLOCK; code++) table[code] = classify(code)
  filled[block] = 1
}

function beyondTable(code: number): number {
  if (code >= 0x20000 && code < 0x2f800) return HAN_KANA
  if (code >= 0x2f800 && code < 0x2fa20) return HAN_KANA | UNSTABLE
  if (code >= 0x30000 && code < 0x33480) return HAN_KANA
  if (code >= 0xe0100 && code <= 0xe01ef) return CONTINUES | UNSTABLE
  return 0
}

function classify(code: number): number {
  if (code >= 0xd800 && code < 0xe000) return 0
  const char = String.fromCodePoint(code)
  const kind = kindOf(code, char)
  if (kind === 0) return 0
  return kind === CONTINUES || isJamo(code) || char.normalize('NFKC') !== char ? kind | UNSTABLE : kind
}

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
