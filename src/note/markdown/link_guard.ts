import type { InlineContext, MarkdownConfig } from '@lezer/markdown'

/** CommonMark lets parsers give up on an address with more unclosed parentheses. */
const MAX_OPEN = 32

/**
 * Takes a `]` for text in two places. Where its address would nest parentheses too deep: the library would read to
 * the end of the paragraph for each of them (24 s for a megabyte of `[a](`). And in `[a][b](c)`: the library takes
 * `[a][b]` for a reference without looking whether there is a definition, and loses the link.
 */
export const LinkGuard: MarkdownConfig = {
  parseInline: [
    {
      name: 'LinkGuard',
      before: 'LinkEnd',
      parse(cx, next, pos) {
        if (next !== 0x5d) return -1
        const after = cx.char(pos + 1)
        const isText =
          (after === 0x28 && nestsTooDeep(cx, pos + 2)) || (after === 0x5b && linkFollows(cx, pos + 2))
        return isText ? pos + 1 : -1
      },
    },
  ],
}

/** Does a text without brackets follow, and then an address? Labels are never longer than 999 characters. */
function linkFollows(cx: InlineContext, from: number): boolean {
  for (let at = from; at < cx.end && at < from + 1000; at++) {
    const unit = cx.char(at)
    if (unit === 0x5b) return false
    if (unit === 0x5d) return cx.char(at + 1) === 0x28
    if (unit === 0x5c) at++
  }
  return false
}

function nestsTooDeep(cx: InlineContext, from: number): boolean {
  let open = 0
  for (let at = from; at < cx.end; at++) {
    const unit = cx.char(at)
    if (unit === 0x28 && ++open > MAX_OPEN) return true
    if (unit === 0x29 && --open < 0) return false
    if (unit <= 0x20) return false
    if (unit === 0x5c) at++
  }
  return false
}
