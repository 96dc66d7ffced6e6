import { indexDocumentOf } from '../note/facts.ts'
import type { Heading, TextRange } from '../note/note.ts'
import { parseNote } from '../note/parse.ts'
import { baseName, folderOf, stemOf, type VaultPath } from '../note/path.ts'
import type { Page } from './page.ts'

/** A piece of a page that can be an answer: what stands under one heading, or a part of that where it is long. */
export interface Fragment {
  /** `Folder/Page.md#0003`: the path and the number of the fragment in its page. */
  readonly id: string
  readonly path: VaultPath
  readonly title: string
  readonly aliases: readonly string[]
  /** The headings above it, outermost first. */
  readonly headings: readonly string[]
  readonly text: string
  /** Keys and values of the page's properties as words, at its first fragment. Found by, never shown or kept. */
  readonly properties?: string
}

/** Version of the rules below: an index that was cut by others is made anew. */
export const FRAGMENT_RULES = 1

/** Headings of this level and above begin a fragment. */
const DEEPEST = 4
/** UTF-16 units: a longer section is cut, at blank lines where there are some. */
const LONGEST = 2000

/** Cuts a page at its headings; a heading inside a code block is none. Nothing but blanks is left out. */
export function cutPage({ path, text }: Page): Fragment[] {
  const parsed = parseNote(text)
  const { aliases, frontmatter: properties } = indexDocumentOf(path, text, parsed)
  const title = titleOf(path, parsed.frontmatter.data, parsed.headings)
  return sectionsOf(text, parsed.frontmatter.bodyStart, parsed.headings)
    .flatMap(({ range, heading }) => {
      const headings = pathOf(parsed.headings, heading)
      return cutLong(text, range).map((piece) => ({ headings, text: text.slice(piece.start, piece.end) }))
    })
    .map((piece, i) => ({
      id: `${path}#${String(i).padStart(4, '0')}`,
      path,
      title,
      aliases,
      ...piece,
      ...(i === 0 && properties !== '' ? { properties } : {}),
    }))
}

/** The property `title`, else the file's name; a file that is the front page of its folder is named by what it says. */
function titleOf(
  path: VaultPath,
  data: Record<string, unknown> | null,
  headings: readonly Heading[],
): string {
  const given = data?.title
  if (typeof given === 'string' && given.trim() !== '') return given.trim()
  const stem = stemOf(path)
  if (!/^(index|readme)$/i.test(stem)) return stem
  const first = headings.find(({ level }) => level === 1)?.text.trim()
  return first || baseName(folderOf(path)) || stem
}

interface Section {
  readonly range: TextRange
  /** Index of its heading, or -1 before the first. */
  readonly heading: number
}

function sectionsOf(text: string, bodyStart: number, headings: readonly Heading[]): Section[] {
  const cuts = headings.flatMap((heading, index) => (heading.level <= DEEPEST ? [{ heading, index }] : []))
  const out: Section[] = []
  const take = (start: number, end: number, heading: number) => {
    const range = trimmed(text, start, end)
    if (range.start < range.end) out.push({ range, heading })
    return range.start < range.end
  }
  take(bodyStart, cuts[0]?.heading.range.start ?? text.length, -1)
  for (const [i, { heading, index }] of cuts.entries()) {
    const next = cuts[i + 1]?.heading
    const isLeaf = next === undefined || next.level <= heading.level
    // A heading that has neither text nor others below it is itself what there is to find.
    if (!take(heading.range.end, next?.range.start ?? text.length, index) && isLeaf)
      take(heading.range.start, heading.range.end, index)
  }
  return out
}

function pathOf(headings: readonly Heading[], heading: number): string[] {
  const out: string[] = []
  for (let i = heading; i >= 0; i = headings[i]?.parent ?? -1) out.push(headings[i]?.text ?? '')
  return out.reverse()
}

/** Parts of about one size, none longer than {@link LONGEST}. */
function cutLong(text: string, range: TextRange): TextRange[] {
  const out: TextRange[] = []
  let { start } = range
  while (range.end - start > LONGEST) {
    const target = Math.ceil((range.end - start) / Math.ceil((range.end - start) / LONGEST))
    const part = trimmed(text, start, start + cutAt(text.slice(start, start + LONGEST), target))
    if (part.start < part.end) out.push(part)
    start = trimmed(text, Math.max(part.end, start + 1), range.end).start
  }
  if (start < range.end) out.push({ start, end: range.end })
  return out
}

/** Where a text is best cut near a place: at a blank line outside of code, else at a line, else between words. */
function cutAt(text: string, target: number): number {
  const candidates = [
    () =>
      outsideCode(
        text,
        [...text.matchAll(/\n[ \t]*\n/g)].map(({ index }) => index),
      ),
    () => [...text.matchAll(/\n/g)].map(({ index }) => index),
    () => [...text.matchAll(/\s/g)].map(({ index }) => index),
  ]
  for (const places of candidates) {
    const near = places().filter((at) => at > target / 2)
    if (near.length > 0)
      return near.reduce((best, at) => (Math.abs(at - target) < Math.abs(best - target) ? at : best))
  }
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last < 0xdc00 ? text.length - 1 : text.length
}

function outsideCode(text: string, places: readonly number[]): number[] {
  const fences = [...text.matchAll(/^[ \t>]*(```|~~~)/gm)].map(({ index }) => index)
  return places.filter((at) => fences.filter((fence) => fence < at).length % 2 === 0)
}

function trimmed(text: string, from: number, to: number): TextRange {
  let start = from
  let end = to
  while (start < end && /\s/.test(text[start] as string)) start++
  while (end > start && /\s/.test(text[end - 1] as string)) end--
  return { start, end }
}
