import { FIELD_COUNT } from './fields.ts'
import {
  aligned,
  asUint16,
  asUint32,
  decodeSections,
  encodeSectionsInSteps,
  finished,
  type Trust,
} from './sections.ts'
import { compareStrings, type StringTable, stringAt, stringCount, toUtf8 } from './string_table.ts'

/**
 * Some notes, indexed for good: typed arrays over one byte buffer, never changed. Notes are numbered from 0, terms
 * by their order in the dictionary; ranges of one array that another holds end where the next begins.
 */
export interface Segment {
  /** The whole segment as it is written to disk. */
  readonly bytes: Uint8Array
  readonly docCount: number
  /** Every language that some note of this segment has. */
  readonly languages: number
  /** Surface terms: folded in case and width, accents kept. Sorted. */
  readonly terms: StringTable
  /** Term → first posting; one more than there are terms. */
  readonly termPostings: Uint32Array
  /** Posting → {@link postingKey}. */
  readonly keys: Uint32Array
  /** Posting → occurrences, at most 65,535. */
  readonly frequencies: Uint16Array
  /** Posting → first byte in `positions`; one more than there are postings. */
  readonly positionOffsets: Uint32Array
  /** @see encodePositions */
  readonly positions: Uint8Array
  /** `FIELD_COUNT` numbers a note. */
  readonly fieldLengths: Uint32Array
  /** Note → its languages. */
  readonly docLanguages: Uint32Array
  /** Note → path. Not sorted. */
  readonly paths: StringTable
  /** Notes in the order of their paths. */
  readonly pathOrder: Uint32Array
  /** What forms of a word have in common: folded forms and stems. Sorted. */
  readonly groups: StringTable
  /** Group → first member; one more than there are groups. */
  readonly groupMembers: Uint32Array
  /** Member → term, ascending inside a group. */
  readonly memberTerms: Uint32Array
  /** Member → {@link FOLD_BIT}, where the key is the term's folded form, and the languages in which it is its stem. */
  readonly memberLanguages: Uint32Array
}

/** Set beside language bits where two terms share their folded form: that holds in every language. */
export const FOLD_BIT = 0x80000000

/** Raise it when the layout below changes. 1: the first. */
const FORMAT = { magic: 'KNAPSEGM', version: 1 }

export type SegmentParts = Omit<Segment, 'bytes'>

export function encodeSegment(parts: SegmentParts): Uint8Array {
  return finished(encodeSegmentInSteps(parts))
}

/** @see encodeSectionsInSteps */
export function encodeSegmentInSteps(parts: SegmentParts): Generator<number, Uint8Array> {
  return encodeSectionsInSteps(FORMAT, [
    Uint32Array.of(parts.docCount, parts.languages),
    parts.terms.offsets,
    parts.terms.bytes,
    parts.termPostings,
    parts.keys,
    parts.frequencies,
    parts.positionOffsets,
    parts.positions,
    parts.fieldLengths,
    parts.docLanguages,
    parts.paths.offsets,
    parts.paths.bytes,
    parts.pathOrder,
    parts.groups.offsets,
    parts.groups.bytes,
    parts.groupMembers,
    parts.memberTerms,
    parts.memberLanguages,
  ])
}

/** @throws SnapshotError where the bytes are not a whole, unharmed segment of this format */
export function decodeSegment(buffer: Uint8Array, trust: Trust = 'checked'): Segment {
  const whole = aligned(buffer)
  const { bytes: sections, length } = decodeSections(FORMAT, whole, trust)
  const numbers = (i: number) => asUint32(sections[i]!)
  const strings = (i: number): StringTable => ({ offsets: numbers(i), bytes: sections[i + 1]! })
  const [docCount = 0, languages = 0] = numbers(0)
  return {
    bytes: whole.subarray(0, length),
    docCount,
    languages,
    terms: strings(1),
    termPostings: numbers(3),
    keys: numbers(4),
    frequencies: asUint16(sections[5]!),
    positionOffsets: numbers(6),
    positions: sections[7]!,
    fieldLengths: numbers(8),
    docLanguages: numbers(9),
    paths: strings(10),
    pathOrder: numbers(12),
    groups: strings(13),
    groupMembers: numbers(15),
    memberTerms: numbers(16),
    memberLanguages: numbers(17),
  }
}

export function pathOf(segment: Segment, doc: number): string {
  return stringAt(segment.paths, doc)
}

/** The note with that path, dead or alive, or -1. */
export function findPath(segment: Segment, path: string): number {
  const wanted = toUtf8(path)
  const { paths, pathOrder } = segment
  let from = 0
  let to = pathOrder.length
  while (from < to) {
    const middle = (from + to) >>> 1
    const doc = pathOrder[middle]!
    const order = Buffer.compare(paths.bytes.subarray(paths.offsets[doc]!, paths.offsets[doc + 1]!), wanted)
    if (order === 0) return doc
    if (order < 0) from = middle + 1
    else to = middle
  }
  return -1
}

/**
 * The notes that two segments both have, dead or alive: their numbers in each. Walks both in the order of their paths,
 * or looks the fewer up among the many, whichever is less work.
 */
export function* sharedNotes(a: Segment, b: Segment): Generator<[docOfA: number, docOfB: number]> {
  const [few, many] = a.docCount <= b.docCount ? [a, b] : [b, a]
  const leap = few.docCount * Math.log2(many.docCount + 2) < many.docCount
  let at = 0
  for (const doc of few.pathOrder) {
    if (leap) at = lowerPath(many, few, doc, at)
    else while (at < many.docCount && comparePaths(many, many.pathOrder[at]!, few, doc) < 0) at++
    if (at >= many.docCount) return
    const other = many.pathOrder[at]!
    if (comparePaths(many, other, few, doc) === 0) yield few === a ? [doc, other] : [other, doc]
  }
}

/** What a segment costs to copy, in postings, terms and members. */
export function segmentSize(segment: Segment): number {
  return (
    segment.keys.length +
    stringCount(segment.terms) +
    segment.memberTerms.length +
    segment.docCount * FIELD_COUNT
  )
}

function comparePaths(a: Segment, docOfA: number, b: Segment, docOfB: number): number {
  return compareStrings(a.paths, docOfA, b.paths, docOfB)
}

/** Position, from `low` on, of the first path of a segment that is not below that of a note of another. */
function lowerPath(segment: Segment, other: Segment, doc: number, low: number): number {
  let from = low
  let to = segment.docCount
  while (from < to) {
    const middle = (from + to) >>> 1
    if (comparePaths(segment, segment.pathOrder[middle]!, other, doc) < 0) from = middle + 1
    else to = middle
  }
  return from
}
