import { canvasFacts } from '../note/canvas.ts'
import { decodeNote } from '../note/encoding.ts'
import { fastFacts } from '../note/fast.ts'
import { NO_FACTS } from '../note/no_facts.ts'
import type { IndexDocument, NoteFacts } from '../note/note.ts'
import { stemOf, type VaultPath } from '../note/path.ts'
import { revisionOf } from '../note/revision.ts'

/** Larger files stay listed and readable in pages; only their name is indexed. */
export const MAX_INDEXED_BYTES = 16 * 1024 * 1024

/** One file as the catalogue keeps it. */
export interface Ingested {
  readonly path: VaultPath
  /** Lower-case SHA-256 of the raw bytes. */
  readonly revision: string
  /** Bytes. */
  readonly size: number
  readonly mtimeMs: number
  readonly facts: NoteFacts
}

/** Reads what one note (or canvas) says, for the catalogue and for the full-text index. Never throws. */
export function ingestNote(
  path: VaultPath,
  bytes: Uint8Array,
  mtimeMs: number,
): { ingested: Ingested; document: IndexDocument } {
  const revision = revisionOf(bytes)
  const { facts, document } = readFacts(path, bytes)
  return { ingested: { path, revision, size: bytes.length, mtimeMs, facts }, document }
}

function readFacts(path: VaultPath, bytes: Uint8Array): { facts: NoteFacts; document: IndexDocument } {
  if (bytes.length > MAX_INDEXED_BYTES) {
    return nameOnly(
      path,
      'too_large',
      `It is larger than ${MAX_INDEXED_BYTES} bytes: only its name is searchable.`,
    )
  }
  const { text, valid } = decodeNote(bytes)
  const read = path.toLowerCase().endsWith('.canvas') ? canvasFacts(path, text) : fastFacts(path, text)
  if (valid) return read
  const problem = {
    code: 'bad_encoding',
    message: 'The file is not UTF-8; unreadable bytes are shown as U+FFFD.',
    line: 1,
  }
  return { ...read, facts: { ...read.facts, problems: [problem, ...read.facts.problems] } }
}

/** A file too large to be read for search: known by name, size and time. */
export function oversizedNote({ path, size, mtimeMs }: { path: VaultPath; size: number; mtimeMs: number }) {
  const message = `It is larger than ${MAX_INDEXED_BYTES} bytes: only its name is searchable.`
  const { facts, document } = nameOnly(path, 'too_large', message)
  return { ingested: { path, revision: '', size, mtimeMs, facts } satisfies Ingested, document }
}

/** What is known of a note whose text could not be read. */
export function nameOnly(
  path: VaultPath,
  code: string,
  message: string,
): { facts: NoteFacts; document: IndexDocument } {
  const title = stemOf(path)
  return {
    facts: { ...NO_FACTS, title, problems: [{ code, message, line: 1 }] },
    document: {
      path,
      title,
      aliases: [],
      headings: [],
      tags: [],
      frontmatter: '',
      body: '',
      bodyStart: 0,
      language: undefined,
    },
  }
}
