import { VaultError } from '../errors.ts'
import type { ParsedNote, TextRange } from './note.ts'

export type PatchOperation = 'append' | 'prepend' | 'replace' | 'delete' | 'rename'
export type PatchTarget = 'heading' | 'block' | 'frontmatter' | 'lines'

export interface PatchRequest {
  readonly operation: PatchOperation
  readonly targetType: PatchTarget
  /** Heading text or path (`A::B`), block id, property key, or lines from 1 (`12`, `12-15`). */
  readonly target: string
  /** Not for `delete`. Properties take YAML text. */
  readonly content?: string | undefined
  /** `section` (default): a heading's text with its subsections; `body`: up to the first of them. */
  readonly scope?: 'section' | 'body' | undefined
  /** From 1: which of several headings that fit. */
  readonly occurrence?: number | undefined
  /** Line of the heading that is meant. */
  readonly line?: number | undefined
  /** A heading, block or property that is not there is made, at the end of its parent or of the note. */
  readonly createIfMissing?: boolean | undefined
  /** Content may hold headings of the target's level or above. */
  readonly allowHeadings?: boolean | undefined
}

/** A note that is patched. */
export interface PatchContext {
  readonly text: string
  readonly parsed: ParsedNote
  readonly request: PatchRequest
}

/** One change of the text, before it is checked. */
export interface PatchEdit {
  readonly range: TextRange
  readonly insert: string
  /** What was dropped or added, for the caller to tell. */
  readonly notes: readonly string[]
  /** A block outside the change that may become longer by it, and with it those that hold it: an item that gets a child. */
  readonly grows?: TextRange
}

/**
 * The content that an operation needs.
 * @throws VaultError `bad_argument`
 */
export function contentOf({ content, operation }: PatchRequest): string {
  if (content !== undefined) return content
  throw new VaultError('bad_argument', `content is missing: ${operation} needs text.`, {
    hint: 'Send content as text; operation delete needs none.',
  })
}

/** Text without the blank lines and the line end at its end; blanks behind its last words stay. */
export function withoutEndLines(text: string): string {
  let end = text.length
  for (;;) {
    const feed = end === 0 ? -1 : text.lastIndexOf('\n', end - 1)
    if (feed < 0) return text.slice(0, end).trim() === '' ? '' : text.slice(0, end)
    if (text.slice(feed + 1, end).trim() !== '') return text.slice(0, end)
    end = feed > 0 && text[feed - 1] === '\r' ? feed - 1 : feed
  }
}
