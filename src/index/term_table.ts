import { lowerCase } from '../text/lower_case.ts'
import { LONGEST_TERM } from '../text/token.ts'
import { Growable, growableUint32 } from './growable.ts'

/**
 * Numbers the different terms of many notes, in the order in which they first come. Terms are looked up by their
 * letters where these stand in the text: a string for each of millions of words would take longer than all the rest
 * of building an index.
 *
 * An open hash table over the letters of all terms, one after the other in one array.
 */
export class TermTable {
  /** Terms so far. */
  size = 0
  private readonly units = new Growable((n) => new Uint16Array(n), 4096)
  /** Where each term begins in `units`; one more than there are terms. */
  private readonly starts = growableUint32(256)
  private readonly hashes = growableUint32(256)
  /** Hash → number of a term plus 1; 0 = free. At least half of it is. */
  private slots = new Int32Array(512)
  private wanted = new Uint16Array(LONGEST_TERM)

  constructor() {
    this.starts.push(0)
  }

  /** @returns the number of the term that a piece of text is in lower case */
  idOfPiece(text: string, start: number, end: number): number {
    const { wanted } = this
    let hash = 0
    for (let i = start; i < end; i++) {
      const unit = lowerCase(text.charCodeAt(i))
      wanted[i - start] = unit
      hash = Math.imul(hash ^ unit, MULTIPLIER)
    }
    return this.find(end - start, (hash ^ (hash >>> 15)) >>> 0)
  }

  /** @param term well-formed; a compatibility form may have spelled out to more than `LONGEST_TERM` units */
  idOf(term: string): number {
    if (term.length > this.wanted.length) this.wanted = new Uint16Array(term.length)
    const { wanted } = this
    let hash = 0
    for (let i = 0; i < term.length; i++) {
      const unit = term.charCodeAt(i)
      wanted[i] = unit
      hash = Math.imul(hash ^ unit, MULTIPLIER)
    }
    return this.find(term.length, (hash ^ (hash >>> 15)) >>> 0)
  }

  /** All terms, by their numbers. */
  strings(): string[] {
    const all = decoder.decode(this.units.view())
    const { items } = this.starts
    return Array.from({ length: this.size }, (_, id) => all.slice(items[id]!, items[id + 1]!))
  }

  private find(length: number, hash: number): number {
    const { slots } = this
    const mask = slots.length - 1
    const hashes = this.hashes.items
    let slot = hash & mask
    for (let held = slots[slot]!; held !== 0; held = slots[slot]!) {
      if (hashes[held - 1] === hash && this.isWanted(held - 1, length)) return held - 1
      slot = (slot + 1) & mask
    }
    slots[slot] = this.size + 1
    return this.add(length, hash)
  }

  private isWanted(id: number, length: number): boolean {
    const start = this.starts.items[id]!
    if (this.starts.items[id + 1]! - start !== length) return false
    const units = this.units.items
    for (let i = 0; i < length; i++) if (units[start + i] !== this.wanted[i]) return false
    return true
  }

  private add(length: number, hash: number): number {
    this.units.append(this.wanted.subarray(0, length))
    this.starts.push(this.units.length)
    this.hashes.push(hash)
    this.size++
    if (this.size * 2 > this.slots.length) this.grow()
    return this.size - 1
  }

  private grow(): void {
    const slots = new Int32Array(this.slots.length * 4)
    const mask = slots.length - 1
    for (let id = 0; id < this.size; id++) {
      let slot = this.hashes.items[id]! & mask
      while (slots[slot] !== 0) slot = (slot + 1) & mask
      slots[slot] = id + 1
    }
    this.slots = slots
  }
}

/** Odd, with its bits well mixed. */
const MULTIPLIER = 0x9e3779b1

const decoder = new TextDecoder('utf-16le', { ignoreBOM: true })
