import { lineStart, lineStop, nextLine } from './lines.ts'
import type { Block, ParsedNote } from './note.ts'
import { lineShapes, topBlocks } from './outline.ts'

/** Where a block stands, and what lines beside it or in it have to bear. Offsets count in the note. */
export interface BlockPlace {
  /** The start of its first line. */
  readonly start: number
  /** After its last line's line end, the line of its id included. */
  readonly end: number
  /** What stands before the block on its first line: marks of quotes and items around it, blanks. */
  readonly lead: string
  /** The same for every other line: marks of items are blanks. */
  readonly margin: string
  /** The containers around it, as in line shapes: `Blockquote>`; `''` at the top. */
  readonly inside: string
  /** The list it is an item of, as in line shapes; null for other blocks. */
  readonly list: 'BulletList' | 'OrderedList' | null
  /** A line of the same list stands right before it. */
  readonly hasItemBefore: boolean
}

export function blockPlace(text: string, parsed: ParsedNote, block: Block): BlockPlace {
  const { range, idRange, kind } = block
  const start = Math.max(parsed.frontmatter.bodyStart, lineStart(text, range.start))
  const end = nextLine(text, Math.max(range.end, idRange.end) - 1)
  const shapes = shapesAround(text, parsed.frontmatter.bodyStart, start, end)
  const parts = shapes.first.split('>')
  // An id below a whole list: the list is the block, and its items are within.
  const lists =
    kind === 'other'
      ? parts.findLastIndex((part, i) => part.endsWith('List') && parts[i + 1] === 'ListItem*')
      : -1
  const own = lists >= 0 ? lists : parts.findLastIndex((part) => isOwn(part, kind))
  const outer = parts.slice(0, Math.max(0, own)).map((part) => part.replace('*', ''))
  const list = kind === 'list_item' ? (outer.pop() as BlockPlace['list']) : null
  const inside = outer.map((part) => `${part}>`).join('')
  const before = text.slice(start, range.start)
  // A block at the top may be indented a little; what comes beside it need not be.
  const lead =
    before +
    (before === '' && inside !== ''
      ? (/^[ \t]*/.exec(text.slice(start, lineStop(text, start)))?.[0] ?? '')
      : '')
  return {
    start,
    end,
    lead,
    margin: lead.replace(/[^>\s]/g, ' '),
    inside,
    list,
    hasItemBefore: list !== null && shapes.before.startsWith(`${inside}${list}>`),
  }
}

function isOwn(part: string, kind: Block['kind']): boolean {
  if (!part.endsWith('*')) return false
  switch (kind) {
    case 'list_item':
      return part === 'ListItem*'
    case 'quote':
    case 'callout':
      return part === 'Blockquote*'
    default:
      return part !== 'ListItem*' && part !== 'Blockquote*'
  }
}

/** The shapes of the block's first line and of the last line that holds something before it in the same outermost block. */
function shapesAround(
  text: string,
  bodyStart: number,
  start: number,
  end: number,
): { first: string; before: string } {
  const body = text.slice(bodyStart)
  const at = start - bodyStart
  const holder = topBlocks(body).findLast((top) => lineStart(body, top.start) <= at)
  const from = holder === undefined ? at : Math.min(at, lineStart(body, holder.start))
  const piece = body.slice(from, Math.max(end - bodyStart, holder?.end ?? 0))
  const shapes = lineShapes(piece)
  const line = piece.slice(0, at - from).split('\n').length - 1
  let above = line - 1
  while (above >= 0 && shapes[above]!.endsWith('>ListItem')) above--
  return { first: shapes[line] ?? '', before: above < 0 ? '' : shapes[above]! }
}
