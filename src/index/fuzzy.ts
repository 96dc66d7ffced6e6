import { lowerBound, prefixEnd, type StringTable, stringAt, toUtf8 } from './string_table.ts'

export interface NearTerm {
  /** Position in the dictionary. */
  readonly term: number
  /** Edits: insertions, deletions, substitutions and swaps of neighbours, counted in characters. */
  readonly distance: number
}

/**
 * Every term of a sorted dictionary within the distance that the word's length allows ({@link allowedDistance}) and
 * with the same first character, ascending. The word itself is among them, at distance 0.
 *
 * A Levenshtein automaton walked along the dictionary: its state after a prefix is a row of distances, shared by all
 * terms that go on from there; where no ending can come near enough any more, all of them are leapt over.
 */
export function nearTerms(terms: StringTable, word: string): NearTerm[] {
  const wanted = codePoints(word)
  const most = allowedDistance(word)
  const found: NearTerm[] = []
  if (wanted.length === 0) return found
  const first = toUtf8(String.fromCodePoint(wanted[0]!))
  const end = prefixEnd(terms, first)
  const automaton = new Automaton(wanted, most)
  for (let at = lowerBound(terms, first); at < end; ) {
    const text = stringAt(terms, at)
    const stuck = automaton.walk(codePoints(text))
    if (stuck > 0) {
      at = prefixEnd(terms, toUtf8([...text].slice(0, stuck).join('')), at + 1)
      continue
    }
    const distance = automaton.distance
    if (distance <= most) found.push({ term: at, distance })
    at++
  }
  return found
}

/** How many slips a word is forgiven: none below four characters, one from four, two from eight. */
export function allowedDistance(word: string): 0 | 1 | 2 {
  const length = codePoints(word).length
  return length < 4 ? 0 : length < 8 ? 1 : 2
}

function codePoints(text: string): number[] {
  return Array.from(text, (char) => char.codePointAt(0)!)
}

class Automaton {
  /** Edits from the term that was walked last to the word. */
  distance = 0
  private readonly wanted: readonly number[]
  private readonly most: number
  /** Row `i`: edits between the first `i` characters of the term and each beginning of the word. */
  private readonly rows: number[][]
  private readonly least: number[] = [0]
  private path: number[] = []

  constructor(wanted: readonly number[], most: number) {
    this.wanted = wanted
    this.most = most
    this.rows = [Array.from({ length: wanted.length + 1 }, (_, j) => j)]
  }

  /** @returns 0, or how many characters of the term are enough to know that nothing that begins so is near */
  walk(term: readonly number[]): number {
    let depth = 0
    while (depth < this.path.length && depth < term.length && this.path[depth] === term[depth]) depth++
    this.path = this.path.slice(0, depth)
    for (let i = depth; i < term.length; i++) {
      this.path.push(term[i]!)
      this.step(i + 1)
      // A swap reaches back two rows, so one row beyond the limit does not settle it.
      if (this.least[i + 1]! > this.most && this.least[i]! >= this.most) return i + 1
    }
    this.distance = this.rows[term.length]![this.wanted.length]!
    return 0
  }

  private step(i: number): void {
    const { wanted, path, rows } = this
    const before = rows[i - 1]!
    const row = (rows[i] ??= new Array<number>(wanted.length + 1).fill(0))
    row[0] = i
    let least = i
    for (let j = 1; j <= wanted.length; j++) {
      const same = path[i - 1] === wanted[j - 1]
      let cost = Math.min(before[j]! + 1, row[j - 1]! + 1, before[j - 1]! + (same ? 0 : 1))
      if (i > 1 && j > 1 && path[i - 1] === wanted[j - 2] && path[i - 2] === wanted[j - 1])
        cost = Math.min(cost, rows[i - 2]![j - 2]! + 1)
      row[j] = cost
      if (cost < least) least = cost
    }
    this.least[i] = least
  }
}
