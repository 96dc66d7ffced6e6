/**
 * Strings as one run of UTF-8 bytes: string `i` is `bytes[offsets[i] .. offsets[i + 1])`. A sorted table ascends by
 * its bytes, which is the order of code points, and holds no string twice.
 */
export interface StringTable {
  readonly bytes: Uint8Array
  /** One more than there are strings; the first is 0. */
  readonly offsets: Uint32Array
}

export function stringCount(table: StringTable): number {
  return table.offsets.length - 1
}

export function stringAt(table: StringTable, i: number): string {
  return fromUtf8(table.bytes.subarray(table.offsets[i]!, table.offsets[i + 1]!))
}

/** Position of a string in a sorted table, or -1. */
export function findString(table: StringTable, wanted: Uint8Array): number {
  const at = lowerBound(table, wanted)
  return at < stringCount(table) && compareAt(table, at, wanted) === 0 ? at : -1
}

/** Position of the first string of a sorted table that is not below `wanted`, from `low` on. */
export function lowerBound(table: StringTable, wanted: Uint8Array, low = 0): number {
  let from = low
  let to = stringCount(table)
  while (from < to) {
    const middle = (from + to) >>> 1
    if (compareAt(table, middle, wanted) < 0) from = middle + 1
    else to = middle
  }
  return from
}

/** Position after the last string of a sorted table that begins with `prefix`, from `low` on. */
export function prefixEnd(table: StringTable, prefix: Uint8Array, low = 0): number {
  let from = low
  let to = stringCount(table)
  while (from < to) {
    const middle = (from + to) >>> 1
    if (comparePrefixAt(table, middle, prefix) <= 0) from = middle + 1
    else to = middle
  }
  return from
}

/** Order of two strings of two tables: negative, 0 or positive. */
export function compareStrings(a: StringTable, i: number, b: StringTable, j: number): number {
  return compareBytes(a.bytes, a.offsets[i]!, a.offsets[i + 1]!, b.bytes, b.offsets[j]!, b.offsets[j + 1]!)
}

/** Sorts in place by code points, as sorted tables are; the built-in order differs beyond the basic plane. */
export function sortByCodePoint(strings: string[]): string[] {
  strings.sort()
  const mixed = strings.some((s) => SURROGATE.test(s)) && strings.some((s) => ABOVE_SURROGATES.test(s))
  return mixed ? strings.sort(compareByCodePoint) : strings
}

const SURROGATE = /[\ud800-\udfff]/
const ABOVE_SURROGATES = /[\ue000-\uffff]/

/** The order of two strings by code points, which is the order of their UTF-8 bytes. */
export function compareByCodePoint(a: string, b: string): number {
  const most = Math.min(a.length, b.length)
  for (let i = 0; i < most; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) return aboveSurrogates(x) - aboveSurrogates(y)
  }
  return a.length - b.length
}

/** Moves surrogates above the rest of the basic plane, where the code points that they spell belong. */
function aboveSurrogates(unit: number): number {
  return unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}

/** Packs well-formed strings in the order given. */
export function packStrings(strings: readonly string[]): StringTable {
  let units = 0
  for (const s of strings) units += s.length
  const bytes = new Uint8Array(units * 3)
  const offsets = new Uint32Array(strings.length + 1)
  let at = 0
  for (let i = 0; i < strings.length; i++) {
    at += encoder.encodeInto(strings[i]!, at === 0 ? bytes : bytes.subarray(at)).written
    offsets[i + 1] = at
  }
  return { bytes: bytes.slice(0, at), offsets }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

export function toUtf8(text: string): Uint8Array {
  return encoder.encode(text)
}

export function fromUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}

function compareAt(table: StringTable, i: number, wanted: Uint8Array): number {
  return compareBytes(table.bytes, table.offsets[i]!, table.offsets[i + 1]!, wanted, 0, wanted.length)
}

function comparePrefixAt(table: StringTable, i: number, prefix: Uint8Array): number {
  const start = table.offsets[i]!
  const end = Math.min(table.offsets[i + 1]!, start + prefix.length)
  return compareBytes(table.bytes, start, end, prefix, 0, prefix.length)
}

function compareBytes(
  a: Uint8Array,
  aStart: number,
  aEnd: number,
  b: Uint8Array,
  bStart: number,
  bEnd: number,
): number {
  const most = Math.min(aEnd - aStart, bEnd - bStart)
  for (let i = 0; i < most; i++) {
    const difference = a[aStart + i]! - b[bStart + i]!
    if (difference !== 0) return difference
  }
  return aEnd - aStart - (bEnd - bStart)
}
