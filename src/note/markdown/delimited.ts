import type { BlockContext, Line, MarkdownConfig } from '@lezer/markdown'

/** What the library's own fenced code uses and its declarations leave out. */
interface Inner {
  readonly input: { readonly length: number; read(from: number, to: number): string }
}

/**
 * A leaf block from a line that begins with `mark` (and does not close it) to the next line that holds it; it may
 * interrupt a paragraph. Without a later `mark` there is no block, so that one stray mark never swallows a note.
 */
export function delimitedBlock(name: string, mark: string, before: string): MarkdownConfig {
  const opens = (cx: BlockContext, line: Line) =>
    line.next === mark.charCodeAt(0) &&
    line.indent < line.baseIndent + 4 &&
    line.text.startsWith(mark, line.pos) &&
    !line.text.includes(mark, line.pos + mark.length) &&
    closesLater(cx, line, mark)
  return {
    defineNodes: [{ name, block: true }],
    parseBlock: [
      {
        name,
        before,
        endLeaf: opens,
        parse(cx, line) {
          if (!opens(cx, line)) return false
          const from = cx.lineStart + line.pos
          while (cx.nextLine() && depthOf(line) >= cx.depth) {
            if (!line.text.includes(mark, line.basePos)) continue
            cx.nextLine()
            break
          }
          cx.addElement(cx.elt(name, from, cx.prevLineEnd()))
          return true
        },
      },
    ],
  }
}

/** Marks pair up in order, so each look ahead ends where the next block can begin: linear over the note. */
function closesLater(cx: BlockContext, line: Line, mark: string): boolean {
  const { input } = cx as unknown as Inner
  return input.read(cx.lineStart + line.text.length, input.length).includes(mark)
}

function depthOf(line: Line): number {
  return (line as unknown as { readonly depth: number }).depth
}
