import type { TreeCursor } from '@lezer/common'
import { lineStarts, lineStop, withEol } from './lines.ts'
import { parseBlocks } from './markdown/grammar.ts'
import type { TextRange } from './note.ts'

/**
 * What each line of a body is, from the outermost block inwards: `Blockquote*>Paragraph*`. A `*` marks the first line of a
 * block (lists have none: their items do); a blank line between blocks is `''`. Two texts whose lines have the same
 * shapes are read alike.
 */
export function lineShapes(body: string): string[] {
  const unix = withEol(body, '\n')
  const lines = new LineFinder(unix)
  const shapes: string[] = new Array(lines.count).fill('')
  addShapes(parseBlocks(unix).cursor(), lines, shapes)
  return shapes
}

/** The lines of the outermost blocks of a body, in order: from the first one's start to the last one's line end, offsets in it. */
export function topBlocks(body: string): TextRange[] {
  const blocks: TextRange[] = []
  const unix = withEol(body, '\n')
  const lines = new LineFinder(unix)
  const starts = unix === body ? lines.starts : lineStarts(body)
  const cursor = parseBlocks(unix).cursor()
  if (cursor.firstChild()) {
    do {
      const last = lines.at(Math.max(cursor.from, lines.trimmed(cursor.to) - 1))
      blocks.push({ start: starts[lines.at(cursor.from)]!, end: lineStop(body, starts[last]!) })
    } while (cursor.nextSibling())
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

class LineFinder {
  readonly count: number
  readonly starts: readonly number[]
  private readonly body: string

  constructor(body: string) {
    this.body = body
    this.starts = lineStarts(body)
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
