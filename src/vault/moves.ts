import { VaultError } from '../errors.ts'
import type { Link, LinkFact } from '../note/note.ts'
import { folderOf, type VaultPath } from '../note/path.ts'
import { type Graph, isCanvasCard, keysOfFile, mentioned } from './graph.ts'
import {
  dotted,
  isMarkdown,
  isUnmistakable,
  type LinkFormat,
  spell,
  spellFor,
  styleOf,
} from './link_spelling.ts'
import { readTarget, relativePath } from './link_target.ts'
import type { NameIndex } from './names.ts'
import { type Resolution, resolveLink, resolvePath } from './resolve.ts'

export interface Move {
  readonly from: VaultPath
  readonly to: VaultPath
}

/** What changes in a link; what is not named stays as it is. */
export interface LinkChange {
  readonly target?: string
  readonly fragment?: string
}

/** The changes of links in one file. */
export interface FileRewrite {
  /** Where the file is before any move. */
  readonly path: VaultPath
  /** How many links change. */
  readonly links: number
  /** What a link of the file becomes, null where it stays; goes by kind, target and fragment, never by position. */
  readonly rewrite: (link: Pick<Link, 'kind' | 'target' | 'fragment'>) => LinkChange | null
  /** For a canvas: file cards, the path as written → the new one. */
  readonly cards: ReadonlyMap<string, VaultPath>
}

/** A link whose fate the caller may want to tell. */
export interface LinkNotice {
  readonly source_path: VaultPath
  readonly raw: string
  readonly line: number
  /** Where the link leads after the move. */
  readonly resolved_path: VaultPath | null
}

export interface MovePlan {
  readonly moves: readonly Move[]
  /** In order of paths. */
  readonly rewrites: readonly FileRewrite[]
  /** Links to other files that a new name would have drawn to itself; they are rewritten to stay where they led. */
  readonly protected: readonly LinkNotice[]
  /** Links that led nowhere and find one of the moved files. */
  readonly revived: readonly LinkNotice[]
  /** Links that cannot be written to the new name (a wikilink has no way to quote `#`, `|` or `]]`); they break. */
  readonly unlinkable: readonly LinkNotice[]
}

/**
 * What has to change so that every link leads to the same file after `from` (a file or a folder with all below it) has
 * become `to`. Nothing is changed; links keep their style, display text and fragment, and one that still leads to the
 * right file stays as written.
 * @param to the whole new path, extension included; where a file stands there, it is replaced
 * @throws VaultError `not_found`
 */
export function planMove(
  graph: Graph,
  { from, to, format }: { from: VaultPath; to: VaultPath; format: LinkFormat },
): MovePlan {
  const moves = movesOf(graph.names, from, to)
  const targets = new Map(moves.map((move) => [move.from, move.to]))
  const pending = affectedLinks(graph, targets)
  const notices = {
    protected: [] as LinkNotice[],
    revived: [] as LinkNotice[],
    unlinkable: [] as LinkNotice[],
  }
  const changes = new Map<VaultPath, FileChanges>()
  afterMoves(graph.names, moves, () => {
    for (const item of pending) {
      const outcome = decide(graph.names, item, targets, format)
      if (outcome.notice !== null) notices[outcome.notice].push(noticeOf(item, outcome.leads))
      if (outcome.target !== null) record(changes, item, outcome.target)
    }
  })
  const rewrites = [...changes]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, changed]) => fileRewrite(path, changed))
  return { moves, rewrites, ...notices }
}

interface PendingLink {
  readonly source: VaultPath
  readonly link: LinkFact
  readonly card: boolean
  /** Where the link leads before the move. */
  readonly before: Resolution
}

interface Outcome {
  /** The new target, null to leave the link as written. */
  readonly target: string | null
  readonly notice: 'protected' | 'revived' | 'unlinkable' | null
  readonly leads: VaultPath | null
}

function movesOf(names: NameIndex, from: VaultPath, to: VaultPath): Move[] {
  if (names.has(from)) return [{ from, to }]
  if (names.hasFolder(from) && from !== '') {
    return names.filesUnder(from).map((path) => ({ from: path, to: `${to}${path.slice(from.length)}` }))
  }
  throw new VaultError('not_found', `There is no "${from}" in the vault.`, {
    hint: 'vault_list shows what is there.',
  })
}

/** All links of the moved files, and of other files those that mention an old or a new name. */
function affectedLinks(graph: Graph, targets: ReadonlyMap<VaultPath, VaultPath>): PendingLink[] {
  const sources = new Set<VaultPath>(targets.keys())
  const keys = new Set<string>()
  for (const path of [...targets.keys(), ...targets.values()]) {
    for (const key of keysOfFile(path)) keys.add(key)
    for (const source of graph.mentioning(path)) sources.add(source)
  }
  for (const replaced of targets.values()) if (!targets.has(replaced)) sources.delete(replaced)
  return [...sources].flatMap((source) =>
    graph
      .linksOf(source)
      .filter((link) => link.target !== '' && (targets.has(source) || keys.has(mentioned(link))))
      .map((link) => ({
        source,
        link,
        card: isCanvasCard(source, link),
        before: graph.resolve(source, link),
      })),
  )
}

/** Runs `look` while the names are as they will be; every name is back in place when it returns. */
function afterMoves(names: NameIndex, moves: readonly Move[], look: () => void): void {
  const leaving = moves.filter(({ from }) => names.has(from)).map(({ from }) => from)
  const staying = new Set(moves.filter(({ to }) => names.has(to)).map(({ to }) => to))
  for (const path of leaving) names.remove(path)
  for (const { to } of moves) names.addFile(to)
  try {
    look()
  } finally {
    for (const { to } of moves) if (!staying.has(to)) names.remove(to)
    for (const path of leaving) names.addFile(path)
  }
}

function decide(
  names: NameIndex,
  { source, link, card, before }: PendingLink,
  targets: ReadonlyMap<VaultPath, VaultPath>,
  format: LinkFormat,
): Outcome {
  const newSource = targets.get(source) ?? source
  const after = card ? resolvePath(names, link.target) : resolveLink(names, link.target, newSource)
  if (before.path === null) {
    const target = newSource === source || card ? null : samePlace(link.target, source, newSource)
    return { target, notice: target !== null || after.path === null ? null : 'revived', leads: after.path }
  }
  const right = targets.get(before.path) ?? before.path
  const moved = right !== before.path || newSource !== source
  if (card) return { target: right === before.path ? null : right, notice: null, leads: right }
  if (!moved && after.path === right) return { target: null, notice: null, leads: right }
  const style = styleOf({ kind: link.kind, target: link.target, source, resolved: before.path }, format)
  if (after.path === right && staysAsWritten()) return { target: null, notice: null, leads: right }
  const target = spellFor(right, { names, kind: link.kind, source: newSource, style, format })
  if (target === null) return { target: null, notice: 'unlinkable', leads: after.path }
  return { target: target === link.target ? null : target, notice: moved ? null : 'protected', leads: right }

  function staysAsWritten(): boolean {
    const old = spell(style, before.path as VaultPath, source)
    const fresh = spell(style, right, newSource)
    // Spelled as the old path was, so the new path's spelling is wanted (another case, a longer path).
    if (old === link.target && fresh !== link.target) return false
    // What was ambiguous before the move is no more so after it.
    return isUnmistakable(after) || !isUnmistakable(before) || style.form === 'relative'
  }
}

/** A `../x` that leads nowhere visible still means one place, which may be a file that rules hide. */
function samePlace(target: string, source: VaultPath, newSource: VaultPath): string | null {
  const meant = readTarget(target, source)
  if (meant.form !== 'fixed' || target.startsWith('/')) return null
  const fresh = dotted(relativePath(folderOf(newSource), meant.path))
  return fresh === target ? null : fresh
}

interface FileChanges {
  readonly targets: Map<string, string>
  readonly cards: Map<string, VaultPath>
  links: number
}

function record(
  changes: Map<VaultPath, FileChanges>,
  { source, link, card }: PendingLink,
  target: string,
): void {
  const changed = changes.get(source) ?? { targets: new Map(), cards: new Map(), links: 0 }
  changes.set(source, changed)
  changed.links++
  if (card) changed.cards.set(link.target, target)
  else changed.targets.set(linkId(link), target)
}

function fileRewrite(path: VaultPath, { targets, cards, links }: FileChanges): FileRewrite {
  const rewrite: FileRewrite['rewrite'] = (link) => {
    const target = targets.get(linkId(link))
    return target === undefined ? null : { target }
  }
  return { path, links, rewrite, cards }
}

/** Links of one file that are written with the same target mean the same file, wikilinks and Markdown links apart. */
function linkId({ kind, target }: Pick<Link, 'kind' | 'target'>): string {
  return `${isMarkdown(kind) ? 'markdown' : 'wiki'} ${target}`
}

function noticeOf({ source, link }: PendingLink, resolved: VaultPath | null): LinkNotice {
  return { source_path: source, raw: link.raw, line: link.line, resolved_path: resolved }
}
