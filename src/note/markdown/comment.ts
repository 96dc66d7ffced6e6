import type { MarkdownConfig } from '@lezer/markdown'
import { delimitedBlock } from './delimited.ts'

/** `%%` at the beginning of a line and not closed in it: a comment up to the next line that holds `%%`. */
export const BlockComment: MarkdownConfig = delimitedBlock('BlockComment', '%%', 'FencedCode')

/** `%%…%%` within a paragraph. */
export const InlineComment: MarkdownConfig = {
  defineNodes: ['InlineComment'],
  parseInline: [
    {
      name: 'InlineComment',
      before: 'Link',
      parse(cx, next, pos) {
        if (next !== 0x25 || cx.char(pos + 1) !== 0x25) return -1
        const end = cx.text.indexOf('%%', pos + 2 - cx.offset)
        if (end < 0) return -1
        // What is in it is parsed where it is needed: links in comments count, tags do not.
        return cx.addElement(cx.elt('InlineComment', pos, end + 2 + cx.offset))
      },
    },
  ],
}
