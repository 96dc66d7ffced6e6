import type { IndexDocument } from '../note/note.ts'
import type { VaultPath } from '../note/path.ts'
import type { LanguageMask } from '../text/language.ts'
import { FIELD_COUNT } from './fields.ts'
import { bury, type LiveSegment, liveSegment } from './live_segment.ts'
import { GONE, type Merged, mergeInSteps } from './merge.ts'
import { chooseMerge, chooseTidying, UNITS_PER_CHANGE } from './merge_policy.ts'
import { decodeSegment, findPath, pathOf, segmentSize, sharedNotes } from './segment.ts'
import { buildSegment } from './segment_writer.ts'
import { decodeSnapshot, encodeSnapshot } from './snapshot.ts'

/** What a search looks at: some segments whose notes are numbered through, and figures over all living notes. */
export interface IndexView {
  readonly segments: readonly SegmentView[]
  /** Note numbers run from 0 to this, gone ones included. */
  readonly docSpan: number
  /** Living notes. */
  readonly docCount: number
  /** Mean words of a field over the living notes that have any in it, in the order of `FIELDS`; 0 where none has. */
  readonly meanLengths: Float64Array
  /** Every language that some note has. */
  readonly languages: number
}

export interface SegmentView extends LiveSegment {
  /** Number of this segment's first note. */
  readonly base: number
}

/**
 * The full-text index of one vault, in memory. A note put in or taken out is seen by the next search; the work is in
 * proportion to that note. Merges are done in small slices, a few with each change and more by {@link maintain}.
 */
export class TextIndex {
  /** The languages whose word forms count in notes that name none themselves; null: guessed for each note. */
  readonly languages: LanguageMask | null
  private segments: LiveSegment[] = []
  private readonly merges: Merge[] = []
  private seen: IndexView | undefined

  constructor(languages: LanguageMask | null = null) {
    this.languages = languages
  }

  /**
   * @param languages those that it was built with
   * @throws SnapshotError with the reason why the bytes cannot be used
   */
  static decode(bytes: Uint8Array, languages: LanguageMask | null = null): TextIndex {
    const index = new TextIndex(languages)
    for (const { segment, dead } of decodeSnapshot(bytes)) index.segments.push(liveSegment(segment, dead))
    return index
  }

  /** Living notes. */
  get size(): number {
    return this.segments.reduce((sum, { live }) => sum + live, 0)
  }

  has(path: VaultPath): boolean {
    return this.find(path) !== undefined
  }

  /** Paths of all living notes, in no order. */
  *paths(): Generator<VaultPath> {
    for (const { segment, dead } of this.segments)
      for (let doc = 0; doc < segment.docCount; doc++) if (dead[doc] === 0) yield pathOf(segment, doc)
  }

  /** Adds or replaces a note. */
  put(doc: IndexDocument): void {
    const segment = decodeSegment(buildSegment([doc], { languages: this.languages }), 'own')
    this.bury(doc.path)
    this.segments.push(liveSegment(segment))
    this.changed()
    this.work(segmentSize(segment) * UNITS_PER_CHANGE)
  }

  /** @returns whether the note was there */
  remove(path: VaultPath): boolean {
    const removed = this.bury(path)
    if (removed) this.changed()
    return removed
  }

  /**
   * Takes in what `buildSegment` wrote; its notes replace those of the same paths.
   * @throws SnapshotError with the reason why the bytes cannot be used
   */
  addSegment(bytes: Uint8Array): void {
    const added = liveSegment(decodeSegment(bytes))
    for (const older of this.segments)
      for (const [doc] of sharedNotes(older.segment, added.segment))
        if (older.dead[doc] === 0) bury(older, doc)
    if (added.live > 0) this.segments.push(added)
    this.changed()
  }

  /**
   * Merges a little: to be called when there is nothing better to do.
   * @param units postings, terms and members to handle; a thousand take about a tenth of a millisecond
   * @returns whether there is more to do
   */
  maintain(units = 20_000): boolean {
    if (this.merges.length === 0) this.begin(chooseMerge(this.segments) ?? chooseTidying(this.segments))
    this.work(units)
    return this.merges.length > 0
  }

  /** The whole index as bytes. @see encodeParts where it is large */
  encode(): Uint8Array {
    return Buffer.concat(this.encodeParts())
  }

  /** The same in pieces to be written one after the other; nothing that is large is copied. They never change. */
  encodeParts(): Uint8Array[] {
    return encodeSnapshot(this.segments)
  }

  /** For searching: valid until the next change. */
  view(): IndexView {
    this.seen ??= viewOf(this.segments)
    return this.seen
  }

  private changed(): void {
    this.segments = this.segments.filter(({ live, merging }) => live > 0 || merging)
    this.seen = undefined
  }

  private find(path: VaultPath): { at: LiveSegment; doc: number } | undefined {
    for (let i = this.segments.length - 1; i >= 0; i--) {
      const at = this.segments[i]!
      const doc = findPath(at.segment, path)
      if (doc >= 0 && at.dead[doc] === 0) return { at, doc }
    }
    return undefined
  }

  private bury(path: VaultPath): boolean {
    const found = this.find(path)
    if (found === undefined) return false
    bury(found.at, found.doc)
    return true
  }

  private begin(sources: LiveSegment[] | undefined): void {
    if (sources === undefined) return
    for (const source of sources) source.merging = true
    // A copy of the tombstones: notes that go while the merge runs are buried in its result.
    const frozen = sources.map(({ segment, dead }) => ({ segment, dead: dead.slice() }))
    const size = sources.reduce((sum, { segment }) => sum + segmentSize(segment), 0)
    this.merges.push({ sources, size, steps: mergeInSteps(frozen) })
    this.merges.sort((a, b) => a.size - b.size)
  }

  /** Smaller merges go first: they keep the number of segments down while a large one takes its time. */
  private work(units: number): void {
    this.begin(chooseMerge(this.segments))
    let left = units
    for (let merge = this.merges[0]; merge !== undefined && left > 0; merge = this.merges[0]) {
      const step = merge.steps.next()
      if (!step.done) left -= step.value
      else {
        this.merges.shift()
        this.finish(merge, step.value)
        this.begin(chooseMerge(this.segments))
      }
    }
  }

  private finish({ sources }: Merge, { bytes, moved }: Merged): void {
    const result = liveSegment(decodeSegment(bytes, 'own'))
    for (const [s, source] of sources.entries())
      for (let doc = 0; doc < source.dead.length; doc++) {
        const to = moved[s]![doc]!
        if (source.dead[doc] === 1 && to !== GONE) bury(result, to)
      }
    this.segments = this.segments.filter((segment) => !sources.includes(segment))
    this.segments.unshift(result)
    this.changed()
  }
}

interface Merge {
  readonly sources: readonly LiveSegment[]
  readonly size: number
  readonly steps: Generator<number, Merged>
}

function viewOf(live: readonly LiveSegment[]): IndexView {
  const segments: SegmentView[] = []
  const meanLengths = new Float64Array(FIELD_COUNT)
  const having = new Float64Array(FIELD_COUNT)
  let docSpan = 0
  let docCount = 0
  let languages = 0
  for (const one of live) {
    segments.push({ ...one, base: docSpan })
    docSpan += one.segment.docCount
    docCount += one.live
    languages |= one.segment.languages
    for (let field = 0; field < FIELD_COUNT; field++) {
      meanLengths[field]! += one.words[field]!
      having[field]! += one.having[field]!
    }
  }
  for (let field = 0; field < FIELD_COUNT; field++)
    if (having[field]! > 0) meanLengths[field]! /= having[field]!
  return { segments, docSpan, docCount, meanLengths, languages }
}
