import { lowerCase } from '../text/lower_case.ts'
import { linesOf } from './line_index.ts'
import { blockTree } from './markdown/grammar.ts'
import type { SyntaxNode } from './markdown/tree.ts'
import type { TextRange } from './note.ts'
import { parseNote } from './parse.ts'

/** A place where a text names something without linking to it. */
export interface Mention {
  /** The name that was looked for, in the caller's spelling. */
  readonly name: string
  readonly line: number
  /** UTF-16 units of the text. */
  readonly range: TextRange
}

/**
 * Names that stand in a note as whole words, in any case, outside links, code and properties, in the order of the
 * text. Where one name holds another, the longer is the mention.
 */
export function mentionsIn(text: string, names: readonly string[], most: number): Mention[] {
  const prose = lowered(withoutLinksAndCode(text))
  const lines = linesOf(text)
  const taken: Mention[] = []
  const starts = new Set<number>()
  for (const name of [...names].sort((a, b) => b.length - a.length)) {
    for (const range of wholeWords(prose, name)) {
      if (
        starts.has(range.start) ||
        taken.some((m) => m.range.start <= range.start && range.end <= m.range.end)
      )
        continue
      starts.add(range.start)
      taken.push({ name, line: lines.at(range.start), range })
      if (taken.length >= most) break
    }
  }
  return taken.sort((a, b) => a.range.start - b.range.start).slice(0, most)
}

/** In lower case unit by unit: some letters grow in lower case (`İ`), and offsets would no longer be those of the text. */
function lowered(text: string): string {
  const units = new Uint16Array(text.length)
  for (let i = 0; i < text.length; i++) units[i] = lowerCase(text.charCodeAt(i))
  return new TextDecoder('utf-16le', { ignoreBOM: true }).decode(units)
}

/** The text with links, code and properties blanked out, so that offsets stay. */
function withoutLinksAndCode(text: string): string {
  const { frontmatter, links } = parseNote(text)
  const { bodyStart } = frontmatter
  const blanks: TextRange[] = [{ start: 0, end: bodyStart }]
  for (const { range, property } of links) if (property === null) blanks.push(range)
  codeBlocks(blockTree(text.slice(bodyStart).replaceAll('\r\n', ' \n')), bodyStart, blanks)
  for (const { index, 0: code } of text.matchAll(/`[^`\n]+`/g))
    blanks.push({ start: index, end: index + code.length })
  return blanked(text, blanks)
}

function codeBlocks(node: SyntaxNode, offset: number, into: TextRange[]): void {
  if (node.name === 'FencedCode' || node.name === 'CodeBlock')
    into.push({ start: offset + node.from, end: offset + node.to })
  else for (const child of node.children) codeBlocks(child, offset, into)
}

function blanked(text: string, ranges: readonly TextRange[]): string {
  const parts: string[] = []
  let at = 0
  for (const { start, end } of [...ranges].sort((a, b) => a.start - b.start)) {
    if (end <= at) continue
    const from = Math.max(start, at)
    parts.push(text.slice(at, from), ' '.repeat(end - from))
    at = end
  }
  return parts.join('') + text.slice(at)
}

function* wholeWords(prose: string, name: string): Generator<TextRange> {
  const free = UNSPACED.test(name)
  for (const spelling of new Set([name.normalize('NFC'), name.normalize('NFD')])) {
    const needle = lowered(spelling)
    for (let at = prose.indexOf(needle); at >= 0; at = prose.indexOf(needle, at + needle.length)) {
      const end = at + needle.length
      if (free || !(joins(prose, at) || joins(prose, end))) yield { start: at, end }
    }
  }
}

/** Does a word run across the offset? */
function joins(text: string, at: number): boolean {
  if (at === 0 || at >= text.length) return false
  const before = text.charCodeAt(at - 1)
  const isSecondHalf = before >= 0xdc00 && before < 0xe000
  return (
    IN_WORD.test(text.slice(at - (isSecondHalf ? 2 : 1), at)) &&
    IN_WORD.test(String.fromCodePoint(text.codePointAt(at) ?? 0))
  )
}

const IN_WORD = /^[\p{L}\p{N}\p{M}_]$/u

/** Chinese, Japanese, Thai and their like put no blanks between words. */
const UNSPACED =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々]+$/u
