import { surfaceForm } from './normal.ts'
import { LONGEST_TERM, type TokenTarget } from './token.ts'

/** UTF-16 units handed to the segmenter at once: bounds its memory on a text without a single blank. */
const SLICE = 2000

/**
 * Emits the words of a run of Thai, Lao, Khmer or Burmese, as the dictionaries of Unicode's segmenter cut them.
 * @returns the next free position
 */
export function emitUnspaced(
  text: string,
  from: number,
  to: number,
  position: number,
  target: TokenTarget,
): number {
  let at = position
  for (let slice = from; slice < to; slice += SLICE) {
    const run = text.slice(slice, Math.min(slice + SLICE, to))
    for (const { segment, index } of segmenterFor(run.charCodeAt(0)).segment(run)) {
      const term = surfaceForm(segment)
      const start = slice + index
      if (term.length > 0 && segment.length <= LONGEST_TERM)
        target.term(term, start, start + segment.length, at)
      at++
    }
  }
  return at
}

const segmenters = new Map<string, Intl.Segmenter>()

function segmenterFor(code: number): Intl.Segmenter {
  const locale = code < 0x0e80 ? 'th' : code < 0x0f00 ? 'lo' : code < 0x1780 ? 'my' : 'km'
  let segmenter = segmenters.get(locale)
  if (segmenter === undefined) {
    segmenter = new Intl.Segmenter(locale, { granularity: 'word' })
    segmenters.set(locale, segmenter)
  }
  return segmenter
}
