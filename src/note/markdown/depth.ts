import type { Line, MarkdownConfig } from '@lezer/markdown'

/** Quotes, lists and items around a block; no note written by a person comes near. */
const MAX_DEPTH = 100

/**
 * Takes a line for a paragraph where it would open a container below the deepest level: every line costs a look at
 * each open container, and whoever walks the tree recurses that deep.
 */
export const DepthCap: MarkdownConfig = {
  parseBlock: [
    {
      name: 'DepthCap',
      before: 'Blockquote',
      parse(cx, line) {
        if (cx.depth < MAX_DEPTH || !opensContainer(line)) return false
        const element = cx.elt('Paragraph', cx.lineStart + line.pos, cx.lineStart + line.text.length)
        cx.nextLine()
        cx.addElement(element)
        return true
      },
    },
  ],
}

function opensContainer(line: Line): boolean {
  return /^(?:>|[-+*]|\d{1,9}[.)])/.test(line.text.slice(line.pos, line.pos + 10))
}
