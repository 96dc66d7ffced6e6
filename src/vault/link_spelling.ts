import type { LinkKind } from '../note/note.ts'
import { baseName, folderOf, isNotePath, type VaultPath } from '../note/path.ts'
import type { AppSettings } from './app_settings.ts'
import { linkKey, relativePath } from './link_target.ts'
import type { NameIndex } from './names.ts'
import { type Resolution, resolveLink } from './resolve.ts'

export type LinkFormat = AppSettings['newLinkFormat']

/**
 * How a link spells its target, so that another target can be spelled alike.
 * - `root`: `/a/b` · `dotted`: `./b` · `upward`: `../b` · `relative`: a Markdown link counted from its own folder
 * - `full`: the whole path in the vault · `tail`: the last so many segments of it; one is the bare name
 */
export interface LinkStyle {
  readonly form: 'root' | 'dotted' | 'upward' | 'relative' | 'full' | 'tail'
  /** Segments that a `tail` writes, at least 1. */
  readonly segments: number
  /** `.md` is written out. */
  readonly extension: boolean
}

export interface SpelledLink {
  readonly kind: LinkKind
  readonly target: string
  readonly source: VaultPath
  /** The file that it leads to. */
  readonly resolved: VaultPath
}

/** @param format what the vault writes; it decides where a spelling could be of several styles */
export function styleOf(link: SpelledLink, format: LinkFormat): LinkStyle {
  const extension = linkKey(link.target).endsWith(linkKey(baseName(link.resolved)))
  return { form: formOf(link, extension, format), segments: link.target.split('/').length, extension }
}

function formOf(
  { kind, target, source, resolved }: SpelledLink,
  extension: boolean,
  format: LinkFormat,
): LinkStyle['form'] {
  if (target.startsWith('/')) return 'root'
  if (target.startsWith('../')) return 'upward'
  if (target.startsWith('./')) return 'dotted'
  const whole = linkKey(extension ? target : `${target}.md`)
  const full = whole === linkKey(resolved)
  if (full && format === 'absolute') return 'full'
  if (isMarkdown(kind) && whole === linkKey(relativePath(folderOf(source), resolved))) return 'relative'
  return full && target.includes('/') ? 'full' : 'tail'
}

/** `path` as a link from `source` in this style. */
export function spell({ form, segments, extension }: LinkStyle, path: VaultPath, source: VaultPath): string {
  const relative = relativePath(folderOf(source), path)
  const whole = {
    root: `/${path}`,
    dotted: dotted(relative),
    // Where the way no longer leads up, nobody would write the dots.
    upward: relative,
    relative,
    full: path,
    tail: path.split('/').slice(-segments).join('/'),
  }[form]
  return extension || !isNotePath(path) ? whole : whole.slice(0, -3)
}

export interface Spelling {
  /** As they will be when the link is read. */
  readonly names: NameIndex
  readonly kind: LinkKind
  readonly source: VaultPath
  readonly style: LinkStyle
  readonly format: LinkFormat
}

/**
 * The target to write so that a link from `source` leads to `path`: in the style given where that is unmistakable,
 * else in the vault's own format, else as a path that can mean one place only. Null where no wikilink can carry it.
 */
export function spellFor(path: VaultPath, { names, kind, source, style, format }: Spelling): string | null {
  let leading: string | null = null
  for (const one of stylesToTry(style, format)) {
    const target = spell(one, path, source)
    if (!isMarkdown(kind) && !fitsWikilink(target)) continue
    const found = resolveLink(names, target, source)
    if (found.path !== path) continue
    const counted = one.form === 'relative' || one.form === 'upward'
    if (isUnmistakable(found) || (counted && found.by === 'relative')) return target
    leading ??= target
  }
  return leading
}

function stylesToTry(style: LinkStyle, format: LinkFormat): LinkStyle[] {
  const counted = style.form === 'relative' || style.form === 'upward'
  const next = counted || format === 'relative' ? 'dotted' : 'full'
  const forms: LinkStyle['form'][] = [style.form, next, 'full', 'dotted', 'root']
  // A name whose end looks like another file type is found with `.md` alone.
  const spelledOut = forms.map((form) => ({ ...style, form, extension: true }))
  return [...forms.map((form) => ({ ...style, form })), ...spelledOut]
}

/** No other file has a claim to the link. */
export function isUnmistakable({ by, candidates }: Resolution): boolean {
  return candidates.length === 0 || by === 'exact' || by === 'fixed' || by === 'self'
}

export function isMarkdown(kind: LinkKind): boolean {
  return kind === 'markdown' || kind === 'markdown_embed'
}

/** A relative path that cannot be taken for a path from the root. */
export function dotted(relative: string): string {
  return relative.startsWith('../') ? relative : `./${relative}`
}

/** A wikilink has no way to quote what ends its target. */
function fitsWikilink(target: string): boolean {
  return !/[#|\r\n]|\[\[|\]\]|\]$/.test(target)
}
