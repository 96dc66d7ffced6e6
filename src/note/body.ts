import { type BlockId, blockIdAtEnd, kindOfBlock } from './block_ids.ts'
import { inlineFieldsOf } from './inline_fields.ts'
import type { Lines } from './line_index.ts'
import { linkOf } from './links.ts'
import { blockTree, needsInline, parseInline } from './markdown/grammar.ts'
import type { SyntaxNode } from './markdown/tree.ts'
import type { Block, InlineField, Link, TagUse, TextRange } from './note.ts'
import { type TaskMark, taskAt } from './tasks.ts'

/** A heading as it stands in the tree, before sections are known. */
export interface HeadingMark {
  readonly level: number
  readonly setext: boolean
  readonly raw: string
  readonly range: TextRange
}

/** What the body of a note holds, in the order of the text. */
export interface BodyReading {
  readonly headings: HeadingMark[]
  readonly links: Link[]
  readonly tags: TagUse[]
  readonly blocks: Block[]
  readonly tasks: TaskMark[]
  readonly inlineFields: InlineField[]
}

/** Reads the body that begins at `offset` of the note `text`. Linear; containers below the hundredth level are text. */
export function readBody(text: string, offset: number, lines: Lines): BodyReading {
  // A line of CR LF is a line that ends in a blank: the library would see text in an empty one.
  const written = offset === 0 ? text : text.slice(offset)
  const body = written.includes('\r') ? written.replaceAll('\r\n', ' \n') : written
  const reader = new BodyReader(text, body, offset, lines)
  reader.read()
  return reader
}

class BodyReader implements BodyReading {
  readonly headings: HeadingMark[] = []
  readonly links: Link[] = []
  readonly tags: TagUse[] = []
  readonly blocks: Block[] = []
  readonly tasks: TaskMark[] = []
  readonly inlineFields: InlineField[] = []
  private readonly note: string
  private readonly body: string
  private readonly offset: number
  private readonly lines: Lines

  constructor(note: string, body: string, offset: number, lines: Lines) {
    this.note = note
    this.body = body
    this.offset = offset
    this.lines = lines
  }

  read(): void {
    this.children(blockTree(this.body), { container: null, quoted: false, top: true })
  }

  /** Visits the blocks of one container in order. */
  private children(parent: SyntaxNode, within: Within): void {
    let previous: SyntaxNode | null = null
    let mark: SyntaxNode | null = null
    for (const node of parent.children) {
      if (node.name === 'QuoteMark') continue
      if (node.name === 'ListMark') {
        mark = node
        continue
      }
      if (mark !== null) this.task(mark, node)
      mark = null
      const first = previous === null
      this.block(node, within)
      // An id on a line of its own is a mark of the block before it, not a block.
      const isMark = node.name === 'Paragraph' && this.paragraphId(node, within, first, previous)
      if (!isMark) previous = node
    }
    if (mark !== null) this.task(mark, null)
  }

  private block(node: SyntaxNode, within: Within): void {
    switch (node.name) {
      case 'Paragraph':
        this.inline(this.contentOf(node, within.quoted), node.from)
        break
      case 'Table':
        for (const row of node.children) if (row.name !== 'TableDelimiter') this.row(row, node)
        break
      case 'BlockComment':
        this.linksOnly(node.from, node.to)
        break
      case 'HTMLBlock':
        // Scripts, styles and literal text are code, declarations nothing.
        if (!/^<(?:script|pre|style|textarea|!)/i.test(this.body.slice(node.from, node.from + 10))) {
          this.inline(this.contentOf(node, within.quoted), node.from)
        }
        break
      case 'LinkReference':
        this.link({ ...node, to: trimEnd(this.body, node.to) })
        break
      case 'Blockquote':
        this.children(node, { container: node, quoted: true, top: false })
        break
      case 'ListItem':
        this.children(node, { container: node, quoted: within.quoted, top: false })
        break
      case 'BulletList':
      case 'OrderedList':
        this.children(node, { container: null, quoted: within.quoted, top: false })
        break
      default:
        if (node.name.includes('Heading')) this.heading(node, within)
    }
  }

  private heading(node: SyntaxNode, { top, quoted }: Within): void {
    const { name, from, to } = node
    const setext = name.startsWith('Setext')
    const marks = node.children.filter((child) => child.name === 'HeaderMark')
    const start = setext ? from : marks[0]!.to
    const end = setext ? marks[0]!.from : (marks[1]?.from ?? to)
    const content = this.contentOf(node, quoted).slice(start - from, end - from)
    this.inline(content, start)
    if (!top) return
    const range = { start: this.lineStart(from), end: this.offset + trimEnd(this.body, to) }
    this.headings.push({ level: Number(name.at(-1)), setext, raw: content.trim(), range })
    const id = blockIdAtEnd(this.body, start, end)
    if (id !== null) this.addBlock(id, 'heading', node)
  }

  /** @returns whether the paragraph is nothing but the id of the block before it */
  private paragraphId(
    node: SyntaxNode,
    { container }: Within,
    first: boolean,
    previous: SyntaxNode | null,
  ): boolean {
    const id = blockIdAtEnd(this.body, node.from, node.to)
    if (id === null) return false
    const whole =
      container !== null &&
      (container.name === 'ListItem' ? first : trimEnd(this.body, container.to) <= node.to)
    const alone = id.from === node.from
    if (!alone || (first && whole)) {
      const owner = whole ? container : node
      this.addBlock(id, kindOfBlock(owner, this.body), owner)
      return false
    }
    if (previous === null) return false
    const owner = this.ownerBefore(previous, container)
    this.addBlock(id, kindOfBlock(owner, this.body), { from: owner.from, to: Math.max(node.to, owner.to) })
    return true
  }

  /** The first paragraph of a list item stands for the whole item. */
  private ownerBefore(previous: SyntaxNode, container: SyntaxNode | null): SyntaxNode {
    if (container?.name !== 'ListItem' || previous.name !== 'Paragraph') return previous
    return container.children.find((child) => child.name !== 'ListMark') === previous ? container : previous
  }

  private addBlock(id: BlockId, kind: Block['kind'], owner: { from: number; to: number }): void {
    this.blocks.push({
      id: id.id,
      line: this.lineOf(id.to - 1),
      range: {
        start: this.blankStart(owner.from),
        end: this.offset + Math.max(trimEnd(this.body, owner.to), id.to),
      },
      idRange: { start: this.offset + id.from, end: this.offset + id.to },
      kind,
    })
  }

  /** A line under the table that is but an id counts as its last row in the library's eyes. */
  private row(row: SyntaxNode, table: SyntaxNode): void {
    const id = /^\^([A-Za-z0-9-]+)\s*$/.exec(this.body.slice(row.from, row.to))?.[1]
    if (id !== undefined) this.addBlock({ id, from: row.from, to: row.from + 1 + id.length }, 'table', table)
    else
      for (const cell of row.children) if (cell.name === 'TableCell') this.inline(this.text(cell), cell.from)
  }

  private task(mark: SyntaxNode, content: SyntaxNode | null): void {
    if (content !== null && content.name !== 'Paragraph') return
    const task = taskAt(this.body, mark.to, this.offset)
    if (task === null) return
    this.tasks.push({ ...task, line: this.lines.at(task.statusAt), heading: this.headings.length - 1 })
  }

  private text({ from, to }: SyntaxNode): string {
    return this.body.slice(from, to)
  }

  /** The text of a leaf with the marks of the quotes around it blanked, so that offsets stay. */
  private contentOf(node: SyntaxNode, quoted: boolean): string {
    if (!quoted) return this.text(node)
    const parts: string[] = []
    let at = node.from
    for (const mark of node.children) {
      if (mark.name !== 'QuoteMark') continue
      parts.push(this.body.slice(at, mark.from), ' ')
      at = mark.to
    }
    return parts.join('') + this.body.slice(at, node.to)
  }

  private inline(content: string, from: number): void {
    if (!needsInline(content)) return
    const nodes = parseInline(content, from)
    for (const node of nodes) this.visit(node)
    if (content.includes('::')) this.inlineFields.push(...inlineFieldsOf(content, from, nodes, this.lineOf))
  }

  private visit(node: SyntaxNode): void {
    if (node.name === 'Tag') {
      const range = { start: this.offset + node.from + 1, end: this.offset + node.to }
      this.tags.push({
        tag: this.body.slice(node.from + 1, node.to),
        line: this.lineOf(node.from),
        range,
        inFrontmatter: false,
      })
    } else if (node.name === 'InlineComment') this.linksOnly(node.from + 2, node.to - 2)
    else {
      this.link(node)
      for (const child of node.children) this.visit(child)
    }
  }

  /** What stands in a `%%` comment: its links count, nothing else. */
  private linksOnly(from: number, to: number): void {
    const content = this.body.slice(from, to)
    if (!needsInline(content)) return
    const text = content.replaceAll('%%', '  ')
    const visit = (node: SyntaxNode): void => {
      this.link(node)
      node.children.forEach(visit)
    }
    parseInline(text, from).forEach(visit)
  }

  private link(node: SyntaxNode): void {
    if (!LINKS.has(node.name)) return
    const place = { text: this.body, offset: this.offset, line: this.lineOf(node.from), property: null }
    const link = linkOf(node, place)
    if (link !== null) this.links.push({ ...link, raw: this.note.slice(link.range.start, link.range.end) })
  }

  private readonly lineOf = (at: number): number => this.lines.at(this.offset + at)

  private lineStart(at: number): number {
    return Math.max(this.offset, this.lines.start(this.lineOf(at)))
  }

  /** The line's start where only blanks stand before `at`, else `at` itself (both in the note). */
  private blankStart(at: number): number {
    const start = this.lineStart(at) - this.offset
    return this.offset + (/^[ \t]*$/.test(this.body.slice(start, at)) ? start : at)
  }
}

const LINKS = new Set(['WikiLink', 'WikiEmbed', 'Link', 'Image', 'LinkReference'])

interface Within {
  /** The quote or item whose direct children are visited. */
  readonly container: SyntaxNode | null
  readonly quoted: boolean
  readonly top: boolean
}

function trimEnd(text: string, end: number): number {
  let at = end
  while (at > 0 && text.charCodeAt(at - 1) <= 0x20) at--
  return at
}
