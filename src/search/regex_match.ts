import type { RE2JS } from 're2js'
import { namesReturn } from '../note/unix_lines.ts'

/** One place where a pattern matches. */
export interface RegexMatch {
  /** From 1. */
  readonly line: number
  /** UTF-16 offsets in the note's text, a byte-order mark counted; half open. */
  readonly start: number
  readonly end: number
  /** Offsets in the file's bytes, or null where the bytes are no UTF-8 (they cannot be counted back). */
  readonly startByte: number | null
  readonly endByte: number | null
  /** What matched, cut after {@link MAX_TEXT} characters. */
  readonly text: string
  /** The match with up to `contextLength` characters on each side. */
  readonly context: string
}

export interface MatchOptions {
  /** Characters on each side. */
  readonly contextLength: number
  /** At most this many matches of one note. */
  readonly maxMatches: number
}

export interface NoteMatches {
  readonly matches: readonly RegexMatch[]
  /** The note has more matches than were asked for. */
  readonly more: boolean
}

/** Longest `text` of a match, in UTF-16 units: a pattern may match a whole book. */
export const MAX_TEXT = 2000

/**
 * The first matches in one file, frontmatter included; null where there is none. A byte-order mark is no part of the
 * first line.
 */
export function matchFile(regex: RE2JS, bytes: Uint8Array, options: MatchOptions): NoteMatches | null {
  const raw = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  const bom = raw.startsWith('\u{feff}') ? 1 : 0
  const own = bom === 0 ? raw : raw.slice(1)
  // `$` of RE2 stands before LF alone; whoever searches for a line's end means the line, not its CR.
  const unify = own.includes('\r\n') && regex.pattern().includes('$') && !namesReturn(regex.pattern())
  const text = unify ? own.replaceAll('\r\n', '\n') : own
  // The engine's boolean search is many times as fast as its matcher.
  if (!regex.test(text)) return null
  const found = findAll(regex, text, options.maxMatches)
  if (found.spans.length === 0) return null
  const place = locator(raw, { bom, unified: unify, countable: Buffer.byteLength(raw) === bytes.length })
  const matches = found.spans.map((span) => describe(raw, place(span), options.contextLength))
  return { matches, more: found.more }
}

interface Span {
  readonly start: number
  readonly end: number
}

interface Place extends Span {
  readonly line: number
  readonly startByte: number | null
  readonly endByte: number | null
}

function findAll(regex: RE2JS, text: string, most: number): { spans: Span[]; more: boolean } {
  const matcher = regex.matcher(text)
  const spans: Span[] = []
  while (matcher.find()) {
    if (spans.length === most) return { spans, more: true }
    spans.push({ start: matcher.start(), end: matcher.end() })
  }
  return { spans, more: false }
}

/** Turns spans of the text that was matched into places of the file; called with spans in their order. */
function locator(
  raw: string,
  { bom, unified, countable }: { bom: number; unified: boolean; countable: boolean },
): (span: Span) => Place {
  let [at, line, byte, behind] = [bom, 1, bom === 1 ? 3 : 0, bom]
  /** Moves on to an offset of the matched text; `behind` is how far the file's own offset is ahead of it. */
  const moveTo = (target: number) => {
    const from = at
    while (at < target + behind) {
      const c = raw.charCodeAt(at)
      if (c === 10) line++
      if (unified && c === 13 && raw.charCodeAt(at + 1) === 10) behind++
      at++
    }
    if (countable) byte += Buffer.byteLength(raw.slice(from, at))
    return { offset: at, line, byte: countable ? byte : null }
  }
  return ({ start, end }) => {
    const first = moveTo(start)
    const saved = { at, line, byte, behind }
    const last = moveTo(end)
    // An empty match may follow at this very place, and its line is counted from the start.
    if (end === start) ({ at, line, byte, behind } = saved)
    return {
      line: first.line,
      start: first.offset,
      end: last.offset,
      startByte: first.byte,
      endByte: last.byte,
    }
  }
}

function describe(raw: string, place: Place, contextLength: number): RegexMatch {
  const { start, end } = place
  const shown = wholeEnd(raw, Math.min(end, start + MAX_TEXT))
  const from = wholeStart(raw, Math.max(0, start - contextLength))
  const to = shown < end ? shown : wholeEnd(raw, Math.min(raw.length, end + contextLength))
  return { ...place, text: raw.slice(start, shown), context: raw.slice(from, to) }
}

/** Never between the halves of a surrogate pair. */
function wholeStart(text: string, at: number): number {
  return isLow(text, at) ? at + 1 : at
}

function wholeEnd(text: string, at: number): number {
  return isLow(text, at) ? at - 1 : at
}

function isLow(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800
}
