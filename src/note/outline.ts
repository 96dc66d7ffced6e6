import type { TreeCursor } from '@lezer/common'
import { parseBlocks } from './markdown/grammar.ts'
import type { TextRange } from './note.ts'

/**
 * What each line of a body is, from the outermost block inwards: `Blockquote*>Paragraph*`. A `*` marks the first line of a
 * block (lists have none: their items do); a blank line between blocks is `''`. Two texts whose lines have the same
 * shapes are read alike.
 */
export function lineShapes(body: string): string[] {
  const lines = new LineFinder(body)
  const shapes: string[] = new Array(lines.count).fill('')
  addShapes(tree(body), lines, shapes)
  return shapes
}

/** The outermost blocks of a body, in order; offsets in it, blanks and line ends after a block left out. */
export function topBlocks(body: string): TextRange[] {
  const blocks: TextRange[] = []
  const cursor = tree(body)
  if (cursor.firstChild()) {
    do blocks.push({ start: cursor.from, end: cursor.to })
    while (cursor.nextSibling())
  }
  return blocks
}

const CONTAINERS = new Set(['Blockquote', 'ListItem', 'BulletList', 'OrderedList'])

function addShapes(cursor: TreeCursor, lines: LineFinder, shapes: string[]): void {
  if (!cursor.firstChild()) return
  do {
    const { name, from, to } = cursor
    if (name.endsWith('Mark')) continue
    const first = lines.at(from)
    const last = lines.at(Math.max(from, lines.trimmed(to) - 1))
    const starred = name.endsWith('List') ? '' : '*'
    for (let line = first; line <= last; line++) {
      const shape = shapes[line]!
      shapes[line] = `${shape === '' ? '' : `${shape}>`}${name}${line === first ? starred : ''}`
    }
    if (CONTAINERS.has(name)) addShapes(cursor, lines, shapes)
  } while (cursor.nextSibling())
  cursor.parent()
}

function tree(body: string): TreeCursor {
  // A line of CR LF is a line that ends in a blank, so that an empty one is empty and offsets stay.
  return parseBlocks(body.includes('\r') ? body.replaceAll('\r\n', ' \n') : body).cursor()
}

class LineFinder {
  readonly count: number
  private readonly starts: number[]
  private readonly body: string

  constructor(body: string) {
    this.body = body
    this.starts = [0]
    for (let at = body.indexOf('\n'); at >= 0; at = body.indexOf('\n', at + 1)) this.starts.push(at + 1)
    this.count = this.starts.length
  }

  /** From 0. */
  at(offset: number): number {
    let low = 0
    let high = this.starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.starts[middle]! <= offset) low = middle
      else high = middle - 1
    }
    return low
  }

  /** Without blanks and line ends before `end`. */
  trimmed(end: number): number {
    let at = end
    while (at > 0 && this.body.charCodeAt(at - 1) <= 0x20) at--
    return at
  }
}
