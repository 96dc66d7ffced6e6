/** Blanks of every script, the ideographic one included. */
export function isBlank(char: string): boolean {
  return char <= ' ' || (char >= '\u0080' && BLANK.test(char))
}

/**
 * Does a piece of a question end here? Marks that join (`-`, `.`, `/`, `:`, `@`, `'`, `_`, `+`, `#`) do not end it,
 * and a comma between digits does not.
 */
export function isBreak(text: string, at: number): boolean {
  const char = text[at]!
  if (char === ',') return !(isDigit(text[at - 1]) && isDigit(text[at + 1]))
  return isBlank(char) || BREAKS.includes(char)
}

/** May a phrase begin with it? */
export function isOpeningQuote(char: string): boolean {
  return CLOSING[char] !== undefined
}

/**
 * Where the quote at `at` is closed, or -1. Keyboards and languages pair them differently (“ ”, „ “, » «), so each has
 * several closing ones.
 */
export function closingQuote(text: string, at: number): number {
  const closing = CLOSING[text[at]!]!
  let nearest = -1
  for (const char of closing) {
    const end = text.indexOf(char, at + 1)
    if (end >= 0 && (nearest < 0 || end < nearest)) nearest = end
  }
  return nearest
}

const BLANK = /\s/
const BREAKS = '()[]{}<>"“”„‟«»‹›「」『』＂,;!?|…¡¿、。，；！？（）【】《》〈〉：・·—'

const CLOSING: Readonly<Record<string, string>> = {
  '"': '"“”',
  '“': '”"“',
  '”': '”"',
  '„': '“”"',
  '‟': '”"',
  '«': '»',
  '»': '«»',
  '‹': '›',
  '›': '‹›',
  '「': '」',
  '『': '』',
  '＂': '＂',
}

function isDigit(char: string | undefined): boolean {
  return char !== undefined && char >= '0' && char <= '9'
}
