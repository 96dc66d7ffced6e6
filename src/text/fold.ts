/**
 * What a word is when its spelling's finer points are left aside, for words already in surface form:
 * - diacritics go (`é`, Vietnamese tones, Greek accents, Hebrew points, Arabic vowel signs, Cyrillic stress);
 *   `ё` is `е`, but `й`, `ї`, `ў`, `ѓ`, `ќ` stay: they are letters of their own;
 * - `ß` is `ss`, `æ` `ae`, `œ` `oe`, `ø` `o`, `ł` `l`, `đ` and `ð` `d`, `þ` `th`, final sigma is sigma;
 * - `ı` is `i`: Turkish capitals arrive without their locale, so `I` may stand for either;
 * - Arabic: forms of alef, hamza carriers, yeh, teh marbuta and the Persian letters are one letter each, no tatweel;
 * - katakana is hiragana; small and voiced kana stay apart;
 * - digits of every script are ASCII; skin tones of emoji go.
 */
export function fold(term: string): string {
  if (isUnaffected(term)) return term
  let folded = ''
  for (const char of term) folded += foldChar(char)
  return folded
}

function isUnaffected(term: string): boolean {
  for (let i = 0; i < term.length; i++) {
    const unit = term.charCodeAt(i)
    if (unit >= 128 && (effects[unit] || effectOn(unit)) !== NO_EFFECT) return false
  }
  return true
}

/** What folding does to each UTF-16 unit; 0 where nobody has asked yet. */
const effects = new Uint8Array(0x10000)
const NO_EFFECT = 1
const SOME_EFFECT = 2

function effectOn(unit: number): number {
  const char = String.fromCharCode(unit)
  effects[unit] =
    unit < 0xd800 || unit > 0xdfff ? (foldChar(char) === char ? NO_EFFECT : SOME_EFFECT) : SOME_EFFECT
  return effects[unit]!
}

const known = new Map<string, string>()

function foldChar(char: string): string {
  let folded = known.get(char)
  if (folded === undefined) {
    folded = computeFold(char)
    known.set(char, folded)
  }
  return folded
}

function computeFold(char: string): string {
  if (LETTERS_OF_THEIR_OWN.has(char)) return char
  if (/\p{Nd}/u.test(char)) return digitOf(char)
  if (/[\p{sc=Hang}\p{sc=Hira}\p{sc=Kana}]/u.test(char)) return hiragana(char)
  let folded = ''
  for (const part of char.normalize('NFD')) if (!DROPPED.test(part)) folded += LETTERS[part] ?? part
  // What the removal leaves may compose again (a letter of an Indic script with its own mark).
  return folded.normalize('NFC')
}

const LETTERS_OF_THEIR_OWN = new Set('йїўѓќ')

/** Marks of Latin, Greek, Cyrillic, Hebrew and Arabic, tatweel, skin tones. Vowel signs of other scripts are letters. */
const DROPPED =
  /[\u0300-\u036f]|[\u0483-\u0487]|[\u0591-\u05c7]|[\u0610-\u061a]|\u0640|[\u064b-\u065f]|\u0670|[\u06d6-\u06ed]|[\u1ab0-\u1aff]|[\u1dc0-\u1dff]|[\u20d0-\u20ff]|[\u{1f3fb}-\u{1f3ff}]/u

const LETTERS: Readonly<Record<string, string>> = {
  ...{
    ß: 'ss',
    æ: 'ae',
    œ: 'oe',
    ø: 'o',
    đ: 'd',
    ð: 'd',
    þ: 'th',
    ħ: 'h',
    ı: 'i',
    ł: 'l',
    ŋ: 'n',
    ŧ: 't',
    ƒ: 'f',
  },
  ...{ ς: 'σ', ґ: 'г' },
  ...{ ٱ: 'ا', ى: 'ي', ی: 'ي', ې: 'ي', ے: 'ي', ة: 'ه', ۃ: 'ه', ہ: 'ه', ھ: 'ه', ە: 'ه', ک: 'ك', ڪ: 'ك' },
}

function digitOf(char: string): string {
  const code = char.codePointAt(0)!
  // Every block of ten digits begins at a code that ends in 0 or in 6.
  const low = code & 0xf
  const fromZero = low < 6 || (low <= 9 && /\p{Nd}/u.test(String.fromCodePoint(code - low)))
  return String(fromZero ? low : low - 6)
}

function hiragana(char: string): string {
  const code = char.charCodeAt(0)
  const isKatakana = (code >= 0x30a1 && code <= 0x30f6) || code === 0x30fd || code === 0x30fe
  return isKatakana ? String.fromCharCode(code - 0x60) : char
}
