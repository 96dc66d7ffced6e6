import { distance } from 'fastest-levenshtein'

/**
 * The candidates that a mistyped word most likely meant, nearest first.
 * @param most at most this many (default 5)
 * @returns candidates that contain the word or lie within a third of its length (at least 2 edits), case ignored
 */
export function nearest(word: string, candidates: Iterable<string>, most = 5): string[] {
  const wanted = word.toLowerCase()
  const allowed = Math.max(2, Math.floor(wanted.length / 3))
  const scored: { candidate: string; cost: number }[] = []
  for (const candidate of candidates) {
    const cost = costOf(wanted, candidate.toLowerCase(), allowed)
    if (cost <= allowed) scored.push({ candidate, cost })
  }
  scored.sort((a, b) => a.cost - b.cost || (a.candidate < b.candidate ? -1 : 1))
  return scored.slice(0, most).map((s) => s.candidate)
}

function costOf(wanted: string, candidate: string, allowed: number): number {
  if (candidate === wanted) return 0
  if (wanted.length >= 3 && candidate.includes(wanted)) return 1
  if (Math.abs(candidate.length - wanted.length) > allowed) return Number.POSITIVE_INFINITY
  return distance(wanted, candidate)
}

/** ` Did you mean "a" or "b"?`, or nothing where there is no candidate. */
export function didYouMean(near: readonly string[]): string {
  if (near.length === 0) return ''
  const quoted = near.map((n) => `"${n}"`)
  const last = quoted.pop()
  return ` Did you mean ${quoted.length > 0 ? `${quoted.join(', ')} or ` : ''}${last}?`
}
