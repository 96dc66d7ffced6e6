import { type LiveSegment, liveSize } from './live_segment.ts'

/**
 * Which segments to put together next, or none.
 *
 * Every change of a note makes a segment of its own, so segments have to be merged all the time. They are sorted into
 * tiers by size, each tier {@link FAN} times as large as the one below; {@link FAN} segments of one tier become one of
 * the next. So a posting is copied once a tier at most (six tiers hold 100,000 notes), and there are never many more
 * than `FAN` segments a tier. A segment that has lost half of its notes is written anew, alone.
 */
export function chooseMerge(segments: readonly LiveSegment[]): LiveSegment[] | undefined {
  const tiers = new Map<number, LiveSegment[]>()
  for (const candidate of segments) {
    if (candidate.merging) continue
    const { docCount } = candidate.segment
    if (docCount > 1 && candidate.live * 2 < docCount) return [candidate]
    const tier = tierOf(candidate)
    const peers = tiers.get(tier) ?? []
    peers.push(candidate)
    if (peers.length === FAN && tier < HIGHEST_TIER) return peers
    tiers.set(tier, peers)
  }
  return undefined
}

/**
 * What is worth merging when there is time: everything that is small beside the largest segment, so that a search
 * looks into few dictionaries.
 */
export function chooseTidying(segments: readonly LiveSegment[]): LiveSegment[] | undefined {
  const free = segments.filter((candidate) => !candidate.merging)
  const sizes = free.map(liveSize)
  const largest = Math.max(...sizes)
  const small = free.filter((_, i) => sizes[i]! * FAN < largest)
  return small.length > 1 ? small : undefined
}

/**
 * Units of merging (postings, terms, members) that a change does along with each unit of its own: one for each of six
 * tiers, and some to spare, so that merges never fall behind.
 */
export const UNITS_PER_CHANGE = 8

const FAN = 8
const LOWEST = 4096
/** Segments of over 8^7 times 4,096 units would pass what one buffer holds. */
const HIGHEST_TIER = 5

function tierOf(candidate: LiveSegment): number {
  return Math.max(0, Math.ceil(Math.log(liveSize(candidate) / LOWEST) / Math.log(FAN)))
}
