import { folderOf, joinPath, pathKey, type VaultPath } from '../note/path.ts'

/**
 * How the target of a link is meant, before any file is looked at.
 * - `self`: nothing but a fragment, the note that the link stands in
 * - `fixed`: a path that can only mean one place (`/a/b` counts from the root, `./a` and `../a` from the source)
 * - `open`: a name or the end of a path, looked for in the whole vault
 * - `nowhere`: no file can be meant (above the root, a folder, blanks alone)
 */
export type TargetForm =
  | { readonly form: 'self' }
  | { readonly form: 'nowhere' }
  | { readonly form: 'fixed' | 'open'; readonly path: VaultPath }

/** @param target a link's target, decoded and without its fragment */
export function readTarget(target: string, source: VaultPath): TargetForm {
  if (target === '') return { form: 'self' }
  const trimmed = target.trim()
  if (trimmed === '' || trimmed.endsWith('/') || /(^|\/)\.\.?$/.test(trimmed)) return { form: 'nowhere' }
  if (trimmed.startsWith('/')) return settle('fixed', trimmed)
  if (/^\.\.?\//.test(trimmed)) return settle('fixed', joinPath(folderOf(source), trimmed))
  return trimmed.includes('./') || trimmed.includes('//')
    ? settle('open', trimmed)
    : { form: 'open', path: trimmed }
}

/** The key under which files and the links that name them meet: NFC, case folded, every blank a space. */
export function linkKey(name: string): string {
  return pathKey(name).replace(/[\u00a0\u202f]/g, ' ')
}

/** The path from `folder` to a file, as a relative link is written: `b.md`, `sub/b.md`, `../b.md`. */
export function relativePath(folder: VaultPath, to: VaultPath): string {
  const from = folder === '' ? [] : folder.split('/')
  const segments = to.split('/')
  let common = 0
  while (common < from.length && common < segments.length - 1 && from[common] === segments[common]) common++
  return '../'.repeat(from.length - common) + segments.slice(common).join('/')
}

/** Resolves `.` and `..` inside a path; what climbs above the root is nowhere. */
function settle(form: 'fixed' | 'open', path: string): TargetForm {
  const kept: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') kept.push(segment)
    else if (kept.pop() === undefined) return { form: 'nowhere' }
  }
  return kept.length === 0 ? { form: 'nowhere' } : { form, path: kept.join('/') }
}
