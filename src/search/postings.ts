import { FIELD_BITS, FIELD_OF_KEY, type FieldMask } from '../index/fields.ts'
import { FOLD_BIT } from '../index/segment.ts'
import type { IndexView, SegmentView } from '../index/text_index.ts'
import { firstOf } from './first_of.ts'

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
    const here = members[s]!
    if (here.length > MANY) pieces.push(tallied(segment, here, fields))
    else if (here.length > 0)
      pieces.push(summed(here.map((member) => occurrencesOf(segment, member, fields))))
  }
  return concatenated(pieces)
}

/** Does an occurrence of a member in this note count? */
export function counts({ segment, dead }: SegmentView, doc: number, languages: number): boolean {
  if (dead[doc] === 1) return false
  return (languages & FOLD_BIT) !== 0 || (languages & segment.docLanguages[doc]!) !== 0
}

/** Unites two; what is in both counts as often as in the two together, or with `greater` as in the greater one. */
export function unite(a: Occurrences, b: Occurrences, how: 'sum' | 'greater'): Occurrences {
  const n = a.keys.length
  const m = b.keys.length
  if (n === 0) return b
  if (m === 0) return a
  const keys = new Uint32Array(n + m)
  const counts = new Float64Array(n + m)
  let i = 0
  let j = 0
  let to = 0
  while (i < n && j < m) {
    const x = a.keys[i]!
    const y = b.keys[j]!
    if (x < y) {
      keys[to] = x
      counts[to++] = a.counts[i++]!
    } else if (y < x) {
      keys[to] = y
      counts[to++] = b.counts[j++]!
    } else {
      const p = a.counts[i++]!
      const q = b.counts[j++]!
      keys[to] = x
      counts[to++] = how === 'sum' ? p + q : Math.max(p, q)
    }
  }
  const [rest, from] = i < n ? [a, i] : [b, j]
  keys.set(rest.keys.subarray(from), to)
  counts.set(rest.counts.subarray(from), to)
  to += rest.keys.length - from
  return { keys: firstOf(keys, to), counts: firstOf(counts, to) }
}

/** Adds up neighbours again and again, so that each item is copied log(n) times and not n times. */
function summed(lists: Occurrences[]): Occurrences {
  let round = lists
  while (round.length > 1) {
    const next: Occurrences[] = []
    for (let i = 0; i < round.length; i += 2)
      next.push(i + 1 < round.length ? unite(round[i]!, round[i + 1]!, 'sum') : round[i]!)
    round = next
  }
  return round[0]!
}

/** From here on (a prefix of one letter has thousands) a tally with a place for every field of every note is cheaper. */
const MANY = 24

function tallied(view: SegmentView, members: readonly Member[], fields: FieldMask): Occurrences {
  const { segment, base } = view
  const tally = new Float64Array(segment.docCount << FIELD_BITS)
  let most = 0
  for (const { term, weight, languages } of members) {
    const end = segment.termPostings[term + 1]!
    for (let i = segment.termPostings[term]!; i < end; i++) {
      const key = segment.keys[i]!
      if ((fields & (1 << (key & FIELD_OF_KEY))) === 0 || !counts(view, key >>> FIELD_BITS, languages))
        continue
      if (tally[key] === 0) most++
      tally[key]! += segment.frequencies[i]! * weight
    }
  }
  const keys = new Uint32Array(most)
  const found = new Float64Array(most)
  let n = 0
  for (let key = 0; n < most; key++) {
    if (tally[key] === 0) continue
    keys[n] = key + (base << FIELD_BITS)
    found[n++] = tally[key]!
  }
  return { keys, counts: found }
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
  return { keys: firstOf(keys, n), counts: firstOf(found, n) }
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
