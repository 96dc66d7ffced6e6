import { classOf, EMOJI } from './char_class.ts'

/** The end of the emoji that begins at `from`, with skin tone, variation selector, joined emoji, or as a flag of two letters. */
export function emojiEnd(text: string, from: number): number {
  const first = text.codePointAt(from)!
  let at = from + width(first)
  if (isRegional(first)) return isRegional(text.codePointAt(at) ?? 0) ? at + 2 : at
  // Longest standard sequence: four people with tones; a longer chain begins anew.
  const limit = from + 40
  while (at < text.length && at < limit) {
    const point = text.codePointAt(at)!
    if (isModifier(point)) at += width(point)
    else if (point === JOINER && (classOf(text.codePointAt(at + 1) ?? 0) & EMOJI) !== 0) {
      at += 1 + width(text.codePointAt(at + 1)!)
    } else break
  }
  return at
}

const JOINER = 0x200d

function isModifier(point: number): boolean {
  return (
    point === 0xfe0f ||
    point === 0x20e3 ||
    (point >= 0x1f3fb && point <= 0x1f3ff) ||
    (point >= 0xe0020 && point <= 0xe007f)
  )
}

function isRegional(point: number): boolean {
  return point >= 0x1f1e6 && point <= 0x1f1ff
}

function width(point: number): number {
  return point > 0xffff ? 2 : 1
}
