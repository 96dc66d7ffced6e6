import { classOf, DIGIT, LOWER, UNSTABLE, UPPER } from './char_class.ts'
import { APOSTROPHE, AT_SIGN, DOT, lengthOf } from './connector.ts'
import { surfaceForm } from './normal.ts'
import { LONGEST_TERM, type TokenTarget } from './token.ts'
import type { WordScan } from './word_scan.ts'

/**
 * Emits the tokens of one scanned word that is more than a plain run of letters: whole, names inside it, parts.
 * @returns the next free position
 */
export function emitCompound(
  text: string,
  from: number,
  scan: WordScan,
  position: number,
  target: TokenTarget,
): number {
  const emit = { text, target, scan }
  const count = scan.joints.length
  if (count === 0) return emitAtom(emit, from, scan.end, position)
  if (isAcronym(from, scan)) {
    emitTerm(emit, from, scan.end, position)
    return position + 1
  }
  const suffix = contractionBase(text, from, scan)
  if (suffix !== null) {
    emitTerm(emit, from, scan.end, position)
    if (suffix > from) emitAtom(emit, from, suffix, position)
    return position + 1
  }
  emitTerm(emit, from, scan.end, position)
  emitVersion(emit, from, position)
  return emitParts(emit, from, position)
}

/** `v2.3.1` is also `2.3.1`, and its first part a `2`. */
function emitVersion(emit: Emit, from: number, position: number): void {
  const { text, scan } = emit
  if ((text.charCodeAt(from) | 0x20) !== SMALL_V || scan.kinds[0] !== DOT) return
  const first = scan.joints[0]!
  for (let at = from + 1; at < first; at++) if ((classOf(text.charCodeAt(at)) & DIGIT) === 0) return
  if (first === from + 1) return
  emitTerm(emit, from + 1, scan.end, position)
  emitTerm(emit, from + 1, first, position)
}

const SMALL_V = 0x76

interface Emit {
  readonly text: string
  readonly target: TokenTarget
  readonly scan: WordScan
}

/** Every name inside the compound that only one kind of connector holds together, then each part. */
function emitParts(emit: Emit, from: number, first: number): number {
  const { joints, kinds, end } = emit.scan
  const names = kinds.some((kind) => kind >= AT_SIGN)
  let position = first
  let start = from
  for (let i = 0; i <= joints.length; i++) {
    if (names && (i === 0 || kinds[i - 1]! >= AT_SIGN)) emitName(emit, start, i, position)
    if (i === 0 || kinds[i - 1] !== kinds[i]) emitRun(emit, start, i, position)
    const stop = joints[i] ?? end
    position = emitAtom(emit, start, stop, position)
    start = stop + lengthOf(kinds[i] ?? 0)
  }
  return position
}

/** The name between two joints of the strong kinds, where it is a compound: `john.doe` of an address. */
function emitName(emit: Emit, start: number, first: number, position: number): void {
  const { joints, kinds, end } = emit.scan
  let last = first
  while (last < joints.length && kinds[last]! < AT_SIGN) last++
  if (last > first) emitTerm(emit, start, joints[last] ?? end, position)
}

/** The longest run of parts that this kind of connector joins, where it is not a whole name by itself. */
function emitRun(emit: Emit, start: number, first: number, position: number): void {
  const { joints, kinds, end } = emit.scan
  const kind = kinds[first]
  if (kind === undefined || kind >= AT_SIGN) return
  let last = first
  while (last < joints.length && kinds[last] === kind) last++
  const opensName = first === 0 || kinds[first - 1]! >= AT_SIGN
  const closesName = last === joints.length || kinds[last]! >= AT_SIGN
  if (!(opensName && closesName)) emitTerm(emit, start, joints[last] ?? end, position)
}

/** One part without connectors, and what capitals and digits mark off inside it. */
function emitAtom(emit: Emit, start: number, end: number, position: number): number {
  const { text, scan } = emit
  emitTerm(emit, start, end, position)
  if (!scan.mixed || end - start > LONGEST_TERM) return position + 1
  let from = start
  for (let at = start + 1; at < end; at++) {
    if (!isPartBorder(text, start, at, end)) continue
    emitTerm(emit, from, at, position)
    from = at
  }
  if (from > start) emitTerm(emit, from, end, position)
  return position + 1
}

/** A new part begins at `at`: `fooBar`, `HTTPServer` (before `Server`), `utf8Name`, `UN3480`. */
function isPartBorder(text: string, start: number, at: number, end: number): boolean {
  const here = classOf(text.charCodeAt(at))
  const before = classOf(text.charCodeAt(at - 1))
  if ((here & UPPER) !== 0) {
    if ((before & LOWER) !== 0) return true
    const lowerAfter = at + 1 < end && (classOf(text.charCodeAt(at + 1)) & LOWER) !== 0
    // `PDFs` and `IDs` are plurals, no `PD` + `Fs`.
    const plural = at + 2 === end && text.charCodeAt(at + 1) === 0x73
    return lowerAfter && !plural
  }
  return (here & DIGIT) !== 0 && at - start >= 2 && isLettersThenDigits(text, start, at, end)
}

function isLettersThenDigits(text: string, start: number, at: number, end: number): boolean {
  for (let i = start; i < at; i++) if ((classOf(text.charCodeAt(i)) & DIGIT) !== 0) return false
  for (let i = at; i < end; i++) if ((classOf(text.charCodeAt(i)) & DIGIT) === 0) return false
  return true
}

/** `U.S.A`, `e.g`: single letters between points. Their one-letter parts would match everything. */
function isAcronym(from: number, scan: WordScan): boolean {
  if ((scan.classes & DIGIT) !== 0) return false
  let start = from
  for (let i = 0; i <= scan.joints.length; i++) {
    if (i < scan.joints.length && scan.kinds[i] !== DOT) return false
    if ((scan.joints[i] ?? scan.end) - start !== 1) return false
    start = scan.joints[i]! + 1
  }
  return true
}

const ENGLISH_ENDINGS = new Set(['s', 't', 'd', 'm', 'll', 're', 've'])

/** @returns the end of what stands before an English ending (`it's`; `from` for `don't`, whose `don` is no word), or null */
function contractionBase(text: string, from: number, scan: WordScan): number | null {
  const joint = scan.joints[0]!
  if (scan.joints.length !== 1 || scan.kinds[0] !== APOSTROPHE) return null
  const ending = text.slice(joint + 1, scan.end).toLowerCase()
  if (!ENGLISH_ENDINGS.has(ending) || joint - from < 2) return null
  return ending === 't' ? from : joint
}

function emitTerm({ text, target, scan }: Emit, start: number, end: number, position: number): void {
  emitPiece(text, { start, end, position, stable: (scan.classes & UNSTABLE) === 0 }, target)
}

/** Emits a piece of the text, in another spelling where it is not stable. */
export function emitPiece(
  text: string,
  { start, end, position, stable }: { start: number; end: number; position: number; stable: boolean },
  target: TokenTarget,
): void {
  if (end - start > LONGEST_TERM) return
  if (stable) {
    target.piece(start, end, position)
    return
  }
  const term = surfaceForm(text.slice(start, end))
  if (term.length > 0 && term.length <= LONGEST_TERM) target.term(term, start, end, position)
}
