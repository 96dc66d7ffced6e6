/**
 * Remembers the last ASCII terms by their letters in the text. A term that comes from the tokenizer is a piece of the
 * text that has no letters of its own yet; looking it up in a map copies and hashes them, which takes a third of
 * building an index. Most words came a moment ago, and comparing their letters in place copies nothing.
 *
 * What it rests on: a term as long as an ASCII piece of text is that piece in lower case.
 */
export class RecentTerms {
  /** After {@link look}: the number of the term, or -1 where it was not there. */
  id = -1
  private readonly terms: string[] = new Array(SLOTS).fill('')
  private readonly ids = new Int32Array(SLOTS).fill(-1)

  /** @returns where {@link keep} is to put the term, or -1 where it is not ASCII */
  look(text: string, start: number, end: number): number {
    let hash = end - start
    for (let i = start; i < end; i++) {
      const unit = lowerCase(text.charCodeAt(i))
      if (unit > 127) return -1
      hash = (Math.imul(hash, 31) + unit) | 0
    }
    const slot = (hash ^ (hash >>> 15)) & (SLOTS - 1)
    const known = this.terms[slot]!
    let same = known.length === end - start
    for (let i = 0; same && i < known.length; i++)
      same = known.charCodeAt(i) === lowerCase(text.charCodeAt(start + i))
    this.id = same ? this.ids[slot]! : -1
    return slot
  }

  keep(slot: number, term: string, id: number): void {
    if (this.id === id) return
    this.terms[slot] = term
    this.ids[slot] = id
  }
}

/** A power of two. */
const SLOTS = 16_384

function lowerCase(unit: number): number {
  return unit >= 65 && unit <= 90 ? unit | 32 : unit
}
