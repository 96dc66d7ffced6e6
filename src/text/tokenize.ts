import {
  BREAK,
  CONTINUES,
  classOf,
  DIGIT,
  EMOJI,
  IDEOGRAPHIC,
  JOINT,
  LOWER,
  UNSPACED,
  UNSTABLE,
  UPPER,
  WORD,
} from './char_class.ts'
import { emitCompound, emitPiece } from './compound.ts'
import { emojiEnd } from './emoji.ts'
import { encodedRun, unreadableRanges } from './encoded.ts'
import { emitIdeographs } from './ideographs.ts'
import { surfaceForm } from './normal.ts'
import { LONGEST_TERM, type TokenSink, type TokenTarget } from './token.ts'
import { emitUnspaced } from './unspaced.ts'
import { newWordScan, scanWord, type WordScan } from './word_scan.ts'

/**
 * Gives the words of a text in order. Never throws; time is linear in the length of the text.
 *
 * A compound is given whole and in parts: first the whole, then the parts, each inside the whole's range.
 * Parts that a blank could stand between (`kebab-case`, `v2.3.1`, `l'été`) have positions of their own, the whole
 * shares that of the first; parts that only capitals or digits mark off (`WorkspaceLeaf`, `UN3480`) share the
 * whole's position, so that a phrase does not depend on its capitals.
 * Ideographs, kana and Hangul come one by one, each followed by the pair that it begins, at one position.
 * @returns the next free position, which is the length of the text in words
 */
export function tokenize(text: string, sink: TokenSink): number {
  return scanTokens(text, {
    piece: (start, end, position) => sink(text.slice(start, end).toLowerCase(), start, end, position),
    term: sink,
  })
}

/** The same for those who have no need of strings. */
export function scanTokens(text: string, target: TokenTarget): number {
  const scan = newWordScan()
  let position = 0
  let at = 0
  for (const range of unreadableRanges(text)) {
    position = tokenizeRange(text, at, range.start, position, target, scan)
    at = range.end
  }
  return tokenizeRange(text, at, text.length, position, target, scan)
}

function tokenizeRange(
  text: string,
  from: number,
  to: number,
  first: number,
  target: TokenTarget,
  scan: WordScan,
): number {
  let position = first
  let at = from
  while (at < to) {
    const code = text.charCodeAt(at)
    const point = code >= 0xd800 && code < 0xdc00 ? text.codePointAt(at)! : code
    const kind = classOf(point)
    if ((kind & WORD & ~CONTINUES) !== 0) {
      const plain = (kind & ~(LOWER | UPPER)) === 0 ? plainWordEnd(text, at, to) : at
      if (plain > at) {
        target.piece(at, plain, position++)
        at = plain
        continue
      }
      scanWord(text, at, to, scan)
      const skipTo = encodedEnd(text, at, to, scan)
      if (skipTo > at) {
        at = skipTo
        position++
        continue
      }
      position = emitWord(text, at, scan, position, target)
      at = scan.end
    } else if ((kind & (IDEOGRAPHIC | UNSPACED)) !== 0) {
      const end = runEnd(text, at, to, kind & (IDEOGRAPHIC | UNSPACED))
      const emit = (kind & UNSPACED) !== 0 ? emitUnspaced : emitIdeographs
      position = emit(text, at, end, position, target)
      at = end
    } else if ((kind & EMOJI) !== 0) {
      const end = Math.min(emojiEnd(text, at), to)
      target.term(surfaceForm(text.slice(at, end)), at, end, position++)
      at = end
    } else at += point > 0xffff ? 2 : 1
  }
  return position
}

/**
 * The end of a word of small letters after the first that nothing goes on behind: what most words of most texts are.
 * @returns `from` where the word is another one
 */
function plainWordEnd(text: string, from: number, to: number): number {
  let at = from + 1
  let kind = BREAK
  while (at < to && (kind = classOf(text.charCodeAt(at))) === LOWER) at++
  const ends =
    at >= to ||
    (kind & BREAK) !== 0 ||
    ((kind & JOINT) !== 0 && (at + 1 >= to || (classOf(text.charCodeAt(at + 1)) & BREAK) !== 0))
  return ends && at - from < LONGEST_TERM && text.charCodeAt(from - 1) !== POINT ? at : from
}

const POINT = 0x2e

function emitWord(text: string, from: number, scan: WordScan, position: number, target: TokenTarget): number {
  const { end } = scan
  if (scan.joints.length > 0) return emitCompound(text, from, scan, position, target)
  const symbol = symbolForm(text, from, scan)
  if (symbol !== null) target.term(symbol.term, symbol.start, symbol.end, position)
  if (scan.mixed) return emitCompound(text, from, scan, position, target)
  emitPiece(text, { start: from, end, position, stable: (scan.classes & UNSTABLE) === 0 }, target)
  return position + 1
}

/** Names that a sign belongs to: `C++`, `C#`, `.NET`, `.gitignore`. */
function symbolForm(text: string, from: number, { end, classes }: WordScan) {
  const after = text.charCodeAt(end)
  let stop = end
  if (after === 0x2b && text.charCodeAt(end + 1) === 0x2b) stop = end + 2
  else if (after === 0x23 && end - from <= 2 && isFree(text, end + 1)) stop = end + 1
  const dotted =
    from > 0 && text.charCodeAt(from - 1) === 0x2e && (classes & DIGIT) === 0 && isFree(text, from - 2)
  if ((stop === end && !dotted) || stop - from >= LONGEST_TERM) return null
  const start = dotted ? from - 1 : from
  return { term: surfaceForm(text.slice(start, stop)), start, end: stop }
}

/** No word character, point or number sign stands there. */
function isFree(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return !(code === 0x2e || code === 0x23) && (classOf(code) & WORD) === 0
}

/** The end of the encoded run whose first word was scanned, or `from` where it is none. */
function encodedEnd(text: string, from: number, to: number, scan: WordScan): number {
  if (from < scan.readableUntil) return from
  const after = text.charCodeAt(scan.end)
  const suspicious = scan.end - from >= LONGEST_TERM || after === 0x2b || after === 0x2f || after === 0x3d
  if (!suspicious) return from
  const run = encodedRun(text, from, to)
  if (run.encoded) return run.end
  scan.readableUntil = run.end
  return from
}

/** The end of the run of characters of these classes (and what goes on with them) that begins at `from`. */
function runEnd(text: string, from: number, to: number, classes: number): number {
  let at = from
  while (at < to) {
    const point = text.codePointAt(at)!
    if ((classOf(point) & (classes | CONTINUES)) === 0) break
    at += point > 0xffff ? 2 : 1
  }
  return Math.min(at, to)
}
