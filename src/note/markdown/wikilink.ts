import type { InlineContext, MarkdownConfig } from '@lezer/markdown'

/**
 * `[[target#fragment|display]]` and its embed `![[…]]`: only `]]` closes it, a line end kills it, and of nested
 * ones the innermost counts.
 */
export const WikiLink: MarkdownConfig = {
  defineNodes: ['WikiLink', 'WikiEmbed'],
  parseInline: [
    {
      name: 'WikiLink',
      before: 'Link',
      parse(cx, next, pos) {
        if (next === 0x5b) return link(cx, 'WikiLink', pos, pos)
        if (next === 0x21 && cx.char(pos + 1) === 0x5b) return link(cx, 'WikiEmbed', pos, pos + 1)
        return -1
      },
    },
  ],
}

function link(cx: InlineContext, name: string, from: number, brackets: number): number {
  if (cx.char(brackets + 1) !== 0x5b) return -1
  const end = closing(cx, brackets + 2)
  return end < 0 ? -1 : cx.addElement(cx.elt(name, from, end))
}

/** Offset after the `]]`, or -1 where another `[[` or the line's end comes first, or nothing stands between. */
function closing(cx: InlineContext, start: number): number {
  if (cx.char(start) === 0x5b) return -1
  for (let at = start; at < cx.end; at++) {
    const unit = cx.char(at)
    if (unit === 0x0a || unit === 0x0d) return -1
    if (unit === 0x5b && cx.char(at + 1) === 0x5b) return -1
    if (unit === 0x5d && cx.char(at + 1) === 0x5d) return at > start ? at + 2 : -1
  }
  return -1
}
