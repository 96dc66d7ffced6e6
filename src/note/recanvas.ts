import type { Node } from 'jsonc-parser'
import { jsonTree } from './json_tree.ts'
import type { Link } from './note.ts'
import { type LinkRewrite, rewriteLinks } from './relink.ts'
import { applySplices, type Splice } from './splice.ts'

export interface CanvasRewrite {
  /** The new path of a file card, or null to leave it. */
  readonly card: (file: string) => string | null
  /** The new heading or block that a file card shows of its file (`H`, `^id`), or null to leave it. */
  readonly fragment?: (file: string, fragment: string) => string | null
  /** As for notes: links in the Markdown of text cards. */
  readonly link?: (link: Link) => LinkRewrite | null
}

/**
 * Rewrites the paths and fragments of file cards and the links of text cards in a canvas; only those JSON strings change, so that
 * indentation, order and unknown keys stay. A text that is no canvas comes back as it is.
 * @returns `count`: cards and links whose bytes changed
 */
export function rewriteCanvas(
  json: string,
  { card, fragment, link }: CanvasRewrite,
): { text: string; count: number } {
  const bom = json.charCodeAt(0) === 0xfeff ? 1 : 0
  if (tooDeep(json)) return { text: json, count: 0 }
  const splices: Splice[] = []
  let count = 0
  const replace = (node: Node, value: string, links: number) => {
    const range = { start: bom + node.offset, end: bom + node.offset + node.length }
    splices.push({ range, text: JSON.stringify(value) })
    count += links
  }
  for (const node of nodesOf(jsonTree().parseTree(json.slice(bom)))) {
    const file = stringAt(node, 'file')
    const text = stringAt(node, 'text')
    const to = file === undefined ? null : card(file.value)
    if (file !== undefined && to !== null && to !== file.value) replace(file, to, 1)
    const subpath = stringAt(node, 'subpath')
    const old = subpath?.value.replace(/^#/, '')
    const now = file === undefined || !old ? null : (fragment?.(file.value, old) ?? null)
    if (subpath !== undefined && now !== null && now !== old) replace(subpath, `#${now}`, 1)
    if (text === undefined || link === undefined) continue
    const changed = rewriteLinks(text.value, link)
    if (changed.count > 0) replace(text, changed.text, changed.count)
  }
  return { text: applySplices(json, splices), count }
}

/** No canvas nests deeper than its nodes' keys, and the reader of JSON is recursive. */
const MAX_DEPTH = 200

function tooDeep(json: string): boolean {
  let depth = 0
  for (const [bracket] of json.matchAll(/[[{\]}]|"(?:[^"\\]|\\.)*"/gs)) {
    if (bracket === '[' || bracket === '{') depth++
    else if (bracket === ']' || bracket === '}') depth--
    if (depth > MAX_DEPTH) return true
  }
  return false
}

function nodesOf(root: Node | undefined): readonly Node[] {
  const list = root === undefined ? undefined : memberOf(root, 'nodes')
  return list?.type === 'array' ? (list.children ?? []) : []
}

function stringAt(node: Node, key: string): (Node & { value: string }) | undefined {
  const member = memberOf(node, key)
  return member?.type === 'string' ? (member as Node & { value: string }) : undefined
}

/** The last of several equal keys counts, as for JSON.parse. */
function memberOf(node: Node, key: string): Node | undefined {
  if (node.type !== 'object') return undefined
  return node.children?.findLast((pair) => pair.children?.[0]?.value === key)?.children?.[1]
}
