import { factsOf, indexDocumentOf } from './facts.ts'
import type { IndexDocument, NoteFacts } from './note.ts'
import { parseNote } from './parse.ts'
import type { VaultPath } from './path.ts'

/**
 * All that indexing needs of a note, from one parse. There is no second grammar for it: the parser itself reads
 * inline syntax only in blocks that can hold any (about 30 MB/s).
 */
export function fastFacts(path: VaultPath, text: string): { facts: NoteFacts; document: IndexDocument } {
  const parsed = parseNote(text)
  return { facts: factsOf(path, text, parsed), document: indexDocumentOf(path, text, parsed) }
}
