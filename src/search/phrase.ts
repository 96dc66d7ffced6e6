import { FIELD_BITS, FIELD_OF_KEY, type FieldMask } from '../index/fields.ts'
import { decodePositions } from '../index/positions.ts'
import type { IndexView, SegmentView } from '../index/text_index.ts'
import type { Pattern } from './leaf.ts'
import { concatenated, counts, type Member, type Occurrences } from './postings.ts'

/** Where the elements of a pattern stand together, checked by positions. */
export function gatherPhrase(view: IndexView, pattern: Pattern, fields: FieldMask): Occurrences {
  const pieces: Occurrences[] = []
  for (const [s, segment] of view.segments.entries()) {
    const members = pattern.elements.map((element) => element[s]!)
    if (members.every((list) => list.length > 0)) pieces.push(phraseIn(segment, members, pattern, fields))
  }
  return concatenated(pieces)
}

/**
 * How often positions of all elements fall together.
 * @param positions of each element, ascending, already less its offset
 */
export function countTogether(positions: readonly (readonly number[])[], slop: number): number {
  return slop === 0 ? countExact(positions) : countLoose(positions, slop)
}

function phraseIn(
  view: SegmentView,
  elements: readonly (readonly Member[])[],
  { offsets, slop }: Pattern,
  fields: FieldMask,
): Occurrences {
  const { base } = view
  const rarest = elements.reduce((a, b) => (postingsOf(view, b) < postingsOf(view, a) ? b : a))
  const keys: number[] = []
  const found: number[] = []
  for (const key of keysOf(view, rarest, fields)) {
    const doc = key >>> FIELD_BITS
    const positions: number[][] = []
    for (let e = 0; e < elements.length; e++) {
      const here = positionsAt(view, elements[e]!, key, offsets[e]!)
      if (here.length === 0) break
      positions.push(here)
    }
    if (positions.length < elements.length) continue
    const count = countTogether(positions, slop)
    if (count === 0) continue
    keys.push(((doc + base) << FIELD_BITS) | (key & FIELD_OF_KEY))
    found.push(count)
  }
  return { keys: Uint32Array.from(keys), counts: Float64Array.from(found) }
}

function postingsOf({ segment }: SegmentView, members: readonly Member[]): number {
  let sum = 0
  for (const { term } of members) sum += segment.termPostings[term + 1]! - segment.termPostings[term]!
  return sum
}

function keysOf(view: SegmentView, members: readonly Member[], fields: FieldMask): Iterable<number> {
  const { segment } = view
  const keys = new Set<number>()
  for (const { term, languages } of members)
    for (let i = segment.termPostings[term]!; i < segment.termPostings[term + 1]!; i++) {
      const key = segment.keys[i]!
      if (fields & (1 << (key & FIELD_OF_KEY)) && counts(view, key >>> FIELD_BITS, languages)) keys.add(key)
    }
  return members.length === 1 ? keys : Uint32Array.from(keys).sort()
}

function positionsAt(view: SegmentView, members: readonly Member[], key: number, offset: number): number[] {
  const { segment } = view
  const positions: number[] = []
  let sources = 0
  for (const { term, languages } of members) {
    const at = findKey(segment.keys, key, segment.termPostings[term]!, segment.termPostings[term + 1]!)
    if (at < 0 || !counts(view, key >>> FIELD_BITS, languages)) continue
    sources++
    decodePositions(
      segment.positions,
      segment.positionOffsets[at]!,
      segment.positionOffsets[at + 1]!,
      positions,
    )
  }
  if (sources > 1) positions.sort((a, b) => a - b)
  return offset === 0 ? positions : positions.map((position) => position - offset)
}

function findKey(keys: Uint32Array, key: number, start: number, end: number): number {
  let from = start
  let to = end
  while (from < to) {
    const middle = (from + to) >>> 1
    if (keys[middle]! < key) from = middle + 1
    else to = middle
  }
  return from < end && keys[from] === key ? from : -1
}

function countExact([first = [], ...others]: readonly (readonly number[])[]): number {
  const cursors = others.map(() => 0)
  let count = 0
  let last = Number.NEGATIVE_INFINITY
  for (const position of first) {
    if (position === last) continue
    last = position
    let together = true
    for (let e = 0; e < others.length && together; e++) {
      const list = others[e]!
      while (cursors[e]! < list.length && list[cursors[e]!]! < position) cursors[e]!++
      together = list[cursors[e]!] === position
    }
    if (together) count++
  }
  return count
}

/**
 * Moves a window over all lists: its width is what the words are out of place by. Two elements never share a place
 * of the text.
 */
function countLoose(positions: readonly (readonly number[])[], slop: number): number {
  const cursors = positions.map(() => 0)
  let count = 0
  for (;;) {
    let least = 0
    let widest = Number.NEGATIVE_INFINITY
    for (const [e, list] of positions.entries()) {
      const at = list[cursors[e]!]
      if (at === undefined) return count
      if (at < positions[least]![cursors[least]!]!) least = e
      widest = Math.max(widest, at)
    }
    const within = widest - positions[least]![cursors[least]!]! <= slop
    if (within) count++
    cursors[least]!++
  }
}
