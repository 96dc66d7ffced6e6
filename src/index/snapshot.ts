import type { LiveSegment } from './live_segment.ts'
import { aligned, asUint32, decodeSections, encodeSections } from './sections.ts'
import { decodeSegment, type Segment } from './segment.ts'
import { SnapshotError } from './snapshot_error.ts'

/**
 * How notes are read and split into terms. Raise it when parsing, tokens, folding or stems change: older snapshots
 * are then refused and built anew. 1: the first.
 */
const INDEX_SEMANTICS = 1

/** Raise it when the layout below changes. 1: the first. */
const FORMAT = { magic: 'KNAPTEXT', version: 1 }

/**
 * The head (semantics, length of each segment, tombstones of each), then the segments' own bytes, which carry their
 * own checksums: so no byte is outside a checksum, and nothing that is large is copied or summed anew.
 */
export function encodeSnapshot(segments: readonly LiveSegment[]): Uint8Array[] {
  const lengths = segments.map(({ segment }) => segment.bytes.length)
  const head = encodeSections(FORMAT, [
    Uint32Array.of(INDEX_SEMANTICS, ...lengths),
    ...segments.map(({ dead }) => dead),
  ])
  return [head, ...segments.map(({ segment }) => segment.bytes)]
}

/**
 * Reads what {@link encodeSnapshot} wrote; the segments are views of `buffer`.
 * @throws SnapshotError with the reason why the bytes cannot be used
 */
export function decodeSnapshot(buffer: Uint8Array): { segment: Segment; dead: Uint8Array }[] {
  const whole = aligned(buffer)
  const head = decodeSections(FORMAT, whole)
  const [numbers, ...tombstones] = head.bytes
  const [semantics, ...lengths] = numbers === undefined ? [] : asUint32(numbers)
  if (semantics !== INDEX_SEMANTICS)
    throw new SnapshotError(
      'semantics',
      `its notes were read by rules ${semantics}, today's are ${INDEX_SEMANTICS}`,
    )
  let at = head.length
  const segments = lengths.map((length, i) => {
    if (at + length > whole.length) throw new SnapshotError('truncated', 'it ends inside a segment')
    const segment = decodeSegment(whole.subarray(at, (at += length)))
    // A copy: tombstones change, and the buffer may be shared.
    return { segment, dead: tombstones[i]!.slice() }
  })
  if (at !== whole.length) throw new SnapshotError('foreign', 'it goes on after its end')
  return segments
}
