import type { InlineContext, MarkdownConfig } from '@lezer/markdown'

/** CommonMark lets parsers give up on an address with more unclosed parentheses. */
const MAX_OPEN = 32

/**
 * Takes a `]` for text where its address would nest parentheses too deep: the library would read to the end of the
 * paragraph for each of them (24 s for a megabyte of `[a](`).
 */
export const LinkGuard: MarkdownConfig = {
  parseInline: [
    {
      name: 'LinkGuard',
      before: 'LinkEnd',
      parse: (cx, next, pos) =>
        next === 0x5d && cx.char(pos + 1) === 0x28 && nestsTooDeep(cx, pos + 2) ? pos + 1 : -1,
    },
  ],
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
