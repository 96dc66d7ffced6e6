import { FIELD_BITS, FIELD_OF_KEY, type FieldMask } from '../index/fields.ts'
import { FOLD_BIT } from '../index/segment.ts'
import type { IndexView, SegmentView } from '../index/text_index.ts'

/**
 * Where something occurs in the whole index: keys (note × 8 + field, notes numbered through all segments) ascend,
 * each with how often, weighted.
 */
export interface Occurrences {
  readonly keys: Uint32Array
  readonly counts: Float64Array
}

export const NOWHERE: Occurrences = { keys: new Uint32Array(0), counts: new Float64Array(0) }

/** One term of one segment that stands for a word of the question. */
export interface Member {
  readonly term: number
  /** What one occurrence counts. */
  readonly weight: number
  /** It counts in notes of these languages only; with `FOLD_BIT` in all. */
  readonly languages: number
}

/** Segment → its terms for one word. */
export type Members = readonly (readonly Member[])[]

/** All occurrences of some terms in living notes; several in one field of one note are added up. */
export function gather(view: IndexView, members: Members, fields: FieldMask): Occurrences {
  const pieces: Occurrences[] = []
  for (const [s, segment] of view.segments.entries()) {
    const lists = members[s]!.map((member) => occurrencesOf(segment, member, fields))
    if (lists.length > 0) pieces.push(balanced(lists, add))
  }
  return concatenated(pieces)
}

/** Does an occurrence of a member in this note count? */
export function counts({ segment, dead }: SegmentView, doc: number, languages: number): boolean {
  if (dead[doc] === 1) return false
  return (languages & FOLD_BIT) !== 0 || (languages & segment.docLanguages[doc]!) !== 0
}

/** Unites two, the counts of what is in both combined. */
export function unite(
  a: Occurrences,
  b: Occurrences,
  combine: (x: number, y: number) => number,
): Occurrences {
  if (a.keys.length === 0) return b
  if (b.keys.length === 0) return a
  const keys = new Uint32Array(a.keys.length + b.keys.length)
  const counts = new Float64Array(keys.length)
  let i = 0
  let j = 0
  let n = 0
  while (i < a.keys.length || j < b.keys.length) {
    const x = i < a.keys.length ? a.keys[i]! : Number.POSITIVE_INFINITY
    const y = j < b.keys.length ? b.keys[j]! : Number.POSITIVE_INFINITY
    keys[n] = Math.min(x, y)
    if (x === y) counts[n] = combine(a.counts[i++]!, b.counts[j++]!)
    else counts[n] = x < y ? a.counts[i++]! : b.counts[j++]!
    n++
  }
  return { keys: keys.subarray(0, n), counts: counts.subarray(0, n) }
}

function add(a: Occurrences, b: Occurrences): Occurrences {
  return unite(a, b, (x, y) => x + y)
}

/** Combines neighbours again and again, so that each item is copied log(n) times and not n times. */
function balanced(
  lists: Occurrences[],
  combine: (a: Occurrences, b: Occurrences) => Occurrences,
): Occurrences {
  let round = lists
  while (round.length > 1) {
    const next: Occurrences[] = []
    for (let i = 0; i < round.length; i += 2)
      next.push(i + 1 < round.length ? combine(round[i]!, round[i + 1]!) : round[i]!)
    round = next
  }
  return round[0]!
}

function occurrencesOf(view: SegmentView, member: Member, fields: FieldMask): Occurrences {
  const { segment, base } = view
  const start = segment.termPostings[member.term]!
  const end = segment.termPostings[member.term + 1]!
  const keys = new Uint32Array(end - start)
  const found = new Float64Array(end - start)
  const shift = base << FIELD_BITS
  let n = 0
  for (let i = start; i < end; i++) {
    const key = segment.keys[i]!
    if ((fields & (1 << (key & FIELD_OF_KEY))) === 0 || !counts(view, key >>> FIELD_BITS, member.languages))
      continue
    keys[n] = key + shift
    found[n++] = segment.frequencies[i]! * member.weight
  }
  return { keys: keys.subarray(0, n), counts: found.subarray(0, n) }
}

export function concatenated(pieces: readonly Occurrences[]): Occurrences {
  if (pieces.length <= 1) return pieces[0] ?? NOWHERE
  const length = pieces.reduce((sum, { keys }) => sum + keys.length, 0)
  const keys = new Uint32Array(length)
  const all = new Float64Array(length)
  let at = 0
  for (const piece of pieces) {
    keys.set(piece.keys, at)
    all.set(piece.counts, at)
    at += piece.keys.length
  }
  return { keys, counts: all }
}
