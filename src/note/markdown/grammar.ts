import type { Tree } from '@lezer/common'
import { type MarkdownParser, parser, Strikethrough } from '@lezer/markdown'
import { BlockComment, InlineComment } from './comment.ts'
import { DepthCap } from './depth.ts'
import { Highlight } from './highlight.ts'
import { LinkGuard } from './link_guard.ts'
import { BlockMath, InlineMath } from './math.ts'
import { ReferenceDefinition } from './reference.ts'
import { SkipPlain } from './skip.ts'
import { PatientTable } from './table.ts'
import { Tag } from './tag.ts'
import { plainTree, type SyntaxNode } from './tree.ts'
import { WikiLink } from './wikilink.ts'

/**
 * The one grammar of notes: CommonMark with tables, strikethrough and the application's own syntax. Blocks and what
 * stands inside them are parsed in two steps, since most paragraphs hold nothing that the structure of a note needs:
 * the block tree alone is six times as fast as the whole.
 */
const shared = [
  LinkGuard,
  BlockComment,
  BlockMath,
  ReferenceDefinition,
  DepthCap,
  InlineComment,
  InlineMath,
  WikiLink,
  Tag,
]

const blocks = withoutInline(parser.configure([PatientTable, ...shared]))

/** No emphasis: it decides nothing about links and tags, and its pairing is quadratic in long paragraphs. */
const inline = parser.configure([...shared, SkipPlain, { remove: ['Emphasis', 'HardBreak'] }])

const headings = parser.configure([Strikethrough, ...shared, Highlight])

/** The blocks of a body; leaves hold quote marks and table cells, but nothing inline. */
export function parseBlocks(body: string): Tree {
  return blocks.parse(body)
}

/** {@link parseBlocks} as plain nodes. */
export function blockTree(body: string): SyntaxNode {
  return plainTree(parseBlocks(body))
}

/** Can a text hold a link, a tag or an inline field? Where it cannot, {@link parseInline} would find none. */
export function needsInline(text: string): boolean {
  return /\[\[|\]\(|#[^\s#]|::/.test(text)
}

/** Links, tags, code, math, comments and HTML of a paragraph's text that begins at `offset`. */
export function parseInline(text: string, offset: number): readonly SyntaxNode[] {
  const nodes: SyntaxNode[] = []
  for (let at = 0; at < text.length; ) {
    const end = pieceEnd(text, at)
    nodes.push(...named(inline, inline.parseInline(text.slice(at, end), offset + at)))
    at = end
  }
  return nodes
}

/** Everything inline in a heading's text, emphasis and highlights included. */
export function parseHeadingText(text: string): readonly SyntaxNode[] {
  return named(headings, headings.parseInline(text, 0))
}

/**
 * Some pairings are quadratic in the length of their paragraph, so one that no person wrote (a megabyte without a
 * blank line) is read in pieces that end at a line end or blank.
 */
const PIECE = 16_384

function pieceEnd(text: string, at: number): number {
  const end = at + PIECE
  if (end >= text.length) return text.length
  const line = text.lastIndexOf('\n', end)
  if (line > at) return line + 1
  const blank = text.lastIndexOf(' ', end)
  return blank > at ? blank + 1 : end
}

function withoutInline(configured: MarkdownParser): MarkdownParser {
  configured.parseInline = () => []
  return configured
}

/** Elements as the library builds them; it keeps `children` out of its declarations. */
interface Element {
  readonly type: number
  readonly from: number
  readonly to: number
  readonly children?: readonly Element[]
}

function named(grammar: MarkdownParser, elements: readonly Element[]): SyntaxNode[] {
  return elements.map((element) => ({
    name: grammar.nodeSet.types[element.type]?.name ?? '',
    from: element.from,
    to: element.to,
    children: named(grammar, element.children ?? []),
  }))
}
