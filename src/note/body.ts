import type { TreeCursor } from '@lezer/common'
import { type BlockPiece, blockIdAtEnd, kindOfBlock } from './block_ids.ts'
import { inlineFieldsOf } from './inline_fields.ts'
import type { Lines } from './line_index.ts'
import { linkOf } from './links.ts'
import { type InlineNode, parseBlocks, parseInline } from './markdown/grammar.ts'
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
  const reader = new BodyReader(body, offset, lines)
  reader.read()
  return reader
}

/** Does a paragraph hold anything that only inline syntax decides: a link, a tag, a field? */
const NEEDS_INLINE = /\[\[|\]\(|#[^\s#]|::/

class BodyReader implements BodyReading {
  readonly headings: HeadingMark[] = []
  readonly links: Link[] = []
  readonly tags: TagUse[] = []
  readonly blocks: Block[] = []
  readonly tasks: TaskMark[] = []
  readonly inlineFields: InlineField[] = []
  private readonly body: string
  private readonly offset: number
  private readonly lines: Lines

  constructor(body: string, offset: number, lines: Lines) {
    this.body = body
    this.offset = offset
    this.lines = lines
  }

  read(): void {
    const cursor = parseBlocks(this.body).cursor()
    this.children(cursor, { container: null, quoted: false, top: true })
  }

  /** Visits the blocks of one container in order; leaves the cursor where it was. */
  private children(cursor: TreeCursor, within: Within): void {
    if (!cursor.firstChild()) return
    let previous: BlockPiece | null = null
    let first = true
    do {
      const { name, from, to } = cursor
      if (name === 'QuoteMark') continue
      if (name === 'ListMark') {
        this.task(cursor)
        continue
      }
      const piece: BlockPiece = { name, from, to }
      const id = this.block(cursor, within, first, previous)
      // An id on a line of its own is a mark of the block before it, not a block.
      if (id !== 'mark') previous = piece
      first = false
    } while (cursor.nextSibling())
    cursor.parent()
  }

  /** @returns 'mark' where the block is but the id of the one before it */
  private block(
    cursor: TreeCursor,
    within: Within,
    first: boolean,
    previous: BlockPiece | null,
  ): 'mark' | undefined {
    const { name, from, to } = cursor
    switch (name) {
      case 'Paragraph':
        this.inline(this.contentOf(cursor, within.quoted), from)
        return this.paragraphId({ name, from, to }, within, first, previous)
      case 'Table':
        this.table(cursor)
        return undefined
      case 'BlockComment':
        this.linksOnly(from, to)
        return undefined
      case 'HTMLBlock':
        if (!/^<(?:script|pre|style|textarea|!)/i.test(this.body.slice(from, from + 10))) {
          this.inline(this.contentOf(cursor, within.quoted), from)
        }
        return undefined
      case 'LinkReference':
        this.definition(cursor)
        return undefined
      case 'Blockquote':
      case 'ListItem':
        this.children(cursor, {
          container: { name, from, to },
          quoted: within.quoted || name === 'Blockquote',
          top: false,
        })
        return undefined
      case 'BulletList':
      case 'OrderedList':
        this.children(cursor, { container: null, quoted: within.quoted, top: false })
        return undefined
      default:
        if (name.includes('Heading')) this.heading(cursor, within)
        return undefined
    }
  }

  private heading(cursor: TreeCursor, { top, quoted }: Within): void {
    const { name, from, to } = cursor
    const setext = name.startsWith('Setext')
    const level = Number(name.at(-1))
    const marks: TextRange[] = []
    if (cursor.firstChild()) {
      do if (cursor.name === 'HeaderMark') marks.push({ start: cursor.from, end: cursor.to })
      while (cursor.nextSibling())
      cursor.parent()
    }
    const start = setext ? from : marks[0]!.end
    const end = setext ? marks[0]!.start : (marks[1]?.start ?? to)
    const content = this.contentOf(cursor, quoted).slice(start - from, end - from)
    this.inline(content, start)
    if (!top) return
    const range = { start: this.lineStart(from), end: this.offset + trimEnd(this.body, to) }
    this.headings.push({ level, setext, raw: content.trim(), range })
    const id = blockIdAtEnd(this.body, start, end)
    if (id !== null) this.addBlock(id.id, 'heading', { from, to }, id)
  }

  private paragraphId(
    piece: BlockPiece,
    { container }: Within,
    first: boolean,
    previous: BlockPiece | null,
  ): 'mark' | undefined {
    const { from, to } = piece
    const id = blockIdAtEnd(this.body, from, to)
    if (id === null) return undefined
    const whole =
      container !== null && (container.name === 'ListItem' ? first : trimEnd(this.body, container.to) <= to)
    if (id.from === from && !(first && whole)) {
      if (previous === null) return undefined
      const inItem = container?.name === 'ListItem' && previous.name === 'Paragraph' && previous.from < from
      const owner = inItem && this.isFirstOf(container, previous) ? container : previous
      this.addBlock(
        id.id,
        kindOfBlock(owner, this.body),
        { from: owner.from, to: Math.max(to, owner.to) },
        id,
      )
      return 'mark'
    }
    const owner = whole ? container : piece
    this.addBlock(id.id, kindOfBlock(owner, this.body), owner, id)
    return undefined
  }

  /** Does only the item's marker stand before the piece? */
  private isFirstOf(item: BlockPiece, piece: BlockPiece): boolean {
    return /^\s*(?:[-+*]|\d{1,9}[.)])\s*$/.test(this.body.slice(item.from, piece.from))
  }

  private addBlock(
    id: string,
    kind: Block['kind'],
    { from, to }: { from: number; to: number },
    mark: { from: number; to: number },
  ): void {
    this.blocks.push({
      id,
      line: this.lines.at(this.offset + mark.from),
      range: { start: this.blankStart(from), end: this.offset + Math.max(trimEnd(this.body, to), mark.to) },
      idRange: { start: this.offset + mark.from, end: this.offset + mark.to },
      kind,
    })
  }

  private table(cursor: TreeCursor): void {
    const { from, to } = cursor
    if (!cursor.firstChild()) return
    do {
      if (cursor.name !== 'TableDelimiter') this.row(cursor, { from, to })
    } while (cursor.nextSibling())
    cursor.parent()
  }

  /** A line under the table that is but an id counts as its last row in the library's eyes. */
  private row(cursor: TreeCursor, table: { from: number; to: number }): void {
    const { from, to } = cursor
    const own = /^\^([A-Za-z0-9-]+)\s*$/.exec(this.body.slice(from, to))?.[1]
    if (own !== undefined) this.addBlock(own, 'table', table, { from, to: from + 1 + own.length })
    else if (cursor.firstChild()) {
      do if (cursor.name === 'TableCell') this.inline(this.body.slice(cursor.from, cursor.to), cursor.from)
      while (cursor.nextSibling())
      cursor.parent()
    }
  }

  private definition(cursor: TreeCursor): void {
    const children: InlineNode[] = []
    const { name, from, to } = cursor
    if (cursor.firstChild()) {
      do children.push({ name: cursor.name, from: cursor.from, to: cursor.to, children: [] })
      while (cursor.nextSibling())
      cursor.parent()
    }
    this.link({ name, from, to: trimEnd(this.body, to), children })
  }

  private task(mark: TreeCursor): void {
    const { to } = mark
    const next = mark.node.nextSibling
    if (next !== null && next.name !== 'Paragraph') return
    const task = taskAt(this.body, to, this.offset)
    if (task === null) return
    this.tasks.push({ ...task, line: this.lines.at(task.statusAt), heading: this.headings.length - 1 })
  }

  /** The text of a leaf with the marks of the quotes around it blanked, so that offsets stay. */
  private contentOf(cursor: TreeCursor, quoted: boolean): string {
    const { from, to } = cursor
    const content = this.body.slice(from, to)
    if (!quoted || !cursor.firstChild()) return content
    const parts: string[] = []
    let at = from
    do {
      if (cursor.name !== 'QuoteMark') continue
      parts.push(this.body.slice(at, cursor.from), ' ')
      at = cursor.to
    } while (cursor.nextSibling())
    cursor.parent()
    return parts.join('') + this.body.slice(at, to)
  }

  private inline(content: string, from: number): void {
    if (!NEEDS_INLINE.test(content)) return
    const nodes = parseInline(content, from)
    for (const node of nodes) this.visit(node)
    if (content.includes('::')) this.inlineFields.push(...inlineFieldsOf(content, from, nodes, this.lineOf))
  }

  private visit(node: InlineNode): void {
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
    if (!NEEDS_INLINE.test(content)) return
    const text = content.replaceAll('%%', '  ')
    const visit = (node: InlineNode): void => {
      this.link(node)
      node.children.forEach(visit)
    }
    parseInline(text, from).forEach(visit)
  }

  private link(node: InlineNode): void {
    if (!LINKS.has(node.name)) return
    const place = { text: this.body, offset: this.offset, line: this.lineOf(node.from), property: null }
    const link = linkOf(node, place)
    if (link !== null) this.links.push(link)
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
  readonly container: BlockPiece | null
  readonly quoted: boolean
  readonly top: boolean
}

function trimEnd(text: string, end: number): number {
  let at = end
  while (at > 0 && text.charCodeAt(at - 1) <= 0x20) at--
  return at
}
