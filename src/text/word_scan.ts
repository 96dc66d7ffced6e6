import { CONTINUES, classOf, DIGIT, LOWER, UNSTABLE, UPPER, WORD } from './char_class.ts'
import { type Connector, connectorAt, lengthOf } from './connector.ts'

/** One compound word as {@link scanWord} found it. Reused from word to word: nothing is allocated in the inner loop. */
export interface WordScan {
  end: number
  /** All character classes met, or-ed. */
  classes: number
  /** A capital, or a digit beside a letter, stands inside: the word may have parts. */
  mixed: boolean
  /** Offsets of the connectors inside, and their kinds. */
  readonly joints: number[]
  readonly kinds: Connector[]
  /** Up to this offset a look ahead has found no encoded run: what keeps it linear. */
  readableUntil: number
}

export function newWordScan(): WordScan {
  return { end: 0, classes: 0, mixed: false, joints: [], kinds: [], readableUntil: 0 }
}

/** Fills `scan` with the compound word that begins at `from`. */
export function scanWord(text: string, from: number, to: number, scan: WordScan): void {
  scan.joints.length = 0
  scan.kinds.length = 0
  scan.mixed = false
  let classes = 0
  let atom = 0
  let at = from
  while (at < to) {
    const code = text.charCodeAt(at)
    const wide = code >= 0xd800 && code < 0xdc00
    const kind = classOf(wide ? text.codePointAt(at)! : code)
    if ((kind & WORD) !== 0) {
      if (atom !== 0 && isBorder(atom, kind)) scan.mixed = true
      atom |= kind
      at += wide ? 2 : 1
      continue
    }
    const joint = connectorAt(text, at, to)
    if (joint === 0) break
    scan.joints.push(at)
    scan.kinds.push(joint)
    classes |= atom | (code > 127 ? UNSTABLE : 0)
    atom = 0
    at += lengthOf(joint)
  }
  scan.classes = classes | atom
  scan.end = Math.min(at, to)
}

function isBorder(atom: number, kind: number): boolean {
  if ((kind & UPPER) !== 0) return true
  return (kind & DIGIT) !== 0
    ? (atom & (LOWER | UPPER)) !== 0
    : (kind & ~CONTINUES & WORD) !== 0 && (atom & DIGIT) !== 0
}
