import { type FragmentTable, findFragment, fragmentTable } from '../note/fragment.ts'
import type { LinkFact, NoteFacts } from '../note/note.ts'
import { baseName, extensionOf, stemOf, type VaultPath } from '../note/path.ts'
import { linkKey } from './link_target.ts'
import type { NameIndex } from './names.ts'
import { isAttachmentName, type Resolution, resolveLink, resolvePath } from './resolve.ts'

/** Why a link leads nowhere. */
export type BrokenKind = 'missing_note' | 'missing_attachment' | 'broken_fragment'

/**
 * Which note links to which. Links are kept as written, under the names that they mention, and resolved when asked
 * for: so adding, deleting or renaming a file costs work in proportion to its own links, and a link that leads nowhere
 * comes alive when its target appears.
 */
export class Graph {
  readonly names: NameIndex
  readonly #nodes = new Map<VaultPath, Node>()
  /** For each name that links mention, the files whose links do. */
  readonly #sources = new Map<string, Set<VaultPath>>()
  readonly #aliases = new Map<string, Set<VaultPath>>()

  #changes = 0

  constructor(names: NameIndex) {
    this.names = names
  }

  /** Grows with every change of the links, the names or the headings; what was asked before it may no longer hold. */
  get changes(): number {
    return this.#changes + this.names.changes
  }

  set(path: VaultPath, facts: NoteFacts): void {
    this.delete(path)
    this.#changes++
    const keys = new Set(facts.links.map(mentioned).filter((key) => key !== ''))
    const { links, aliases, headings, blocks } = facts
    this.#nodes.set(path, { links, aliases, headings, blocks, keys: [...keys], fragments: null })
    for (const key of keys) include(this.#sources, key, path)
    for (const alias of aliases) include(this.#aliases, linkKey(alias), path)
  }

  delete(path: VaultPath): void {
    const node = this.#nodes.get(path)
    if (node === undefined) return
    this.#changes++
    this.#nodes.delete(path)
    for (const key of node.keys) exclude(this.#sources, key, path)
    for (const alias of node.aliases) exclude(this.#aliases, linkKey(alias), path)
  }

  headingsOf(path: VaultPath): NoteFacts['headings'] {
    return this.#nodes.get(path)?.headings ?? []
  }

  /** Every file that can hold links. */
  sources(): IterableIterator<VaultPath> {
    return this.#nodes.keys()
  }

  /** The links of a file, in order. */
  linksOf(path: VaultPath): readonly LinkFact[] {
    return this.#nodes.get(path)?.links ?? []
  }

  /** Files with a link that mentions a name of `path`: a link to it is in one of them, or in itself (`[[#here]]`). */
  mentioning(path: VaultPath): Set<VaultPath> {
    const found = new Set<VaultPath>()
    for (const key of keysOfFile(path)) for (const source of this.#sources.get(key) ?? []) found.add(source)
    return found
  }

  resolve(source: VaultPath, link: Pick<LinkFact, 'target' | 'property'>): Resolution {
    if (isCanvasCard(source, link)) return resolvePath(this.names, link.target)
    return resolveLink(this.names, link.target, source)
  }

  /** Why this link leads nowhere, or null where it leads somewhere. */
  brokenKind(link: LinkFact, resolved: VaultPath | null): BrokenKind | null {
    if (resolved === null) return namesAttachment(link) ? 'missing_attachment' : 'missing_note'
    if (link.fragment === null || link.fragment === '') return null
    const table = this.fragmentsOf(resolved)
    return table === null || findFragment(table, link.fragment) !== null ? null : 'broken_fragment'
  }

  /** Null for what has no headings and blocks: attachments, canvases, bases, notes not read yet. */
  fragmentsOf(path: VaultPath): FragmentTable | null {
    const node = this.#nodes.get(path)
    if (node === undefined || extensionOf(path) !== 'md') return null
    node.fragments ??= fragmentTable(node)
    return node.fragments
  }

  /** Notes that have the target as an alias, which makes it no link target, in order of their paths. */
  withAlias(target: string): VaultPath[] {
    return [...(this.#aliases.get(linkKey(target.trim())) ?? [])].sort()
  }
}

/** The names under which links may mention a file: its base name, and a note's without `.md`. */
export function keysOfFile(path: VaultPath): string[] {
  const whole = linkKey(baseName(path))
  return extensionOf(path) === 'md' ? [whole, linkKey(stemOf(path))] : [whole]
}

/** The name that a link mentions: the last segment of its target; `''` where it names no file. */
export function mentioned(link: Pick<LinkFact, 'target'>): string {
  const target = link.target.trim()
  return linkKey(target.slice(target.lastIndexOf('/') + 1))
}

/** A file card of a canvas names its file by the whole path; links in text cards are like those in notes. */
export function isCanvasCard(source: VaultPath, link: Pick<LinkFact, 'property'>): boolean {
  return link.property === 'file' && extensionOf(source) === 'canvas'
}

/** A Markdown link names its file in full, so any file type counts; in a wikilink `Node.js` is a note. */
function namesAttachment(link: LinkFact): boolean {
  if (isAttachmentName(link.target)) return true
  const markdown = link.kind === 'markdown' || link.kind === 'markdown_embed'
  return markdown && /\.[a-z][a-z0-9]{1,4}$/i.test(link.target) && extensionOf(link.target) !== 'md'
}

/** The parts of a note's facts that questions about links need; the rest need not stay in memory for them. */
interface Node extends Pick<NoteFacts, 'links' | 'aliases' | 'headings' | 'blocks'> {
  readonly keys: readonly string[]
  fragments: FragmentTable | null
}

function include(index: Map<string, Set<VaultPath>>, key: string, path: VaultPath): void {
  const held = index.get(key)
  if (held === undefined) index.set(key, new Set([path]))
  else held.add(path)
}

function exclude(index: Map<string, Set<VaultPath>>, key: string, path: VaultPath): void {
  const held = index.get(key)
  if (held === undefined) return
  held.delete(path)
  if (held.size === 0) index.delete(key)
}
