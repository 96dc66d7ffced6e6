import { SnapshotError } from './snapshot_error.ts'

/**
 * Typed arrays in one byte buffer, each under its own checksum. Invariants:
 *
 * 1. Header: magic (8 ASCII bytes), byte-order mark 0x01020304, format version, number of sections, total length;
 *    then offset and length of each section (all uint32); then a 64-bit hash per section; then the hash of all before.
 * 2. Sections follow in order, each at a multiple of 8, so that an array of any element type lies aligned.
 * 3. A section's hash covers its padding too: no byte of the buffer is outside a hash. It is taken mebibyte by mebibyte,
 *    each seeded with the hash before, so that a large buffer can be summed in slices.
 * 4. What follows after the total length belongs to the caller.
 */
export function encodeSections(format: SectionFormat, sections: readonly SectionArray[]): Uint8Array {
  return finished(encodeSectionsInSteps(format, sections))
}

/** The same in slices: yields after every mebibyte at most how many bytes it has handled since. */
export function* encodeSectionsInSteps(
  format: SectionFormat,
  sections: readonly SectionArray[],
): Generator<number, Uint8Array> {
  const headerLength = headerSize(sections.length)
  const offsets: number[] = []
  let end = headerLength
  for (const section of sections) {
    offsets.push(end)
    end = align(end + section.byteLength)
  }
  const out = new Uint8Array(end)
  for (let i = 0; i < MAGIC_LENGTH; i++) out[i] = format.magic.charCodeAt(i)
  const view = new DataView(out.buffer)
  const head = [BYTE_ORDER, format.version, sections.length, end]
  for (const [i, value] of head.entries()) view.setUint32(MAGIC_LENGTH + i * 4, value, true)
  for (const [i, section] of sections.entries()) {
    const start = offsets[i]!
    const bytes = new Uint8Array(section.buffer, section.byteOffset, section.byteLength)
    let sum = 0n
    for (let at = 0; at < bytes.length; at += CHUNK) {
      const next = Math.min(at + CHUNK, bytes.length)
      out.set(bytes.subarray(at, next), start + at)
      sum = hash(out.subarray(start + at, start + (next === bytes.length ? align(next) : next)), sum)
      yield next - at
    }
    view.setUint32(FIXED_LENGTH + i * 8, start, true)
    view.setUint32(FIXED_LENGTH + i * 8 + 4, section.byteLength, true)
    view.setBigUint64(hashAt(sections.length, i), sum, true)
  }
  view.setBigUint64(headerLength - 8, hash(out.subarray(0, headerLength - 8), 0n), true)
  return out
}

/** Runs something that goes in steps to its end. */
export function finished<T>(steps: Generator<number, T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

export interface SectionFormat {
  /** Eight ASCII characters. */
  readonly magic: string
  readonly version: number
}

/** `own`: made by this process a moment ago, not read from anywhere, so that its sections need not be summed again. */
export type Trust = 'checked' | 'own'

export type SectionArray = Uint8Array | Uint16Array | Uint32Array

export interface Sections {
  /** Length of the whole, padding included. */
  readonly length: number
  /** One view a section, in the order written. */
  readonly bytes: readonly Uint8Array[]
}

/**
 * Checks and opens what {@link encodeSections} wrote. The views share the memory of `buffer`, which has to begin at
 * a multiple of 8 of its own (see {@link aligned}).
 * @throws SnapshotError where a byte is missing, changed or foreign
 */
export function decodeSections(
  format: SectionFormat,
  buffer: Uint8Array,
  trust: Trust = 'checked',
): Sections {
  if (buffer.length < FIXED_LENGTH) throw new SnapshotError('truncated', 'it ends inside its header')
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength)
  for (let i = 0; i < MAGIC_LENGTH; i++)
    if (buffer[i] !== format.magic.charCodeAt(i))
      throw new SnapshotError('foreign', 'it does not begin as an index does')
  if (view.getUint32(MAGIC_LENGTH, true) !== BYTE_ORDER)
    throw new SnapshotError('foreign', 'it was written with another byte order')
  const version = view.getUint32(MAGIC_LENGTH + 4, true)
  if (version !== format.version)
    throw new SnapshotError(
      'version',
      `it has format version ${version}, this program reads ${format.version}`,
    )
  const count = view.getUint32(MAGIC_LENGTH + 8, true)
  const length = view.getUint32(MAGIC_LENGTH + 12, true)
  const headerLength = headerSize(count)
  if (buffer.length < headerLength || buffer.length < length)
    throw new SnapshotError('truncated', `it has ${buffer.length} bytes, its header speaks of more`)
  if (view.getBigUint64(headerLength - 8, true) !== hash(buffer.subarray(0, headerLength - 8), 0n))
    throw new SnapshotError('checksum', 'its header is damaged')
  return { length, bytes: Array.from({ length: count }, (_, i) => section(buffer, view, trust, i)) }
}

/** The same bytes at a multiple of 8 in their memory: themselves where they lie so, else a copy. */
export function aligned(buffer: Uint8Array): Uint8Array {
  return buffer.byteOffset % 8 === 0 ? buffer : buffer.slice()
}

export function asUint32(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >>> 2)
}

export function asUint16(bytes: Uint8Array): Uint16Array {
  return new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >>> 1)
}

const MAGIC_LENGTH = 8
const FIXED_LENGTH = MAGIC_LENGTH + 16
const BYTE_ORDER = 0x01020304

function headerSize(sections: number): number {
  return FIXED_LENGTH + sections * 16 + 8
}

function hashAt(sections: number, i: number): number {
  return FIXED_LENGTH + sections * 8 + i * 8
}

function align(length: number): number {
  return Math.ceil(length / 8) * 8
}

const CHUNK = 1 << 20

function hash(bytes: Uint8Array, seed: bigint): bigint {
  return Bun.hash.xxHash64(bytes, seed)
}

function hashInChunks(bytes: Uint8Array): bigint {
  let sum = 0n
  for (let at = 0; at < bytes.length; at += CHUNK) sum = hash(bytes.subarray(at, at + CHUNK), sum)
  return sum
}

function section(buffer: Uint8Array, view: DataView, trust: Trust, i: number): Uint8Array {
  const count = view.getUint32(MAGIC_LENGTH + 8, true)
  const start = view.getUint32(FIXED_LENGTH + i * 8, true)
  const length = view.getUint32(FIXED_LENGTH + i * 8 + 4, true)
  const padded = buffer.subarray(start, align(start + length))
  if (trust === 'checked' && view.getBigUint64(hashAt(count, i), true) !== hashInChunks(padded))
    throw new SnapshotError('checksum', `its section ${i} is damaged`)
  return padded.subarray(0, length)
}
