import type { Heading, TextRange } from '../note/note.ts'
import { widen } from './excerpt.ts'
import { findSpans, type Span } from './match_spans.ts'
import type { Matched } from './matched.ts'

/** A note as far as its passages are concerned. */
export interface PassageNote {
  readonly text: string
  /** Where its body begins: what stands before is not shown. */
  readonly bodyStart: number
  readonly headings: readonly Pick<Heading, 'text' | 'range' | 'section' | 'parent'>[]
}

export interface PassageOptions {
  /** Characters shown on each side of what matched. Default 100. */
  readonly contextLength?: number | undefined
  /** At most this many. Default 3. */
  readonly max?: number | undefined
}

export interface Passage {
  readonly text: string
  /** Of the first match; where nothing in the body matched, of the passage. From 1. */
  readonly line: number
  /** The headings that the first match stands under, outermost first. */
  readonly headingPath: readonly string[]
  /** UTF-16 units of the note. */
  readonly range: TextRange
  /** UTF-16 units of `text`; they do not overlap. */
  readonly highlights: readonly TextRange[]
}

/**
 * The best places of a note, best first: where most of what was asked for stands together. Where the words are in
 * title, tags or properties alone, the note's beginning. A note without any text has none.
 */
export function passages(note: PassageNote, matched: Matched, options: PassageOptions = {}): Passage[] {
  const { contextLength = DEFAULT_CONTEXT, max = MOST_PASSAGES } = options
  const spans = findSpans(note, matched)
  const windows = bestWindows(spans, contextLength * 2, max)
  if (windows.length === 0) return max > 0 ? beginning(note, contextLength) : []
  const taken: TextRange[] = []
  for (const window of windows) {
    const range = widen(note.text, { start: note.bodyStart, end: note.text.length }, window, contextLength)
    if (!taken.some((other) => range.start < other.end && other.start < range.end)) taken.push(range)
  }
  return taken.map((range) => passageOf(note, range, spans))
}

const DEFAULT_CONTEXT = 100
const MOST_PASSAGES = 3
/** A further passage is worth its room when it has this share of the best one's weight. */
const WORTH_SHOWING = 0.5
/** A word that the window has already. */
const REPEATED = 0.1

function beginning(note: PassageNote, contextLength: number): Passage[] {
  const start = note.bodyStart + (/^[\s\ufeff]*/.exec(note.text.slice(note.bodyStart))?.[0].length ?? 0)
  if (start >= note.text.length) return []
  const body = { start, end: note.text.length }
  const range = widen(
    note.text,
    body,
    { start, end: Math.min(start + contextLength, body.end) },
    contextLength,
  )
  return [passageOf(note, range, [])]
}

function passageOf(note: PassageNote, range: TextRange, spans: readonly Span[]): Passage {
  const inside = merged(spans.filter(({ start, end }) => start >= range.start && end <= range.end))
  const at = inside[0]?.start ?? range.start
  return {
    text: note.text.slice(range.start, range.end),
    line: lineAt(note.text, at),
    headingPath: headingPathAt(note, at),
    range,
    highlights: inside.map(({ start, end }) => ({ start: start - range.start, end: end - range.start })),
  }
}

/** Up to `max` windows of at most `width` units (or one span) that do not overlap, by the weight of what is in them. */
function bestWindows(spans: readonly Span[], width: number, max: number): TextRange[] {
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

function merged(spans: readonly TextRange[]): TextRange[] {
  const out: { start: number; end: number }[] = []
  for (const { start, end } of spans) {
    const last = out.at(-1)
    if (last !== undefined && start < last.end) last.end = Math.max(last.end, end)
    else out.push({ start, end })
  }
  return out
}

function lineAt(text: string, at: number): number {
  let line = 1
  for (let i = text.indexOf('\n'); i >= 0 && i < at; i = text.indexOf('\n', i + 1)) line++
  return line
}

function headingPathAt({ headings }: PassageNote, at: number): string[] {
  const path: string[] = []
  let current = headings.findLastIndex(({ section }) => section.start <= at && at < section.end)
  while (current >= 0) {
    path.unshift(headings[current]!.text)
    current = headings[current]!.parent
  }
  return path
}
