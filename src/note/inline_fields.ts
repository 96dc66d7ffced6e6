import type { SyntaxNode } from './markdown/tree.ts'
import type { InlineField } from './note.ts'

const LINE =
  /^[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)?(?:\[[^\]]\][ \t]+)?([*_]{0,3})([\p{L}\p{N}_][\p{L}\p{N}\p{M}_ /-]*)(?:\1::|::\1)(?=\s|$)[ \t]*(.*)$/u
const BRACKET =
  /(?<![[(])(?:\[([^[\]():]+)::[ \t]+([^[\]]*(?:\[\[[^[\]]*\]\][^[\]]*)*)\]|\(([^[\]():]+)::[ \t]+([^()]*)\))/g

/**
 * `key:: value` at the beginning of a line, `[key:: value]` and `(key:: value)` anywhere, code, math and comments
 * excepted. A blank must follow the colons: `std::vector` is no field.
 * @param content text of one paragraph or cell that begins at `from`; `nodes` are its inline nodes
 */
export function inlineFieldsOf(
  content: string,
  from: number,
  nodes: readonly SyntaxNode[],
  lineOf: (at: number) => number,
): InlineField[] {
  const text = blanked(content, from, nodes)
  const fields: InlineField[] = []
  let at = 0
  for (const line of text.split('\n')) {
    if (line.includes('::')) {
      const whole = LINE.exec(line)
      const number = lineOf(from + at)
      const add = (key: string, value: string) =>
        fields.push({ key: key.trim(), value: value.trim(), line: number })
      if (whole !== null) add(whole[2]!, whole[3]!)
      else for (const part of line.matchAll(BRACKET)) add(part[1] ?? part[3]!, part[2] ?? part[4]!)
    }
    at += line.length + 1
  }
  return fields
}

const OPAQUE = new Set([
  'InlineCode',
  'InlineMath',
  'InlineComment',
  'Comment',
  'HTMLTag',
  'ProcessingInstruction',
])

/** The content with everything that is not to be read as `\0`, in its length. */
function blanked(content: string, from: number, nodes: readonly SyntaxNode[]): string {
  let text = content
  for (const node of nodes) {
    if (!OPAQUE.has(node.name)) continue
    const hidden = content.slice(node.from - from, node.to - from).replace(/[^\n]/g, '\0')
    text = text.slice(0, node.from - from) + hidden + text.slice(node.to - from)
  }
  return text
}
