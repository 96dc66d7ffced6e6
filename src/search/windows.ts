import type { TextRange } from '../note/note.ts'

/** A place that matched. */
export interface Span extends TextRange {
  /** Which of the things asked for. */
  readonly pattern: number
  /** What finding it is worth. */
  readonly weight: number
}

export interface WindowOptions {
  /** UTF-16 units that a window spans at most, a single longer span excepted. */
  readonly width: number
  readonly max: number
}

/**
 * Up to `max` windows that do not overlap, the heaviest first: each thing asked for counts once, and a little for each
 * further time. Later ones are left out where they are not worth their room.
 * @param spans ascending
 */
export function bestWindows(spans: readonly Span[], { width, max }: WindowOptions): TextRange[] {
  const windows: TextRange[] = []
  let best = 0
  let left = spans
  while (windows.length < max && left.length > 0) {
    const found = heaviest(left, width)
    if (found.weight < best * WORTH_SHOWING) break
    best ||= found.weight
    windows.push(found.range)
    // Half a width of distance on both sides: what surrounds a window is shown with it.
    const low = found.range.start - width / 2
    const high = found.range.end + width / 2
    left = left.filter(({ start, end }) => end <= low || start >= high)
  }
  return windows
}

/** A further passage is worth its room when it has this share of the best one's weight. */
const WORTH_SHOWING = 0.5
/** A word that the window has already. */
const REPEATED = 0.1

/** Two ends walk along the spans; the earliest of the heaviest windows. */
function heaviest(spans: readonly Span[], width: number): { range: TextRange; weight: number } {
  const counts = new Map<number, number>()
  let first = 0
  let weight = 0
  let best = { range: spans[0] as TextRange, weight: 0 }
  for (const [last, span] of spans.entries()) {
    const count = counts.get(span.pattern) ?? 0
    counts.set(span.pattern, count + 1)
    weight += count === 0 ? span.weight : span.weight * REPEATED
    while (first < last && span.end - spans[first]!.start > width) {
      const gone = spans[first++]!
      const before = counts.get(gone.pattern)!
      counts.set(gone.pattern, before - 1)
      weight -= before === 1 ? gone.weight : gone.weight * REPEATED
    }
    if (weight > best.weight * (1 + 1e-9))
      best = { range: { start: spans[first]!.start, end: Math.max(span.end, spans[first]!.end) }, weight }
  }
  return best
}
