import type { Heading, TextRange } from '../note/note.ts'
import { widen } from './excerpt.ts'
import { findPropertySpans, findSpans } from './match_spans.ts'
import type { Matched } from './matched.ts'
import { bestWindows, type Span } from './windows.ts'

/** A note as far as its passages are concerned. */
export interface PassageNote {
  readonly text: string
  /** Where its body begins: what stands before is shown where the body has nothing. */
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
 * properties alone, their lines; where they are in the title alone, the note's beginning. A note without any text has
 * none.
 */
export function passages(note: PassageNote, matched: Matched, options: PassageOptions = {}): Passage[] {
  const { contextLength = DEFAULT_CONTEXT, max = MOST_PASSAGES } = options
  const spans = findSpans(note, matched, { width: contextLength * 2, max })
  const windows = bestWindows(spans, { width: contextLength * 2, max })
  if (windows.length === 0) return max > 0 ? elsewhere(note, matched, contextLength) : []
  const taken: TextRange[] = []
  for (const window of windows) {
    const range = widen(note.text, { start: note.bodyStart, end: note.text.length }, window, contextLength)
    if (!taken.some((other) => range.start < other.end && other.start < range.end)) taken.push(range)
  }
  return taken.map((range) => passageOf(note, range, spans))
}

const DEFAULT_CONTEXT = 100
const MOST_PASSAGES = 3

function elsewhere(note: PassageNote, matched: Matched, contextLength: number): Passage[] {
  const block = betweenFences(note)
  const spans = block === null ? [] : findPropertySpans(note.text, block, matched)
  const [window] = bestWindows(spans, { width: contextLength * 2, max: 1 })
  if (block === null || window === undefined) return beginning(note, contextLength)
  return [passageOf(note, widen(note.text, block, window, contextLength), spans)]
}

function betweenFences({ text, bodyStart }: PassageNote): TextRange | null {
  const block = text.slice(0, bodyStart).trimEnd()
  const start = block.indexOf('\n') + 1
  const end = block.lastIndexOf('\n')
  return end >= start && start > 0 ? { start, end } : null
}

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
