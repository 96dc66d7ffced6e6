import type { MarkdownConfig } from '@lezer/markdown'

/** ASCII characters at which inline syntax can begin or end; a colon because of addresses. */
const SPECIAL = new Uint8Array(128)
for (const character of '\\&`<[]!#%$:') SPECIAL[character.charCodeAt(0)] = 1

/**
 * Jumps over characters at which nothing can begin, and over bare addresses (`https://a.b/#c` holds no tag).
 * Without it every character passes through every inline parser.
 */
export const SkipPlain: MarkdownConfig = {
  parseInline: [
    {
      name: 'SkipPlain',
      before: 'Escape',
      parse(cx, next, pos) {
        if (next === 0x3a)
          return cx.char(pos + 1) === 0x2f && cx.char(pos + 2) === 0x2f ? addressEnd(cx, pos + 3) : -1
        if (isSpecial(next)) return -1
        let end = pos + 1
        while (end < cx.end && !isSpecial(cx.char(end))) end++
        return end
      },
    },
  ],
}

function isSpecial(unit: number): boolean {
  return unit < 128 && SPECIAL[unit] === 1
}

function addressEnd(cx: { char(pos: number): number; end: number }, from: number): number {
  let end = from
  while (end < cx.end && !endsAddress(cx.char(end))) end++
  return end
}

/** Blanks, `<`, brackets and a backtick. */
function endsAddress(unit: number): boolean {
  return unit <= 0x20 || unit === 0x3c || unit === 0x5b || unit === 0x5d || unit === 0x60 || unit === 0xa0
}
