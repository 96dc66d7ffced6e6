import { splitFragment } from '../note/fragment.ts'
import type { LinkFact, LinkKind } from '../note/note.ts'
import { isNotePath, type VaultPath } from '../note/path.ts'
import type { BrokenKind, Graph } from './graph.ts'
import { isAttachmentName } from './resolve.ts'

/** A link as it is shown. */
export interface LinkRow {
  readonly raw: string
  readonly target: string
  readonly line: number
  readonly kind: LinkKind
  /** Heading (path) that it points to. */
  readonly heading: string | null
  /** Block id without `^`. */
  readonly block_ref: string | null
  /** The text shown in its place; the size of an image is none. */
  readonly alias: string | null
  /** What follows `#` where the target has no headings: `page=3` of a PDF. */
  readonly subpath?: string
  /** The property it stands in. */
  readonly property?: string
}

export interface OutgoingRow extends LinkRow {
  readonly resolved_path: VaultPath | null
  readonly broken: BrokenKind | null
  readonly ambiguous: boolean
  /** Other files that the target fits, where it is ambiguous. */
  readonly candidates?: readonly VaultPath[]
  /** The target is an alias of these notes: no link target in the application, and probably what was meant. */
  readonly via?: 'alias'
  readonly alias_of?: readonly VaultPath[]
}

export interface BacklinkRow {
  readonly source_path: VaultPath
  readonly links: readonly LinkRow[]
}

export interface BrokenRow {
  readonly source_path: VaultPath
  readonly target: string
  readonly link_raw: string
  readonly line: number
  readonly kind: BrokenKind
  readonly heading: string | null
  readonly block_ref: string | null
  /** The note whose heading or block is missing. */
  readonly resolved_path: VaultPath | null
  readonly via?: 'alias'
  readonly alias_of?: readonly VaultPath[]
}

/** A note that links to nothing and that nothing links to; links to itself count for nothing. */
export interface OrphanRow {
  readonly path: VaultPath
  readonly kind: 'no_links' | 'broken_outgoing_only'
  readonly broken_links: readonly string[]
}

export interface NeighbourRow {
  readonly path: VaultPath
  /** Links to follow to get there, at least 1. */
  readonly depth: number
  /** The neighbour through which it is reached. */
  readonly from: VaultPath
  /** `out`: `from` links to it; `in`: it links to `from`. */
  readonly direction: 'out' | 'in' | 'both'
}

/** Files that link to `path`, in order of their paths, each with those links in order; its own links are left out. */
export function backlinks(graph: Graph, path: VaultPath): BacklinkRow[] {
  const rows: BacklinkRow[] = []
  for (const source of [...graph.mentioning(path)].sort()) {
    if (source === path) continue
    const links = graph.linksOf(source).filter((link) => graph.resolve(source, link).path === path)
    if (links.length > 0) rows.push({ source_path: source, links: links.map(linkRow) })
  }
  return rows
}

/** The links of a file in order, and where each leads. */
export function outgoing(graph: Graph, path: VaultPath): OutgoingRow[] {
  return graph.linksOf(path).map((link) => {
    const { path: resolved, candidates } = graph.resolve(path, link)
    return {
      ...linkRow(link),
      resolved_path: resolved,
      broken: graph.brokenKind(link, resolved),
      ambiguous: candidates.length > 0,
      ...(candidates.length > 0 ? { candidates } : {}),
      ...(resolved === null ? viaAlias(graph, link) : {}),
    }
  })
}

/** Links that lead nowhere, of one file or of all (in order of their paths). */
export function broken(graph: Graph, path?: VaultPath): BrokenRow[] {
  const rows: BrokenRow[] = []
  for (const source of path === undefined ? [...graph.sources()].sort() : [path]) {
    for (const link of graph.linksOf(source)) {
      const resolved = graph.resolve(source, link).path
      const kind = graph.brokenKind(link, resolved)
      if (kind !== null) rows.push(brokenRow(graph, source, link, resolved, kind))
    }
  }
  return rows
}

/** Notes without a link that leads somewhere, in or out, in order of their paths. */
export function orphans(graph: Graph): OrphanRow[] {
  const linked = new Set<VaultPath>()
  for (const source of graph.sources()) {
    for (const link of graph.linksOf(source)) {
      const target = graph.resolve(source, link).path
      if (target !== null && target !== source) linked.add(source).add(target)
    }
  }
  const alone = [...graph.sources()].filter((path) => isNotePath(path) && !linked.has(path)).sort()
  return alone.map((path) => {
    const lost = graph.linksOf(path).filter((link) => graph.resolve(path, link).path === null)
    const kind = lost.length > 0 ? 'broken_outgoing_only' : 'no_links'
    return { path, kind, broken_links: lost.map((link) => link.raw) }
  })
}

/** Files within `depth` links of `path`, in either direction, nearest first and then in order of their paths. */
export function neighbours(graph: Graph, path: VaultPath, depth: number): NeighbourRow[] {
  const seen = new Set([path])
  const rows: NeighbourRow[] = []
  let edge = [path]
  for (let distance = 1; distance <= depth && edge.length > 0; distance++) {
    const found: NeighbourRow[] = []
    for (const from of edge) {
      for (const [next, direction] of directNeighbours(graph, from)) {
        if (seen.has(next)) continue
        seen.add(next)
        found.push({ path: next, depth: distance, from, direction })
      }
    }
    found.sort((a, b) => (a.path < b.path ? -1 : 1))
    rows.push(...found)
    edge = found.map((row) => row.path)
  }
  return rows
}

export interface LinkCounts {
  readonly links: number
  readonly ambiguous: number
  readonly broken: Readonly<Record<BrokenKind, number>>
}

/** Counted afresh only after a change: it resolves every link of the vault. */
export function countLinks(graph: Graph): LinkCounts {
  const known = COUNTED.get(graph)
  if (known?.changes === graph.changes) return known.counts
  const counts = count(graph)
  COUNTED.set(graph, { changes: graph.changes, counts })
  return counts
}

const COUNTED = new WeakMap<Graph, { changes: number; counts: LinkCounts }>()

function count(graph: Graph): LinkCounts {
  let links = 0
  let ambiguous = 0
  const broken = { missing_note: 0, missing_attachment: 0, broken_fragment: 0 }
  for (const source of graph.sources()) {
    for (const link of graph.linksOf(source)) {
      links++
      const { path, candidates } = graph.resolve(source, link)
      if (candidates.length > 0) ambiguous++
      const kind = graph.brokenKind(link, path)
      if (kind !== null) broken[kind]++
    }
  }
  return { links, ambiguous, broken }
}

function directNeighbours(graph: Graph, path: VaultPath): Map<VaultPath, NeighbourRow['direction']> {
  const found = new Map<VaultPath, NeighbourRow['direction']>()
  for (const link of graph.linksOf(path)) {
    const target = graph.resolve(path, link).path
    if (target !== null) found.set(target, 'out')
  }
  for (const { source_path } of backlinks(graph, path)) {
    found.set(source_path, found.has(source_path) ? 'both' : 'in')
  }
  return found
}

function linkRow(link: LinkFact): LinkRow {
  const { raw, target, line, kind } = link
  const attachment = isAttachmentName(target)
  const fragment = splitFragment(attachment ? null : link.fragment)
  return {
    raw,
    target,
    line,
    kind,
    heading: fragment.heading,
    block_ref: fragment.block,
    alias: link.display,
    ...(attachment && link.fragment !== null ? { subpath: link.fragment } : {}),
    ...(link.property !== null ? { property: link.property } : {}),
  }
}

function brokenRow(
  graph: Graph,
  source: VaultPath,
  link: LinkFact,
  resolved: VaultPath | null,
  kind: BrokenKind,
): BrokenRow {
  const { heading, block_ref } = linkRow(link)
  return {
    source_path: source,
    target: link.target,
    link_raw: link.raw,
    line: link.line,
    kind,
    heading,
    block_ref,
    resolved_path: resolved,
    ...(resolved === null ? viaAlias(graph, link) : {}),
  }
}

function viaAlias(graph: Graph, link: LinkFact): { via: 'alias'; alias_of: VaultPath[] } | undefined {
  const notes = graph.withAlias(link.target)
  return notes.length > 0 ? { via: 'alias', alias_of: notes } : undefined
}
