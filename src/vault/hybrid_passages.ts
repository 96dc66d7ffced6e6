import type { TextRange } from '../note/note.ts'
import type { VaultPath } from '../note/path.ts'
import type { Passage } from '../search/passages.ts'
import type { TextHit } from '../search/search.ts'
import type { VectorHit } from '../vector/store.ts'
import { previewOf } from './evidence.ts'
import { passagesOf } from './search_notes.ts'
import type { Vault } from './vault.ts'

export interface RankedNote {
  readonly path: VaultPath
  readonly score: number
  readonly words: TextHit | undefined
  /** Of the best keyword score, 0 to 1. */
  readonly wordShare: number
  readonly chunks: readonly VectorHit[]
}

export interface HybridPassage {
  readonly path: VaultPath
  /** The innermost heading above it. */
  readonly heading: string | null
  readonly text: string
  readonly line: number
  /** 0 to 100: the better of cosine and keyword score, never the fused value. */
  readonly match: number
  readonly score: number
  readonly lexical: number | null
  readonly semantic: number | null
  /** The hit that links here, for passages of linked notes. */
  readonly linked?: VaultPath | undefined
}

/** UTF-16 units of a passage. */
const PASSAGE_UNITS = 1200

/** The best places of a note: where its meaning was found, and in there where the words stand; else where they stand. */
export async function notePassages(vault: Vault, note: RankedNote, most: number): Promise<HybridPassage[]> {
  const read = await vault.read(note.path).catch(() => null)
  if (read === null) return []
  const places =
    note.words === undefined
      ? []
      : await passagesOf(vault, note.words, { contextLength: PASSAGE_UNITS / 4, max: Math.max(3, most) })
  const current = note.chunks.filter(({ revision }) => revision === read.revision)
  const shown = current.map((hit) => ({ cosine: hit.cosine, ...chunkPassage(read.text, hit, places) }))
  const found =
    shown.length > 0
      ? shown
      : places.map(({ text, line, headingPath }) => ({
          cosine: note.chunks[0]?.cosine ?? null,
          heading: headingPath.at(-1) ?? null,
          text,
          line,
        }))
  return found.slice(0, most).map(({ cosine, ...passage }) => ({
    path: note.path,
    ...passage,
    match: Math.round(100 * Math.min(1, Math.max(0, cosine ?? 0, note.wordShare))),
    score: note.score,
    lexical: note.words?.score ?? null,
    semantic: cosine,
  }))
}

type Shown = Pick<HybridPassage, 'heading' | 'text' | 'line'>

function chunkPassage(text: string, { chunk }: VectorHit, places: readonly Passage[]): Shown {
  const { range, headingPath } = chunk
  const place = places.find((p) => firstMatch(p, range) !== null)
  const matched = place === undefined ? null : firstMatch(place, range)
  const shown = previewOf(text, place === undefined ? range : around(text, place.range, range), PASSAGE_UNITS)
  return {
    heading: headingPath.at(-1) ?? place?.headingPath.at(-1) ?? null,
    text: shown.text,
    line: lineOf(text, matched ?? shown.range.start),
  }
}

/** Where the first word that matched stands in a part of the note, or null where none does. */
function firstMatch({ range, highlights }: Passage, { start, end }: TextRange): number | null {
  const at = highlights.map((h) => range.start + h.start).find((place) => start <= place && place < end)
  return at ?? null
}

/** What is shown of a long chunk: from a line a little before the words, as far as it goes. */
function around(text: string, place: TextRange, { start, end }: TextRange): TextRange {
  if (end - start <= PASSAGE_UNITS || place.end <= start + PASSAGE_UNITS) return { start, end }
  const from = Math.min(Math.max(start, place.start), end - PASSAGE_UNITS)
  const line = text.lastIndexOf('\n', from) + 1
  return { start: line > start && from - line < PASSAGE_UNITS / 4 ? line : from, end }
}

/** What a note begins with, where neither side points at a place in it. */
export async function beginningOf(vault: Vault, path: VaultPath): Promise<HybridPassage> {
  const { text, parsed } = await vault.readParsed(path)
  const blank = /^\s*/.exec(text.slice(parsed.frontmatter.bodyStart))?.[0].length ?? 0
  const start = parsed.frontmatter.bodyStart + blank
  const shown = previewOf(text, { start, end: text.length }, PASSAGE_UNITS)
  const none = { match: 0, score: 0, lexical: null, semantic: null }
  return { path, heading: null, text: shown.text, line: lineOf(text, start), ...none }
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length
}
