import type { InlineContext, MarkdownConfig } from '@lezer/markdown'
import { delimitedBlock } from './delimited.ts'

/** `$$` at the beginning of a line and not closed in it: math up to the next line that holds `$$`. */
export const BlockMath: MarkdownConfig = delimitedBlock('BlockMath', '$$', 'FencedCode')

/** `$$…$$` and `$…$` within a paragraph; a single dollar needs text on its inner side and no digit after it. */
export const InlineMath: MarkdownConfig = {
  defineNodes: ['InlineMath'],
  parseInline: [
    {
      name: 'InlineMath',
      before: 'Link',
      parse(cx, next, pos) {
        if (next !== 0x24) return -1
        const end = cx.char(pos + 1) === 0x24 ? doubleEnd(cx, pos) : singleEnd(cx, pos)
        return end < 0 ? -1 : cx.addElement(cx.elt('InlineMath', pos, end))
      },
    },
  ],
}

function doubleEnd(cx: InlineContext, pos: number): number {
  const end = cx.text.indexOf('$$', pos + 2 - cx.offset)
  return end < 0 || end === pos + 2 - cx.offset ? -1 : end + 2 + cx.offset
}

/** The next dollar decides, so that a line full of prices costs one look at each. */
function singleEnd(cx: InlineContext, pos: number): number {
  if (isBlank(cx.char(pos + 1))) return -1
  for (let at = pos + 1; at < cx.end; at++) {
    const unit = cx.char(at)
    if (unit === 0x5c) at++
    else if (unit === 0x24) {
      const after = cx.char(at + 1)
      return at === pos + 1 || isBlank(cx.char(at - 1)) || (after >= 0x30 && after <= 0x39) ? -1 : at + 1
    }
  }
  return -1
}

function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x09 || unit === 0x0a || unit === 0x0d || unit === -1
}
