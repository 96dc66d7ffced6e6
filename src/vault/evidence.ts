import { VaultError } from '../errors.ts'
import { type ByteMap, byteMap } from '../note/encoding.ts'
import type { TextRange } from '../note/note.ts'
import type { TextHit } from '../search/search.ts'
import type { VectorHit } from '../vector/store.ts'
import type { StoredChunk } from '../vector/vector_index.ts'
import type { ByteRange } from './pages.ts'
import { passagesOf } from './search_notes.ts'
import type { ReadNote, Vault } from './vault.ts'

/** Where in a note the meaning was found; ranges are raw bytes of `source_revision`. */
export interface Evidence {
  readonly scope: 'note' | 'passage'
  readonly range: ByteRange
  readonly heading_path: readonly string[]
  readonly section_range: ByteRange | null
  readonly cosine_similarity: number
}

export interface Shown {
  readonly source_revision: string
  readonly source_status: 'current' | 'changed' | 'unavailable'
  readonly source_bytes?: number
  readonly context_error?: string
  readonly evidence?: Evidence
  readonly preview?: { readonly text: string; readonly range: ByteRange; readonly complete_evidence: boolean }
  readonly snippet?: string
  readonly content?: string
}

/** Characters of a preview. */
const MAX_PREVIEW = 300

/** What is shown of a hit: read from the file once; offsets of an older text are never applied to a newer one. */
export async function showHit(vault: Vault, hit: VectorHit, includeContent: boolean): Promise<Shown> {
  let note: ReadNote
  try {
    note = await vault.read(hit.path)
  } catch (error) {
    if (!(error instanceof VaultError)) throw error
    return { source_revision: hit.revision, source_status: 'unavailable', context_error: error.message }
  }
  if (note.revision !== hit.revision) {
    return {
      source_revision: hit.revision,
      source_status: 'changed',
      context_error: 'The note changed since it was embedded; it is being embedded again.',
    }
  }
  const map = byteMap(note.bytes)
  const common = {
    source_revision: note.revision,
    source_status: 'current' as const,
    source_bytes: note.bytes.length,
    evidence: evidenceOf(hit.chunk, hit.cosine, map),
  }
  if (includeContent) return { ...common, content: note.text }
  const { text, range } = previewOf(note.text, hit.chunk.range)
  const complete = range.end >= hit.chunk.range.end
  return {
    ...common,
    snippet: text,
    preview: { text, range: bytesOf(range, map), complete_evidence: complete },
  }
}

/** The same for a note that only its words have found: a place, and no evidence of meaning. */
export async function showWords(
  vault: Vault,
  hit: TextHit,
  includeContent: boolean,
): Promise<Partial<Shown>> {
  const [note, [passage]] = await Promise.all([
    vault.read(hit.path).catch(() => null),
    passagesOf(vault, hit, { contextLength: MAX_PREVIEW / 2, max: 1 }),
  ])
  if (note === null) return { source_status: 'unavailable', context_error: 'The note cannot be read.' }
  const common = {
    source_revision: note.revision,
    source_status: 'current' as const,
    source_bytes: note.bytes.length,
  }
  if (includeContent) return { ...common, content: note.text }
  return { ...common, snippet: passage?.text.slice(0, MAX_PREVIEW) ?? '' }
}

function evidenceOf(chunk: StoredChunk, cosine: number, map: ByteMap): Evidence {
  return {
    scope: chunk.scope,
    range: bytesOf(chunk.range, map),
    heading_path: chunk.headingPath,
    section_range: chunk.section === null ? null : bytesOf(chunk.section, map),
    cosine_similarity: cosine,
  }
}

function bytesOf({ start, end }: TextRange, map: ByteMap): ByteRange {
  return { start_byte: map.byteAt(start), end_byte: map.byteAt(end) }
}

/** The beginning of a range, cut at a blank where one is near, never inside a character. */
export function previewOf(
  text: string,
  range: TextRange,
  most = MAX_PREVIEW,
): { text: string; range: TextRange } {
  let end = Math.min(range.end, range.start + most)
  if (end < range.end) {
    const blank = text.lastIndexOf(' ', end)
    if (blank > range.start + most / 2) end = blank
    const unit = text.charCodeAt(end - 1)
    if (unit >= 0xd800 && unit < 0xdc00) end--
  }
  return { text: text.slice(range.start, end), range: { start: range.start, end } }
}
