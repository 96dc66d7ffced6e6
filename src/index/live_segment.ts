import { FIELD_COUNT } from './fields.ts'
import { type Segment, segmentSize } from './segment.ts'

/** A segment and which of its notes are gone. */
export interface LiveSegment {
  readonly segment: Segment
  /** One byte a note; 1 = gone (deleted, or replaced by a newer version elsewhere). */
  readonly dead: Uint8Array
  live: number
  /** Words of all living notes, field by field. */
  readonly words: Float64Array
  /** Living notes that have any word in the field. */
  readonly having: Uint32Array
  /** Taken by a merge that is under way. */
  merging: boolean
}

export function liveSegment(
  segment: Segment,
  dead: Uint8Array = new Uint8Array(segment.docCount),
): LiveSegment {
  const words = new Float64Array(FIELD_COUNT)
  const having = new Uint32Array(FIELD_COUNT)
  const out: LiveSegment = { segment, dead, live: 0, words, having, merging: false }
  for (let doc = 0; doc < segment.docCount; doc++) if (dead[doc] === 0) count(out, doc, 1)
  return out
}

/** Marks a living note as gone; the statistics follow at once. */
export function bury(target: LiveSegment, doc: number): void {
  target.dead[doc] = 1
  count(target, doc, -1)
}

function count(target: LiveSegment, doc: number, sign: 1 | -1): void {
  target.live += sign
  for (let field = 0; field < FIELD_COUNT; field++) {
    const length = target.segment.fieldLengths[doc * FIELD_COUNT + field]!
    if (length === 0) continue
    target.words[field]! += sign * length
    target.having[field]! += sign
  }
}

/** What a merge of this segment will write: its size, less the share of notes that are gone. */
export function liveSize({ segment, live }: LiveSegment): number {
  return segment.docCount === 0 ? 0 : Math.ceil((segmentSize(segment) * live) / segment.docCount)
}
