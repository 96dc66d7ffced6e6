/** What a file's bytes say as text. */
export interface DecodedNote {
  /** UTF-16; a byte-order mark stays as unit 0; every ill-formed byte sequence is one U+FFFD. */
  readonly text: string
  /** False where a byte sequence was ill-formed: such text must never be written back. */
  readonly valid: boolean
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lenient = new TextDecoder('utf-8', { ignoreBOM: true })
const encoder = new TextEncoder()

/** UTF-8 to text. Never throws. */
export function decodeNote(bytes: Uint8Array): DecodedNote {
  try {
    return { text: strict.decode(bytes), valid: true }
  } catch {
    return { text: lenient.decode(bytes), valid: false }
  }
}

/** Text to UTF-8; a byte-order mark in unit 0 is written as it stands; lone surrogates become U+FFFD. */
export function encodeNote(text: string): Uint8Array {
  return encoder.encode(text)
}

/** Two-way mapping between UTF-16 offsets of a note's text and byte offsets of its file. */
export interface ByteMap {
  /** Length of the file in bytes. */
  readonly bytes: number
  /** Length of the text in UTF-16 units. */
  readonly units: number
  /** Byte at which the character that holds unit `unit` begins; clamped to the file. */
  byteAt(unit: number): number
  /** Unit at which the character that holds byte `byte` begins; clamped to the text. */
  unitAt(byte: number): number
}

/** Characters between two marks of a map: a look-up walks at most so many. */
const STRIDE = 256

/**
 * Maps offsets of a file and of its decoded text, ill-formed bytes included. Built in one pass; each look-up is a
 * binary search and a short walk, so that many offsets of one note are cheap.
 */
export function byteMap(source: Uint8Array | string): ByteMap {
  const bytes = typeof source === 'string' ? encoder.encode(source) : source
  const marks = marksOf(bytes)
  if (marks === null) return asciiMap(bytes.length)
  const units = marks.units
  return {
    bytes: bytes.length,
    units,
    byteAt: (unit) => (unit >= units ? bytes.length : walk(bytes, marks, 'unit', Math.max(0, unit)).byte),
    unitAt: (byte) => (byte >= bytes.length ? units : walk(bytes, marks, 'byte', Math.max(0, byte)).unit),
  }
}

/** Byte offset of one UTF-16 offset; for several offsets of a note use {@link byteMap}. */
export function byteOffsetAt(text: string, unit: number): number {
  const at = Math.min(Math.max(0, unit), text.length)
  const inside = at < text.length && isLowSurrogate(text, at) && at > 0 && isHighSurrogate(text, at - 1)
  return encoder.encode(text.slice(0, inside ? at - 1 : at)).length
}

/** UTF-16 offset of the character that holds byte `byte`; for several offsets of a note use {@link byteMap}. */
export function unitAtByte(source: Uint8Array | string, byte: number): number {
  return byteMap(source).unitAt(byte)
}

function isHighSurrogate(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800
}

function isLowSurrogate(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00
}

interface Marks {
  /** Byte and unit offsets of every STRIDE-th character, ascending, the first at 0. */
  readonly byte: Uint32Array
  readonly unit: Uint32Array
  readonly count: number
  /** UTF-16 units of the whole. */
  readonly units: number
}

function asciiMap(length: number): ByteMap {
  const clamp = (offset: number) => Math.min(Math.max(0, offset), length)
  return { bytes: length, units: length, byteAt: clamp, unitAt: clamp }
}

/** @returns null where every byte is ASCII, so that both offsets are the same number. */
function marksOf(bytes: Uint8Array): Marks | null {
  let at = 0
  while (at < bytes.length && bytes[at]! < 0x80) at++
  if (at === bytes.length) return null
  const byte = new Uint32Array(Math.ceil(bytes.length / STRIDE) + 1)
  const unit = new Uint32Array(byte.length)
  let count = 0
  let characters = 0
  let units = 0
  for (at = 0; at < bytes.length; characters++) {
    if (characters % STRIDE === 0) {
      byte[count] = at
      unit[count++] = units
    }
    const length = sequenceLength(bytes, at)
    units += length === 4 ? 2 : 1
    at += length
  }
  return { byte, unit, count, units }
}

/** The last character that begins at or before `offset`, counted in bytes or in units. */
function walk(
  bytes: Uint8Array,
  marks: Marks,
  by: 'byte' | 'unit',
  offset: number,
): { byte: number; unit: number } {
  const keys = marks[by]
  let low = 0
  let high = marks.count - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (keys[middle]! <= offset) low = middle
    else high = middle - 1
  }
  let byte = marks.byte[low]!
  let unit = marks.unit[low]!
  while (byte < bytes.length) {
    const length = sequenceLength(bytes, byte)
    const width = length === 4 ? 2 : 1
    if ((by === 'byte' ? byte + length : unit + width) > offset) break
    byte += length
    unit += width
  }
  return { byte, unit }
}

/**
 * Bytes that decode to one character at `at`: 1 to 4 for a well-formed sequence, else the "maximal subpart" that
 * decoders replace by a single U+FFFD (never 4).
 * @see The WHATWG Encoding Standard, UTF-8 decoder
 */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!
  if (lead < 0xc2 || lead > 0xf4) return 1
  const needed = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3
  // Overlong forms, surrogates and values past U+10FFFF show in the second byte alone.
  let lower = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80
  let upper = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf
  for (let i = 1; i <= needed; i++) {
    const next = bytes[at + i]
    if (next === undefined || next < lower || next > upper) return i
    lower = 0x80
    upper = 0xbf
  }
  return needed + 1
}
