import type { MarkdownConfig } from '@lezer/markdown'

const EMOJI =
  '\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\p{Regional_Indicator}\\u{fe0f}\\u{200d}\\u{20e3}'
const TAG = new RegExp(`[\\p{L}\\p{M}\\p{N}_/${EMOJI}-]+`, 'uy')
/** What may stand before the `#`: a blank or punctuation, but nothing that an address or an entity would hold. */
const BEFORE = /^[\s\p{P}]$/u
const ADDRESS = '#&/\\@'

/**
 * The tag (without `#`) that stands at `at`, or `''`: letters of every script, digits, `_`, `-`, `/` and emoji, at
 * least one of them no digit; slashes at the end are not part of it.
 */
export function tagAt(text: string, at: number): string {
  TAG.lastIndex = at
  const tag = TAG.exec(text)?.[0].replace(/\/+$/, '') ?? ''
  return /^\p{N}*$/u.test(tag) ? '' : tag
}

/** May a tag's `#` stand after this character (`''` at the beginning)? */
function mayPrecedeTag(before: string): boolean {
  return before === '' || (BEFORE.test(before) && !ADDRESS.includes(before))
}

export const Tag: MarkdownConfig = {
  defineNodes: ['Tag'],
  parseInline: [
    {
      name: 'Tag',
      before: 'Link',
      parse(cx, next, pos) {
        if (next !== 0x23 || (pos > cx.offset && !mayPrecedeTag(cx.slice(pos - 1, pos)))) return -1
        const tag = tagAt(cx.text, pos + 1 - cx.offset)
        return tag === '' ? -1 : cx.addElement(cx.elt('Tag', pos, pos + 1 + tag.length))
      },
    },
  ],
}
