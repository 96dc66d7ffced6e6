import type { HeadingMark } from './body.ts'
import { renderHeading } from './heading_text.ts'
import type { Lines } from './line_index.ts'
import type { Heading } from './note.ts'

/** Headings with their sections, parents and ordinals; linear (a heading closes those below its level). */
export function headingsOf(text: string, marks: readonly HeadingMark[], lines: Lines): Heading[] {
  const sectionEnds = new Array<number>(marks.length).fill(text.length)
  const parents: number[] = []
  const open: number[] = []
  marks.forEach((mark, i) => {
    while (open.length > 0 && marks[open.at(-1)!]!.level >= mark.level)
      sectionEnds[open.pop()!] = mark.range.start
    parents.push(open.at(-1) ?? -1)
    open.push(i)
  })
  const seen = new Map<string, number>()
  const paths: string[] = []
  return marks.map((mark, i) => {
    const shown = renderHeading(mark.raw)
    const parent = parents[i]!
    const path = `${parent < 0 ? '' : paths[parent]}\0${headingText(shown)}`
    const occurrence = (seen.get(path) ?? 0) + 1
    seen.set(path, occurrence)
    paths.push(path)
    const line = lines.at(mark.range.start)
    const { level, raw, setext, range } = mark
    const section = { start: range.start, end: sectionEnds[i]! }
    const under = Math.min(text.length, lines.start(lines.at(range.end) + 1))
    const bodyStart = under > range.end ? under : text.length
    const body = { start: bodyStart, end: Math.max(bodyStart, marks[i + 1]?.range.start ?? text.length) }
    return { level, text: shown, raw, line, setext, range, section, body, parent, occurrence }
  })
}

/**
 * The form in which heading texts are compared: NFC, blanks of every kind collapsed, case folded without a locale
 * (a dotless i stays one).
 */
export function headingText(text: string): string {
  return text.normalize('NFC').replace(/\s+/g, ' ').trim().toLowerCase()
}
