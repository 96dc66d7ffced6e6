import { factsOf } from '../../src/note/facts.ts'
import type { NoteFacts } from '../../src/note/note.ts'
import { parseNote } from '../../src/note/parse.ts'
import type { VaultPath } from '../../src/note/path.ts'

/** What a note with this text says, with parts of it replaced. */
export function factsIn(path: VaultPath, text: string, more: Partial<NoteFacts> = {}): NoteFacts {
  return { ...factsOf(path, text, parseNote(text)), ...more }
}
