import { scanFrontmatter } from './frontmatter.ts'
import { keepFrontmatterSound } from './guard.ts'
import { joinLines } from './join.ts'
import { eolOf, withEol } from './lines.ts'
import type { TextRange } from './note.ts'
import { readable } from './properties.ts'

export interface InsertOptions {
  /** `beginning` is after the property block. Default `end`. */
  readonly position?: 'end' | 'beginning'
  /**
   * - `auto` (default): on a line of its own, with a blank line where the text would become something else
   * - `newline`: on a line of its own
   * - `blank`: with one blank line between
   * - `none`: as it stands
   */
  readonly separator?: 'auto' | 'newline' | 'blank' | 'none'
}

export interface Insertion {
  readonly text: string
  /** What was put in, separators included. */
  readonly range: TextRange
  /** What the caller should tell. */
  readonly notes: readonly string[]
}

/**
 * Adds text at the end of a note or at the beginning of its body. Never glues it to the closing fence of the
 * properties, and takes the note's line ends.
 * @throws VaultError `bad_frontmatter` (the beginning of a note whose block never closes or is no mapping), `bad_argument`
 */
export function insertText(text: string, content: string, options: InsertOptions = {}): Insertion {
  const { position = 'end', separator = 'auto' } = options
  if (content === '') return { text, range: { start: text.length, end: text.length }, notes: [] }
  const scanned = scanFrontmatter(text)
  // What stands between two fences may be broken: where the body begins is known all the same.
  const block = position === 'beginning' && scanned.block === null ? readable(text) : scanned
  const start = block.bodyStart
  const eol = eolOf(text)
  const body = text.slice(start)
  const fence = start > 1 && !text.slice(0, start).endsWith('\n') ? eol : ''
  const at = position === 'end' ? body.length : 0
  const { insert, swallowed } = place({ body, at, content, eol, separator, ended: text.endsWith('\n') })
  // A rule at the top of the content must not open a property block together with what follows it.
  const shield = opensBlock(text, start, content) ? eol : ''
  const whole = fence + shield + insert
  const result = text.slice(0, start + at) + whole + text.slice(start + at)
  keepFrontmatterSound(text, result)
  return {
    text: result,
    range: { start: start + at, end: start + at + whole.length },
    notes: swallowed ? [SWALLOWED] : [],
  }
}

/** The word to the caller where nothing keeps the text apart. */
export const SWALLOWED =
  'The text has become a part of the block above it (a code block, comment or formula without end, or an indented one).'

function place(request: {
  body: string
  at: number
  content: string
  eol: '\n' | '\r\n'
  ended: boolean
  separator: NonNullable<InsertOptions['separator']>
}): { insert: string; swallowed: boolean } {
  const { body, at, content, eol, ended, separator } = request
  if (separator === 'auto') return joinLines({ body, at, content, eol, ended, joinParagraphs: true })
  const lines = withEol(content, eol)
  if (separator === 'none') return { insert: lines, swallowed: false }
  const before = body.slice(0, at)
  const after = body.slice(at)
  const opened = before === '' || before.endsWith('\n') ? '' : eol
  const closed = lines.endsWith('\n') || (after === '' && !ended) ? '' : eol
  if (separator === 'newline') return { insert: opened + lines + closed, swallowed: false }
  const left = before === '' || /\n[ \t]*\r?\n$/.test(before) || /^[ \t]*\r?\n$/.test(before) ? '' : eol
  const right = after === '' || /^[ \t]*\r?\n/.test(after) ? '' : eol
  return { insert: opened + left + lines + closed + right, swallowed: false }
}

function opensBlock(text: string, start: number, content: string): boolean {
  if (start > 1 || !/^---[ \t]*(?:\r?\n|$)/.test(content)) return false
  if (scanFrontmatter(text).kind !== 'absent') return false
  const alone = scanFrontmatter(content)
  return alone.block === null && scanFrontmatter(content + text.slice(start)).kind !== 'absent'
}
