import type { MarkdownConfig } from '@lezer/markdown'

const delimiter = { resolve: 'Highlight', mark: 'HighlightMark' }

/** `==marked==`. */
export const Highlight: MarkdownConfig = {
  defineNodes: ['Highlight', 'HighlightMark'],
  parseInline: [
    {
      name: 'Highlight',
      after: 'Emphasis',
      parse(cx, next, pos) {
        if (next !== 0x3d || cx.char(pos + 1) !== 0x3d || cx.char(pos + 2) === 0x3d) return -1
        const before = cx.slice(pos - 1, pos)
        const after = cx.slice(pos + 2, pos + 3)
        return cx.addDelimiter(delimiter, pos, pos + 2, !/^\s?$/.test(after), !/^\s?$/.test(before))
      },
    },
  ],
}
