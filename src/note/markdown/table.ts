import { type BlockContext, type LeafBlock, type Line, type MarkdownConfig, Table } from '@lezer/markdown'

const [table] = Table.parseBlock!

/** The library's tables, whose delimiter row may also end in blanks (as the lines of a CR LF note do here). */
export const PatientTable: MarkdownConfig = {
  ...Table,
  parseBlock: [
    {
      ...table!,
      leaf(cx, leaf) {
        const parser = table!.leaf!(cx, leaf)
        if (parser === null) return null
        const { nextLine } = parser
        // Changed on the object itself: the library tells its own parsers by their class.
        return Object.assign(parser, {
          nextLine(context: BlockContext, line: Line, block: LeafBlock) {
            return nextLine.call(parser, context, delimiters(line), block)
          },
        })
      },
      endLeaf(cx, line, leaf) {
        const peeking: BlockContext = Object.create(cx, {
          peekLine: { value: () => cx.peekLine().trimEnd() },
        })
        return table!.endLeaf!(peeking, line, leaf)
      },
    },
  ],
}

/** The same line without the blanks behind a row of dashes. */
function delimiters(line: Line): Line {
  if (!/^[\s|:-]*[ \t]$/.test(line.text.slice(line.pos))) return line
  return Object.create(line, { text: { value: line.text.trimEnd() } })
}
