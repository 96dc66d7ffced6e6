/**
 * A snapshot file: what the catalogue and the full-text index held, so that a start reads one file instead of all notes.
 *
 * 1. Bytes 0–7: the magic `KNAPSNAP`. 2. u32 LE: {@link SNAPSHOT_VERSION}. 3. u32 LE: number of sections.
 * 4. Per section u64 LE length, u64 LE xxHash64 of its bytes. 5. u64 LE: xxHash64 of all before. 6. The sections, each
 * followed by zeros up to a multiple of 8 bytes, so that the numbers in them can be used where they lie.
 *
 * Sections: 0 the catalogue's table (JSON: a row a file), 1 the facts (UTF-8 JSON texts end to end, cut by the table),
 * 2 the full-text index. Everything little-endian. Derived data: whatever does not fit is refused and built anew.
 */

/**
 * - 1: first form
 * - 2: sections begin at multiples of 8 bytes
 * - 3: `v2.3.1` is also `2.3.1`
 *
 * A change of what is read out of a note or of what its words are takes a new number too: all notes are read anew then.
 */
const SNAPSHOT_VERSION = 3

const MAGIC = new TextEncoder().encode('KNAPSNAP')
const FIXED = 16
const PER_SECTION = 16

/** Why a snapshot cannot be used: it is never repaired, always built anew. */
export class SnapshotRefused extends Error {
  override readonly name = 'SnapshotRefused'
}

/**
 * A whole file that holds these sections (each given in pieces), in pieces.
 * @param version of what the sections hold: a file of another kind counts its own
 */
export function encodeSections(
  sections: readonly (readonly Uint8Array[])[],
  version = SNAPSHOT_VERSION,
): Uint8Array[] {
  const size = FIXED + sections.length * PER_SECTION + 8
  const head = new Uint8Array(size)
  const view = new DataView(head.buffer)
  const parts: Uint8Array[] = [head]
  head.set(MAGIC)
  view.setUint32(8, version, true)
  view.setUint32(12, sections.length, true)
  for (const [i, pieces] of sections.entries()) {
    const at = FIXED + i * PER_SECTION
    const length = pieces.reduce((n, p) => n + p.length, 0)
    view.setBigUint64(at, BigInt(length), true)
    view.setBigUint64(at + 8, hashOf(pieces), true)
    parts.push(...pieces, new Uint8Array(paddingOf(length)))
  }
  view.setBigUint64(size - 8, Bun.hash.xxHash64(head.subarray(0, size - 8)), true)
  return parts
}

/** Zeros between a section of this length and the next. The head's own length is a multiple of 8. */
function paddingOf(length: number): number {
  return (8 - (length % 8)) % 8
}

/** @throws SnapshotRefused with the reason */
export function decodeSections(file: Uint8Array, right = SNAPSHOT_VERSION): Uint8Array[] {
  if (file.length < FIXED + 8 || !MAGIC.every((byte, i) => file[i] === byte))
    throw new SnapshotRefused('it is no snapshot')
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const version = view.getUint32(8, true)
  if (version !== right) throw new SnapshotRefused(`it is of version ${version}, not ${right}`)
  const count = view.getUint32(12, true)
  const size = FIXED + count * PER_SECTION + 8
  if (count > 16 || file.length < size) throw new SnapshotRefused('it is cut off')
  if (view.getBigUint64(size - 8, true) !== Bun.hash.xxHash64(file.subarray(0, size - 8)))
    throw new SnapshotRefused('its head is damaged')
  const sections: Uint8Array[] = []
  let at = size
  for (let i = 0; i < count; i++) {
    const length = Number(view.getBigUint64(FIXED + i * PER_SECTION, true))
    const section = file.subarray(at, at + length)
    if (section.length !== length) throw new SnapshotRefused('it is cut off')
    if (view.getBigUint64(FIXED + i * PER_SECTION + 8, true) !== hashOf([section]))
      throw new SnapshotRefused(`section ${i} is damaged`)
    sections.push(section)
    const padding = file.subarray(at + length, at + length + paddingOf(length))
    if (padding.length !== paddingOf(length)) throw new SnapshotRefused('it is cut off')
    if (padding.some((byte) => byte !== 0)) throw new SnapshotRefused('its padding is damaged')
    at += length + padding.length
  }
  if (at !== file.length) throw new SnapshotRefused('something follows its end')
  return sections
}

/** A section in pieces is joined for its hash: its reader sees one stretch of bytes. */
function hashOf(pieces: readonly Uint8Array[]): bigint {
  const whole = pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces)
  return Bun.hash.xxHash64(whole)
}
