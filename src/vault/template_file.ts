import { VaultError } from '../errors.ts'
import { isNotePath, joinPath, type VaultPath } from '../note/path.ts'
import type { Storage } from '../storage/storage.ts'
import { didYouMean, nearest } from '../text/nearest.ts'
import type { AppSettings } from './app_settings.ts'
import { insidePath, pathFromSettings } from './settings_path.ts'

export interface TemplateSource {
  readonly storage: Storage
  /** Throws for a path that the caller's rules close. */
  readonly judge?: (path: VaultPath) => void
  /** Resolves a name as a wikilink from the root would, since the application finds templates so. */
  readonly resolve?: (name: string) => VaultPath | null
}

export interface TemplateFile {
  readonly path: VaultPath
  readonly text: string
}

/**
 * The template that a setting names, with or without `.md`.
 * @returns null where there is no such note
 * @throws VaultError `outside_vault`, `bad_path` (see {@link pathFromSettings}), `bad_encoding`, and what reading throws
 */
export async function readSettingsTemplate(
  source: TemplateSource,
  value: string,
  what: string,
): Promise<TemplateFile | null> {
  const path = insidePath(value, what)
  const found = await firstOf(source, withExtension(path))
  if (found !== null) return found
  // Only now: `/Templates/Day` is the application's spelling, `/etc/passwd` is an absolute path.
  if (/^\s*[/\\]/.test(value)) throw notInside(what)
  await pathFromSettings(source.storage, value, what)
  return null
}

/**
 * The template that a caller names: a name in the vault's template folder, or a path.
 * @throws VaultError `not_found` with the nearest names, `outside_vault`, `bad_path`, `bad_encoding`
 */
export async function readNamedTemplate(
  source: TemplateSource,
  settings: AppSettings,
  name: string,
): Promise<TemplateFile> {
  if (name.includes('\\')) throw backslash(name)
  const path = insidePath(name, 'template', 'Give the name or the path of a visible note in the vault.')
  const folder = settings.templates.folder
  const inFolder =
    folder === null
      ? []
      : withExtension(joinPath(await pathFromSettings(source.storage, folder, 'The template folder'), path))
  const asPath = withExtension(path)
  const found = await firstOf(
    source,
    name.includes('/') ? [...asPath, ...inFolder] : [...inFolder, ...asPath],
  )
  if (found !== null) return found
  throw await noTemplate(source, folder, name)
}

function withExtension(path: VaultPath): VaultPath[] {
  if (path === '') return []
  return isNotePath(path) ? [path] : [`${path}.md`, path]
}

async function firstOf(source: TemplateSource, paths: readonly VaultPath[]): Promise<TemplateFile | null> {
  for (const path of paths) {
    const found = await readIfThere(source, path)
    if (found !== null) return found
  }
  const resolved = paths[0] === undefined ? null : (source.resolve?.(paths[0]) ?? null)
  return resolved === null ? null : await readIfThere(source, resolved)
}

async function readIfThere(
  { storage, judge }: TemplateSource,
  path: VaultPath,
): Promise<TemplateFile | null> {
  judge?.(path)
  const entry = await storage.stat(path)
  if (entry?.kind !== 'file') return null
  const bytes = await storage.read(path)
  try {
    return { path, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    throw new VaultError('bad_encoding', `The template ${path} is no UTF-8 text.`, {
      hint: 'Save it as UTF-8, or name another template.',
    })
  }
}

async function noTemplate(
  { storage, judge }: TemplateSource,
  folder: string | null,
  name: string,
): Promise<VaultError> {
  const root = folder === null ? null : insidePath(folder, 'The template folder')
  const known = root === null ? [] : await notesBelow(storage, root, judge)
  const near = nearest(name, known)
  const where = root === null ? 'the vault names no template folder' : `the template folder is ${root}`
  return new VaultError('not_found', `There is no template "${name}": ${where}.${didYouMean(near)}`, {
    hint: 'Give a name in the template folder or the path of a note in the vault.',
    details: { candidates: near },
  })
}

async function notesBelow(
  storage: Storage,
  root: VaultPath,
  judge: TemplateSource['judge'],
): Promise<string[]> {
  if ((await storage.stat(root))?.kind !== 'folder') return []
  const { entries } = await storage.list(root, { recursive: true })
  const open = (path: VaultPath) => {
    try {
      judge?.(path)
      return true
    } catch {
      return false
    }
  }
  return entries
    .filter((entry) => entry.kind === 'file' && isNotePath(entry.path) && open(entry.path))
    .map((entry) => entry.path.slice(root === '' ? 0 : root.length + 1, -3))
}

function notInside(what: string): VaultError {
  return new VaultError('outside_vault', `${what} leads outside the vault.`, {
    hint: "Change it in the application's settings to a note inside the vault.",
  })
}

function backslash(name: string): VaultError {
  return new VaultError('bad_path', `The template "${name}" holds a backslash.`, {
    hint: `Write "${name.replaceAll('\\', '/')}".`,
  })
}
