import type { SyntaxNode } from './markdown/tree.ts'
import type { Block } from './note.ts'

/** An id and its place in the body: with the blank before it, or the whole of its own line. */
export interface BlockId {
  /** Without `^`. */
  readonly id: string
  readonly from: number
  readonly to: number
}

/**
 * The id that ends a paragraph or heading: `^` and letters, digits or dashes, a blank or line start before it
 * (`x^2` is none), nothing but blanks after it.
 */
export function blockIdAtEnd(
  text: string,
  from: number,
  to: number,
): { id: string; from: number; to: number } | null {
  let end = to
  while (end > from && text.charCodeAt(end - 1) <= 0x20) end--
  let at = end
  while (at > from && isIdUnit(text.charCodeAt(at - 1))) at--
  if (at === end || at === from || text.charCodeAt(at - 1) !== 0x5e) return null
  const caret = at - 1
  let start = caret
  while (start > from && isBlank(text.charCodeAt(start - 1))) start--
  const line = text.lastIndexOf('\n', caret) + 1
  const ownLine = /^[ \t>]*$/.test(text.slice(Math.max(line, from), caret))
  if (start === caret && !ownLine) return null
  return { id: text.slice(at, end), from: ownLine ? caret : start, to: end }
}

/** @param text the body that the block counts in */
export function kindOfBlock({ name, from, to }: SyntaxNode, text: string): Block['kind'] {
  switch (name) {
    case 'Paragraph':
      return 'paragraph'
    case 'ListItem':
      return 'list_item'
    case 'Table':
      return 'table'
    case 'FencedCode':
    case 'CodeBlock':
      return 'code'
    case 'Blockquote':
      return /^>\s?\[![^\]\n]+\]/.test(text.slice(from, Math.min(to, from + 200))) ? 'callout' : 'quote'
    default:
      return name.includes('Heading') ? 'heading' : 'other'
  }
}

function isIdUnit(unit: number): boolean {
  return (
    (unit >= 0x30 && unit <= 0x39) ||
    (unit >= 0x41 && unit <= 0x5a) ||
    (unit >= 0x61 && unit <= 0x7a) ||
    unit === 0x2d
  )
}

function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x09
}
