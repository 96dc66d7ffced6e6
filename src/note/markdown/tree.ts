import { type NodeSet, Tree, type TreeBuffer } from '@lezer/common'

/** A piece of syntax; offsets count from the start of the text that was parsed. */
export interface SyntaxNode {
  readonly name: string
  readonly from: number
  readonly to: number
  readonly children: readonly SyntaxNode[]
}

const NONE: readonly SyntaxNode[] = []

/** The library's tree as plain nodes: walking its cursors costs more than parsing did. */
export function plainTree(tree: Tree, from = 0): SyntaxNode {
  const children: SyntaxNode[] = []
  collect(tree, from, children)
  return {
    name: tree.type.name,
    from,
    to: from + tree.length,
    children: children.length > 0 ? children : NONE,
  }
}

/** Children of a tree; its anonymous nodes only balance it, so that their children are its own. */
function collect(tree: Tree, from: number, into: SyntaxNode[]): void {
  const { children, positions } = tree
  for (let i = 0; i < children.length; i++) {
    const child = children[i]!
    const at = from + positions[i]!
    if (!(child instanceof Tree)) collectBuffer(child, 0, child.buffer.length, at, into)
    else if (child.type.isAnonymous) collect(child, at, into)
    else into.push(plainTree(child, at))
  }
}

/** Small nodes lie in an array: type, start, end, and the index after the node's descendants. */
function collectBuffer(
  { buffer, set }: TreeBuffer,
  first: number,
  end: number,
  from: number,
  into: SyntaxNode[],
): void {
  for (let i = first; i < end; i = buffer[i + 3]!) {
    const next = buffer[i + 3]!
    const children: SyntaxNode[] = []
    if (next > i + 4) collectBuffer({ buffer, set } as TreeBuffer, i + 4, next, from, children)
    into.push({
      name: nameOf(set, buffer[i]!),
      from: from + buffer[i + 1]!,
      to: from + buffer[i + 2]!,
      children: children.length > 0 ? children : NONE,
    })
  }
}

function nameOf(set: NodeSet, type: number): string {
  return set.types[type]?.name ?? ''
}
