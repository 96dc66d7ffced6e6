import type { IndexDocument } from '../../src/note/note.ts'
import { stemOf } from '../../src/note/path.ts'

/** A note for the index, from what a test cares about. */
export function doc(path: string, body: string, more: Partial<IndexDocument> = {}): IndexDocument {
  const headings = [...body.matchAll(/^#+ +(.*)$/gm)].map((heading) => heading[1]!)
  const empty = { aliases: [], tags: [], frontmatter: '', bodyStart: 0, language: undefined }
  return { ...empty, path, title: stemOf(path), headings, body, ...more }
}
