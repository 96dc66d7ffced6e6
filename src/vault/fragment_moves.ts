import { chainOf, type FragmentTable, findFragment, fragmentTable, splitFragment } from '../note/fragment.ts'
import type { Link, NoteFacts } from '../note/note.ts'
import type { VaultPath } from '../note/path.ts'
import type { Graph } from './graph.ts'
import type { FileRewrite, LinkNotice } from './moves.ts'

/** The new text of a heading (its index in the note's headings), or the new id of a block. */
export type FragmentRename =
  | { readonly heading: number; readonly text: string }
  | { readonly block: string; readonly id: string }

export interface FragmentPlan {
  /** In order of paths; the note's own links are among them. */
  readonly rewrites: readonly FileRewrite[]
  /** Links that will lead to another heading of the note, because no heading path tells the two apart. */
  readonly misled: readonly LinkNotice[]
}

/**
 * What has to change so that every link to a heading or a block of `path` still leads there once it is renamed, and no
 * link to another heading is drawn to the new text. Nothing is changed.
 */
export function planFragmentRename(graph: Graph, path: VaultPath, rename: FragmentRename): FragmentPlan {
  const misled: LinkNotice[] = []
  const fresh = 'heading' in rename ? headingRenamer(graph.headingsOf(path), rename) : blockRenamer(rename)
  const rewrites: FileRewrite[] = []
  for (const source of [...graph.mentioning(path).add(path)].sort()) {
    const changes = new Map<string, string>()
    let links = 0
    for (const link of graph.linksOf(source)) {
      if (!link.fragment || graph.resolve(source, link).path !== path) continue
      const { fragment, sure } = fresh(link.fragment)
      if (!sure) misled.push({ source_path: source, raw: link.raw, line: link.line, resolved_path: path })
      if (fragment === link.fragment) continue
      links++
      changes.set(linkId(link), fragment)
    }
    if (links > 0) rewrites.push({ path: source, links, rewrite: rewriter(changes), cards: new Map() })
  }
  return { rewrites, misled }
}

/** A heading's text as a link carries it: what would end the fragment or the link is a blank. */
export function headingForLink(text: string): string {
  return text
    .replace(/[:#|^\\\r\n]|%%|\[\[|\]\]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

/** @returns what a fragment becomes, and whether it surely leads where it led */
type Renamer = (fragment: string) => { fragment: string; sure: boolean }

function blockRenamer({ block, id }: { readonly block: string; readonly id: string }): Renamer {
  const old = block.toLowerCase()
  return (fragment) => {
    const named = splitFragment(fragment).block
    if (named === null || named.toLowerCase() !== old) return { fragment, sure: true }
    return { fragment: fragment.slice(0, fragment.length - named.length) + id, sure: true }
  }
}

function headingRenamer(
  old: NoteFacts['headings'],
  { heading, text }: { heading: number; text: string },
): Renamer {
  const before = fragmentTable({ headings: old, blocks: [] })
  const headings = old.map((one, i) => (i === heading ? { level: one.level, text, line: one.line } : one))
  const after = fragmentTable({ headings, blocks: [] })
  const named = headingForLink(text)
  return (fragment) => {
    const found = splitFragment(fragment).heading === null ? null : findFragment(before, fragment)
    if (found === null || !('headings' in found)) return { fragment, sure: true }
    const meant = found.headings.at(-1)
    if (meant === undefined) return { fragment, sure: true }
    const parts = chainOf(fragment).map((part, i) => (found.headings[i] === heading ? named : part))
    const changed = found.headings.includes(heading) ? parts.join('#') : fragment
    const longer = pathsTo(headings, meant).map((path) => path.map(headingForLink).join('#'))
    const sure = [changed, ...longer].find((one) => leadsTo(after, one, meant))
    return { fragment: sure ?? changed, sure: sure !== undefined }
  }
}

function leadsTo(table: FragmentTable, fragment: string, heading: number): boolean {
  const found = findFragment(table, fragment)
  return found !== null && 'headings' in found && found.headings.at(-1) === heading
}

/** The heading with ever more of those above it: `['C'], ['B', 'C'], ['A', 'B', 'C']`. */
function pathsTo(headings: NoteFacts['headings'], at: number): string[][] {
  const path = [headings[at]!.text]
  const paths = [[...path]]
  let level = headings[at]!.level
  for (let i = at - 1; i >= 0; i--) {
    const above = headings[i]!
    if (above.level >= level) continue
    level = above.level
    path.unshift(above.text)
    paths.push([...path])
  }
  return paths
}

function rewriter(changes: ReadonlyMap<string, string>): FileRewrite['rewrite'] {
  return (link) => {
    const fragment = changes.get(linkId(link))
    return fragment === undefined ? null : { fragment }
  }
}

function linkId({ target, fragment }: Pick<Link, 'target' | 'fragment'>): string {
  return `${target}#${fragment}`
}
