import type { BlockContext, LeafBlock, LeafBlockParser, Line, MarkdownConfig } from '@lezer/markdown'

const LABEL = /^\[(?!\^)(?:[^[\]\\]|\\.){1,999}\]:/s
const DESTINATION = /[ \t]*\n?[ \t]*(<[^<>\n]*>|[^\s<]\S*)/y
const TITLE = /[ \t]*[\n \t][ \t]*("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\((?:[^()\\\n]|\\.)*\))/y
const REST = /[ \t\r]*$/y

/** Destination and title may each stand on a line of their own; a title that runs over lines is not looked for. */
const MAX_LINES = 3

/**
 * `[label]: destination "title"`. In place of the library's own, which takes a footnote (`[^1]: word`) for one and
 * reads the whole paragraph again at every line.
 */
export const ReferenceDefinition: MarkdownConfig = {
  parseBlock: [
    {
      name: 'LinkReference',
      leaf: (_, leaf) => (leaf.content.charCodeAt(0) === 0x5b ? new Definition(leaf.start) : null),
    },
  ],
}

class Definition implements LeafBlockParser {
  private readonly start: number
  private lines = 1

  constructor(start: number) {
    this.start = start
  }

  nextLine(cx: BlockContext, line: Line, leaf: LeafBlock): boolean {
    if (this.lines > MAX_LINES) return false
    const longer = `${leaf.content}\n${line.text.slice(line.basePos)}`
    if (++this.lines <= MAX_LINES && readDefinition(longer) !== null) return false
    return this.finish(cx, leaf)
  }

  finish(cx: BlockContext, leaf: LeafBlock): boolean {
    const found = readDefinition(leaf.content)
    if (found === null) return false
    const at = (offset: number) => this.start + offset
    const label = cx.elt('LinkLabel', at(0), at(found.label))
    const url = cx.elt('URL', at(found.from), at(found.to))
    cx.addLeafElement(leaf, cx.elt('LinkReference', at(0), at(leaf.content.length), [label, url]))
    return true
  }
}

/** Where label and destination of a whole definition stand, or null where the text is none. */
function readDefinition(text: string): { label: number; from: number; to: number } | null {
  const label = LABEL.exec(text)?.[0]
  if (label === undefined) return null
  DESTINATION.lastIndex = label.length
  const destination = DESTINATION.exec(text)
  if (destination === null) return null
  const to = DESTINATION.lastIndex
  TITLE.lastIndex = to
  REST.lastIndex = TITLE.test(text) ? TITLE.lastIndex : to
  if (!REST.test(text)) {
    REST.lastIndex = to
    if (!REST.test(text)) return null
  }
  return { label: label.length - 1, from: to - destination[1]!.length, to }
}
