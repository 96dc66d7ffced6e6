import { distance } from 'fastest-levenshtein'
import { adjacentSwaps } from '../text/swaps.ts'

/** Some words, to be looked through for those that begin like another or are spelled nearly like it. Only grows. */
export class WordList {
  readonly #all = new Set<string>()
  readonly #byLength: string[][] = []
  /** All in order, or null where words have come since. */
  #sorted: string[] | null = null

  add(word: string): void {
    if (this.#all.has(word)) return
    this.#all.add(word)
    this.#sorted = null
    const same = (this.#byLength[word.length] ??= [])
    same.push(word)
  }

  /** Words that begin with it, itself too; in scripts without blanks between words those that hold it. */
  beginning(word: string): string[] {
    this.#sorted ??= [...this.#all].sort()
    if (isUnspaced(word)) return this.#sorted.filter((other) => other.includes(word))
    const from = firstFrom(this.#sorted, word)
    let to = from
    while (this.#sorted[to]?.startsWith(word)) to++
    return this.#sorted.slice(from, to)
  }

  /**
   * Words within one typo, from eight letters on two; two neighbouring letters that changed places are one.
   * @returns nothing for words of less than four letters, and never the word itself
   */
  near(word: string): Near[] {
    const allowed = word.length < 4 ? 0 : word.length < 8 ? 1 : 2
    if (allowed === 0) return []
    const out = new Map<string, number>()
    for (const others of this.#byLength.slice(word.length - allowed, word.length + allowed + 1))
      for (const other of others ?? []) {
        const typos = distance(word, other)
        if (typos > 0 && typos <= allowed) out.set(other, typos)
      }
    for (const other of adjacentSwaps(word)) if (this.#all.has(other)) out.set(other, 1)
    return [...out].map(([other, typos]) => ({ word: other, typos }))
  }
}

export interface Near {
  readonly word: string
  readonly typos: number
}

/** Index of the first of some sorted words that does not come before another. */
function firstFrom(sorted: readonly string[], word: string): number {
  let from = 0
  let to = sorted.length
  while (from < to) {
    const middle = (from + to) >>> 1
    if ((sorted[middle] as string) < word) from = middle + 1
    else to = middle
  }
  return from
}

/** Scripts without blanks between words have no beginnings to look for. */
export function isUnspaced(word: string): boolean {
  return (word.codePointAt(0) ?? 0) > 0x0dff
}
