const OTHER = 0
const LETTER = 1
/** Han, kana and Hangul: each character is a word of its own. */
const SINGLE = 2

let classes: Uint8Array | null = null

/** Words of a text from `from` on: runs of letters and digits (an apostrophe inside joins), CJK characters singly. */
export function countWords(text: string, from = 0): number {
  classes ??= classTable()
  let words = 0
  let inWord = false
  for (let i = from; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    const kind = unit >= 0xd800 && unit < 0xdc00 ? astralClass(text.codePointAt(i++)!) : classes[unit]!
    if (kind === LETTER) {
      if (!inWord) words++
      inWord = true
    } else if (kind === SINGLE) {
      words++
      inWord = false
    } else if (inWord && (unit === 0x27 || unit === 0x2019)) {
      inWord = classes[text.charCodeAt(i + 1)] === LETTER
    } else inWord = false
  }
  return words
}

function classTable(): Uint8Array {
  const table = new Uint8Array(0x10000)
  for (let unit = 0; unit < 0x10000; unit++) {
    if (unit < 0xd800 || unit > 0xdfff) table[unit] = classOf(String.fromCharCode(unit))
  }
  return table
}

function astralClass(codePoint: number): number {
  return classOf(String.fromCodePoint(codePoint))
}

function classOf(character: string): number {
  if (/\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}/u.test(character))
    return SINGLE
  return /[\p{L}\p{M}\p{N}_]/u.test(character) ? LETTER : OTHER
}
