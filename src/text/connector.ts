import { CONTINUES, classOf, DIGIT, WORD } from './char_class.ts'

/** What may stand between the parts of one compound word. */
export const APOSTROPHE = 1
const HYPHEN = 2
const UNDERSCORE = 3
export const DOT = 4
/** Of thousands: `1,000`. */
const COMMA = 5
/** `col·legi`, and the gershayim of Hebrew abbreviations. */
const INNER_POINT = 6
/** The zero-width non-joiner of Persian; it has no width and is no part of the term. */
const NON_JOINER = 7
/** The kinds from here on join names that are compounds themselves: `a.b@c.d`, `my_mod::my_fn`. */
export const AT_SIGN = 8
const COLONS = 9

export type Connector = number

/** @returns the kind of the connector at `at`, which stands after a word character, or 0 where the word ends */
export function connectorAt(text: string, at: number, to: number): Connector {
  const kind = kindAt(text, at)
  if (kind === 0) return 0
  const next = at + lengthOf(kind)
  if (next >= to || !startsWord(text, next)) return 0
  return kind !== COMMA || isThousands(text, at) ? kind : 0
}

/** UTF-16 units that a connector of this kind takes up. */
export function lengthOf(kind: Connector): number {
  return kind === COLONS ? 2 : 1
}

function startsWord(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  const kind = classOf(code >= 0xd800 && code < 0xdc00 ? text.codePointAt(at)! : code)
  return (kind & WORD & ~CONTINUES) !== 0
}

function kindAt(text: string, at: number): Connector {
  switch (text.charCodeAt(at)) {
    case 0x27:
    case 0x2019:
    case 0x02bc:
    case 0xff07:
      return APOSTROPHE
    case 0x2d:
    case 0x2010:
    case 0x2011:
    case 0xff0d:
      return HYPHEN
    case 0x5f:
    case 0xff3f:
      return UNDERSCORE
    case 0x2e:
    case 0xff0e:
      return DOT
    case 0x2c:
      return COMMA
    case 0xb7:
    case 0x05f4:
      return INNER_POINT
    case 0x22:
      return isHebrew(text.charCodeAt(at - 1)) && isHebrew(text.charCodeAt(at + 1)) ? INNER_POINT : 0
    case 0x200c:
      return NON_JOINER
    case 0x40:
    case 0xff20:
      return AT_SIGN
    case 0x3a:
      return text.charCodeAt(at + 1) === 0x3a ? COLONS : 0
    default:
      return 0
  }
}

function isThousands(text: string, comma: number): boolean {
  for (const place of [-1, 1, 2, 3]) if ((classOf(text.charCodeAt(comma + place)) & DIGIT) === 0) return false
  return comma + 4 >= text.length || (classOf(text.charCodeAt(comma + 4)) & DIGIT) === 0
}

function isHebrew(code: number): boolean {
  return code >= 0x05d0 && code <= 0x05f2
}
