import { FIELD_BITS, FIELD_COUNT, FIELD_OF_KEY } from './fields.ts'
import { finished } from './sections.ts'
import { encodeSegmentInSteps, type Segment } from './segment.ts'
import { compareStrings, type StringTable, stringCount } from './string_table.ts'

export interface MergeSource {
  readonly segment: Segment
  /** One byte a note; 1 = gone. Read when the merge begins. */
  readonly dead: Uint8Array
}

export interface Merged {
  readonly bytes: Uint8Array
  /** Source → its note → note of the merged segment, or {@link GONE}. */
  readonly moved: readonly Uint32Array[]
}

export const GONE = 0xffffffff

/** Puts segments together, leaving out dead notes and what only they held. No path may live twice. */
export function mergeSegments(sources: readonly MergeSource[]): Uint8Array {
  return finished(mergeInSteps(sources)).bytes
}

/**
 * The same in slices: yields now and then how many units (postings, terms, members) it has handled since, so that
 * the caller can stop after any number of them and go on later.
 */
export function* mergeInSteps(sources: readonly MergeSource[]): Generator<number, Merged> {
  const docs = yield* mergeDocs(sources)
  const terms = yield* mergeTerms(sources, docs.moved)
  const groups = yield* mergeGroups(sources, terms.moved)
  const writing = encodeSegmentInSteps({ ...docs.parts, ...terms.parts, ...groups })
  for (let step = writing.next(); ; step = writing.next()) {
    if (step.done) return { bytes: step.value, moved: docs.moved }
    yield Math.ceil(step.value / BYTES_PER_UNIT)
  }
}

/** Copying and summing bytes is that much cheaper than handling a posting. */
const BYTES_PER_UNIT = 64

const STEP = 2048

/** Living notes keep their order: source by source. */
function* mergeDocs(sources: readonly MergeSource[]) {
  const moved = sources.map(({ segment }) => new Uint32Array(segment.docCount).fill(GONE))
  let docCount = 0
  for (const [s, { segment, dead }] of sources.entries())
    for (let doc = 0; doc < segment.docCount; doc++) if (dead[doc] === 0) moved[s]![doc] = docCount++
  const fieldLengths = new Uint32Array(docCount * FIELD_COUNT)
  const docLanguages = new Uint32Array(docCount)
  const paths = stringWriter(sources.map(({ segment }) => segment.paths))
  let languages = 0
  for (const [s, { segment }] of sources.entries()) {
    for (let doc = 0; doc < segment.docCount; doc++) {
      const to = moved[s]![doc]!
      if (to === GONE) continue
      const from = doc * FIELD_COUNT
      fieldLengths.set(segment.fieldLengths.subarray(from, from + FIELD_COUNT), to * FIELD_COUNT)
      docLanguages[to] = segment.docLanguages[doc]!
      languages |= docLanguages[to]!
      paths.copy(segment.paths, doc)
      if (doc % STEP === STEP - 1) yield STEP
    }
  }
  const pathOrder = yield* mergePathOrder(sources, moved, docCount)
  return {
    moved,
    parts: { docCount, languages, fieldLengths, docLanguages, paths: paths.finish(), pathOrder },
  }
}

function* mergePathOrder(sources: readonly MergeSource[], moved: readonly Uint32Array[], docCount: number) {
  const order = new Uint32Array(docCount)
  const cursors = new Uint32Array(sources.length)
  const docAt = (s: number) => sources[s]!.segment.pathOrder[cursors[s]!]!
  for (let count = 0; count < docCount; ) {
    let least = -1
    for (let s = 0; s < sources.length; s++) {
      const { segment } = sources[s]!
      while (cursors[s]! < segment.docCount && moved[s]![docAt(s)] === GONE) cursors[s]!++
      if (cursors[s]! === segment.docCount) continue
      if (
        least < 0 ||
        compareStrings(segment.paths, docAt(s), sources[least]!.segment.paths, docAt(least)) < 0
      )
        least = s
    }
    order[count++] = moved[least]![docAt(least)]!
    cursors[least]!++
    if (count % STEP === 0) yield STEP
  }
  return order
}

function* mergeTerms(sources: readonly MergeSource[], movedDocs: readonly Uint32Array[]) {
  const dictionaries = sources.map(({ segment }) => segment.terms)
  const moved = sources.map(({ segment }) => new Uint32Array(stringCount(segment.terms)).fill(GONE))
  const terms = stringWriter(dictionaries)
  const postings = postingWriter(sources)
  const termPostings = new Uint32Array(total(dictionaries.map(stringCount)) + 1)
  const walk = new SortedWalk(dictionaries)
  let handled = 0
  while (walk.next()) {
    const before = postings.count()
    for (const s of walk.holders) handled += postings.copy(sources[s]!.segment, movedDocs[s]!, walk.at(s))
    handled++
    if (postings.count() > before) {
      const first = walk.holders[0]!
      for (const s of walk.holders) moved[s]![walk.at(s)] = terms.count()
      terms.copy(dictionaries[first]!, walk.at(first))
      termPostings[terms.count()] = postings.count()
    }
    if (handled >= STEP) {
      yield handled
      handled = 0
    }
  }
  const parts = {
    termPostings: termPostings.subarray(0, terms.count() + 1),
    terms: terms.finish(),
    ...postings.finish(),
  }
  return { moved, parts }
}

function* mergeGroups(sources: readonly MergeSource[], movedTerms: readonly Uint32Array[]) {
  const tables = sources.map(({ segment }) => segment.groups)
  const groups = stringWriter(tables)
  const most = total(sources.map(({ segment }) => segment.memberTerms.length))
  const memberTerms = new Uint32Array(most)
  const memberLanguages = new Uint32Array(most)
  const groupMembers = new Uint32Array(total(tables.map(stringCount)) + 1)
  const walk = new SortedWalk(tables)
  let count = 0
  let handled = 0
  while (walk.next()) {
    const members = membersOf(sources, movedTerms, walk)
    for (const [term, languages] of members) {
      memberTerms[count] = term
      memberLanguages[count++] = languages
    }
    if (members.length > 0) {
      groups.copy(tables[walk.holders[0]!]!, walk.at(walk.holders[0]!))
      groupMembers[groups.count()] = count
    }
    handled += members.length + 1
    if (handled >= STEP) {
      yield handled
      handled = 0
    }
  }
  return {
    groupMembers: groupMembers.subarray(0, groups.count() + 1),
    groups: groups.finish(),
    memberTerms: memberTerms.subarray(0, count),
    memberLanguages: memberLanguages.subarray(0, count),
  }
}

/** Members of one key in all sources, ascending; the languages of a term that several hold are united. */
function membersOf(sources: readonly MergeSource[], movedTerms: readonly Uint32Array[], walk: SortedWalk) {
  const members: [term: number, languages: number][] = []
  for (const s of walk.holders) {
    const { groupMembers, memberTerms, memberLanguages } = sources[s]!.segment
    const group = walk.at(s)
    for (let i = groupMembers[group]!; i < groupMembers[group + 1]!; i++) {
      const term = movedTerms[s]![memberTerms[i]!]!
      if (term !== GONE) members.push([term, memberLanguages[i]!])
    }
  }
  if (walk.holders.length === 1) return members
  members.sort((a, b) => a[0] - b[0])
  let kept = 0
  for (const member of members) {
    const last = members[kept - 1]
    if (last !== undefined && last[0] === member[0]) last[1] = (last[1] | member[1]) >>> 0
    else members[kept++] = member
  }
  return members.slice(0, kept)
}

/** Walks several sorted tables at once, string by string in order. */
class SortedWalk {
  /** The tables that hold the current string. */
  holders: number[] = []
  private readonly tables: readonly StringTable[]
  private readonly cursors: Uint32Array

  constructor(tables: readonly StringTable[]) {
    this.tables = tables
    this.cursors = new Uint32Array(tables.length)
  }

  next(): boolean {
    for (const s of this.holders) this.cursors[s]!++
    const holders: number[] = []
    for (let s = 0; s < this.tables.length; s++) {
      if (this.cursors[s]! >= stringCount(this.tables[s]!)) continue
      const order = holders.length === 0 ? 0 : this.compare(s, holders[0]!)
      if (order < 0) holders.length = 0
      if (order <= 0) holders.push(s)
    }
    this.holders = holders
    return holders.length > 0
  }

  /** Where the current string stands in one of its holders. */
  at(holder: number): number {
    return this.cursors[holder]!
  }

  private compare(a: number, b: number): number {
    return compareStrings(this.tables[a]!, this.cursors[a]!, this.tables[b]!, this.cursors[b]!)
  }
}

/** Collects strings that other tables hold, in a buffer that is large enough for all of them. */
function stringWriter(sources: readonly StringTable[]) {
  const bytes = new Uint8Array(total(sources.map((table) => table.offsets.at(-1)!)))
  const offsets = new Uint32Array(total(sources.map(stringCount)) + 1)
  let count = 0
  return {
    count: () => count,
    copy(table: StringTable, i: number): void {
      let to = offsets[count]!
      for (let from = table.offsets[i]!; from < table.offsets[i + 1]!; from++)
        bytes[to++] = table.bytes[from]!
      offsets[++count] = to
    },
    finish: (): StringTable => ({
      bytes: bytes.subarray(0, offsets[count]!),
      offsets: offsets.subarray(0, count + 1),
    }),
  }
}

function postingWriter(sources: readonly MergeSource[]) {
  const most = total(sources.map(({ segment }) => segment.keys.length))
  const keys = new Uint32Array(most)
  const frequencies = new Uint16Array(most)
  const positionOffsets = new Uint32Array(most + 1)
  const positions = new Uint8Array(total(sources.map(({ segment }) => segment.positions.length)))
  let count = 0
  let bytes = 0
  return {
    count: () => count,
    /** @returns how many postings it looked at */
    copy(from: Segment, movedDocs: Uint32Array, term: number): number {
      const start = from.termPostings[term]!
      const end = from.termPostings[term + 1]!
      for (let i = start; i < end; i++) {
        const key = from.keys[i]!
        const doc = movedDocs[key >>> FIELD_BITS]!
        if (doc === GONE) continue
        keys[count] = (doc << FIELD_BITS) | (key & FIELD_OF_KEY)
        frequencies[count] = from.frequencies[i]!
        const last = from.positionOffsets[i + 1]!
        for (let b = from.positionOffsets[i]!; b < last; b++) positions[bytes++] = from.positions[b]!
        positionOffsets[++count] = bytes
      }
      return end - start
    },
    finish: () => ({
      keys: keys.subarray(0, count),
      frequencies: frequencies.subarray(0, count),
      positionOffsets: positionOffsets.subarray(0, count + 1),
      positions: positions.subarray(0, bytes),
    }),
  }
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, n) => sum + n, 0)
}
