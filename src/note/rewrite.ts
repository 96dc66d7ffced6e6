import { VaultError } from '../errors.ts'
import { scanFrontmatter } from './frontmatter.ts'
import { requireSoundFrontmatter } from './guard.ts'
import { eolOf, withEol } from './lines.ts'
import { readable } from './properties.ts'

export interface Rewritten {
  readonly text: string
  /** What the caller should tell. */
  readonly notes: readonly string[]
}

/**
 * The text of a note after all of it, or its body, was written anew. A byte-order mark and CR LF of the note stay where
 * the new text, as agents write it, has none.
 * @param scope `whole`; `body`: the property block keeps its bytes
 * @throws VaultError `bad_frontmatter` (properties that cannot be read, or whose end nobody knows), `bad_argument` (a
 * body that brings other properties)
 */
export function rewriteNote(before: string, content: string, scope: 'whole' | 'body'): Rewritten {
  if (scope === 'whole') {
    requireSoundFrontmatter(content)
    return { text: inFormOf(before, content), notes: lossNotes(before, content) }
  }
  const block = scanFrontmatter(before)
  // Without its closing line the block has no end from which the body could begin.
  if (block.kind === 'broken' && block.block === null) readable(before)
  if (block.block === null) return { text: inFormOf(before, content), notes: lossNotes(before, content) }
  const properties = before.slice(0, block.bodyStart)
  const { body, notes } = bodyOf(content, properties)
  const eol = eolOf(before)
  const fence = body === '' || properties.endsWith('\n') ? '' : eol
  return {
    text: properties + fence + lineEnds(body, eol),
    notes: [...notes, ...lossNotes(before.slice(block.bodyStart), body)],
  }
}

const MARK = '\ufeff'

/** The new text of a file with the byte-order mark and the CR LF of the old one, where it brings none of its own. */
export function inFormOf(before: string, content: string): string {
  if (content === '') return content
  const mark = before.startsWith(MARK) && !content.startsWith(MARK) ? MARK : ''
  return mark + lineEnds(content, eolOf(before))
}

/** CR LF that the content brings itself is meant. */
function lineEnds(content: string, eol: '\n' | '\r\n'): string {
  return eol === '\r\n' && !content.includes('\r\n') ? withEol(content, eol) : content
}

/** The content without properties that repeat the note's own; others would stand below them as text. */
function bodyOf(content: string, properties: string): { body: string; notes: string[] } {
  const plain = content.startsWith(MARK) ? content.slice(1) : content
  const { block, bodyStart } = scanFrontmatter(plain)
  if (block === null) return { body: plain, notes: [] }
  if (comparable(plain.slice(0, bodyStart)) !== comparable(properties)) {
    throw new VaultError(
      'bad_argument',
      'The content begins with properties, and scope body keeps the old ones.',
      {
        hint: 'Leave the block out of content, send scope: whole, or change the properties with frontmatter.',
      },
    )
  }
  return {
    body: plain.slice(bodyStart),
    notes: ['The content repeated the properties of the note; they were left out.'],
  }
}

function comparable(block: string): string {
  return withEol(block.replace(MARK, ''), '\n').trimEnd()
}

/** UTF-16 units from which a note counts as long. */
const LONG = 2000

/** An agent that meant to add a paragraph may have replaced the note by it. */
function lossNotes(before: string, after: string): string[] {
  if (before.length < LONG || after.length > before.length / 3) return []
  const percent = Math.round((1 - after.length / before.length) * 100)
  return [
    `The new text is ${percent}% shorter than the old one. If you meant to add to the note, undo with history and use note_insert or note_patch.`,
  ]
}
