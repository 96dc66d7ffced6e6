import { LONGEST_TERM } from './token.ts'

export interface Range {
  readonly start: number
  readonly end: number
}

/**
 * The stretches of a text that hold files, not words: data URIs and compressed drawings.
 * @returns ranges in order, without overlap
 */
export function unreadableRanges(text: string): Range[] {
  const found = [...compressedDrawings(text), ...dataUris(text)]
  if (found.length < 2) return found
  found.sort((a, b) => a.start - b.start)
  const apart: Range[] = []
  for (const range of found) {
    if (range.start >= (apart.at(-1)?.end ?? 0)) apart.push(range)
  }
  return apart
}

/**
 * The run of base64 signs that begins at `from`, and whether it is encoded: as long as no word is, and changing
 * between small letters, capitals and digits far more often than names, paths and addresses do.
 */
export function encodedRun(text: string, from: number, to: number): { end: number; encoded: boolean } {
  let at = from
  let changes = 0
  let last = 0
  let kinds = 0
  let stretch = 0
  let longest = 0
  while (at < to) {
    const kind = alphabetKind(text.charCodeAt(at))
    if (kind === 0) break
    if (isChange(last, kind)) changes++
    stretch = kind === SIGN ? 0 : stretch + 1
    if (stretch > longest) longest = stretch
    kinds |= kind
    last = kind
    at++
  }
  const length = at - from
  const allKinds = (kinds & LETTERS_AND_DIGITS) === LETTERS_AND_DIGITS
  // A line of PEM has 64 characters, as a SHA-256 in hexadecimal has; only the first uses all three kinds.
  const long = length >= (allKinds ? LONGEST_TERM : LONGEST_TERM + 1)
  // Random base64 changes .4 of the time, an address with a hash in it .3, names in capitals .15; a picture with
  // areas of one colour repeats one letter, but goes on for longer than a Git hash without a sign.
  const monotone = allKinds && longest > 40 && changes > length * 0.15
  return { end: at, encoded: long && (changes > length * 0.3 || monotone) }
}

/** From small letters to capitals, or between letters and digits; the signs between the words of a path count for nothing. */
function isChange(last: number, kind: number): boolean {
  if (last === 0 || last === SIGN || kind === SIGN || last === kind) return false
  return !(last === CAPITAL && kind === SMALL)
}

const SMALL = 1
const CAPITAL = 2
const FIGURE = 4
const SIGN = 8
const LETTERS_AND_DIGITS = SMALL | CAPITAL | FIGURE

function alphabetKind(code: number): number {
  if (code >= 0x61 && code <= 0x7a) return SMALL
  if (code >= 0x41 && code <= 0x5a) return CAPITAL
  if (code >= 0x30 && code <= 0x39) return FIGURE
  return code === 0x2b || code === 0x2f || code === 0x3d || code === 0x2d || code === 0x5f ? SIGN : 0
}

function* compressedDrawings(text: string): Iterable<Range> {
  let at = text.indexOf(DRAWING_FENCE)
  while (at !== -1) {
    const close = text.indexOf('\n```', at + DRAWING_FENCE.length)
    const end = close === -1 ? text.length : close
    yield { start: at, end }
    at = text.indexOf(DRAWING_FENCE, end)
  }
}

const DRAWING_FENCE = '```compressed-json'

function* dataUris(text: string): Iterable<Range> {
  let at = text.indexOf('data:')
  while (at !== -1) {
    DATA_URI.lastIndex = at
    const end = DATA_URI.test(text) ? DATA_URI.lastIndex : at
    if (end > at) yield { start: at, end }
    at = text.indexOf('data:', Math.max(end, at + 5))
  }
}

const DATA_URI = /data:[a-z]+\/[\w.+-]{1,64}(?:;[\w=.-]{1,64}){0,8},[^\s)"'<>\]]*/iy
