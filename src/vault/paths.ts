import { VaultError } from '../errors.ts'
import { hasKnownExtension } from '../note/kinds.ts'
import { folderOf, isNotePath, joinPath, pathKey, type VaultPath } from '../note/path.ts'
import { didYouMean } from '../text/nearest.ts'

/** What the catalogue knows of names. */
export interface PathLookup {
  kindAt(path: VaultPath): 'file' | 'folder' | null
  /** Visible files and folders whose path has the same {@link pathKey}. */
  loose(path: VaultPath): VaultPath[]
  nearest(path: VaultPath): VaultPath[]
}

export interface PathArgument {
  readonly path: VaultPath
  /** What was read differently from what was written. */
  readonly warnings: string[]
}

const DRIVE = /^[A-Za-z]:\//

/**
 * Reads a path as an agent writes it into a vault path: `./` and inner `..` tidied, a leading `/` or the vault's own
 * absolute path taken off. Nothing on disk is looked at; `lookup` only tells a vault path with a leading `/` from a
 * path of the machine.
 * @param roots the vault's absolute folder as it is and as it was named, for vaults on this machine
 * @param options.fresh the path is for something new: `/Name` means a name in the root of the vault
 * @throws VaultError `bad_path`, `outside_vault`
 */
export function readPathArgument(
  argument: string,
  lookup: PathLookup,
  roots: readonly string[],
  { fresh = false }: { readonly fresh?: boolean } = {},
): PathArgument {
  refuseForeign(argument)
  const { relative, warnings } = stripRoot(argument, { lookup, roots, fresh })
  refuseEncodedClimb(argument)
  return { path: tidy(relative, argument), warnings }
}

/**
 * A folder or note that a filter names, tidied; whether it is there does not matter to a filter.
 * @throws VaultError `bad_path`, `outside_vault`
 */
export function readFilterPath(argument: string): VaultPath {
  refuseForeign(argument)
  refuseEncodedClimb(argument)
  return tidy(argument, argument)
}

function refuseForeign(argument: string): void {
  if (argument.includes('\0'))
    throw badPath(argument, 'it holds a NUL character', 'Leave the NUL character out.')
  if (argument.includes('\\')) {
    throw badPath(
      argument,
      'it holds a backslash',
      `Write it with slashes: "${argument.replaceAll('\\', '/')}".`,
    )
  }
  if (DRIVE.test(argument)) {
    throw badPath(argument, 'it names a drive', 'Give a path inside the vault, such as "Folder/Note.md".')
  }
}

function stripRoot(
  argument: string,
  { lookup, roots, fresh }: { lookup: PathLookup; roots: readonly string[]; fresh: boolean },
): { relative: string; warnings: string[] } {
  const root = roots.find((r) => argument === r || argument.startsWith(`${r}/`))
  if (root !== undefined) {
    const relative = argument.slice(root.length + 1)
    const used = relative === '' ? 'The root of the vault' : `"${relative}" inside the vault`
    return { relative, warnings: [`${used} was used.`] }
  }
  if (!argument.startsWith('/')) return { relative: argument, warnings: [] }
  const relative = argument.replace(/^\/+/, '')
  if (relative === '') return { relative, warnings: ['The root of the vault was used.'] }
  const first = relative.split('/', 1)[0] as string
  const spellings = [relative, `${relative}.md`, ...(relative.includes('/') ? [first] : [])]
  const inVault = spellings.some((p) => isThere(p, lookup)) || (fresh && !relative.includes('/'))
  if (!inVault) {
    throw badPath(
      argument,
      'it is absolute',
      'Paths begin at the root of the vault: "Folder/Note.md", without a leading slash.',
    )
  }
  return { relative, warnings: [`"${relative}" inside the vault was used: paths begin at its root.`] }
}

function isThere(path: string, lookup: PathLookup): boolean {
  return lookup.kindAt(path) !== null || lookup.loose(path).length > 0
}

function tidy(relative: string, argument: string): VaultPath {
  const out: string[] = []
  for (const segment of relative.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') out.push(segment)
    else if (out.pop() === undefined) throw outside(argument)
  }
  return out.join('/')
}

function refuseEncodedClimb(argument: string): void {
  if (!/%2e|%2f|%5c/i.test(argument)) return
  const decoded = argument.replace(/%2e/gi, '.').replace(/%2f/gi, '/').replace(/%5c/gi, '\\')
  if (decoded.split(/[/\\]/).includes('..')) throw outside(argument)
}

function outside(argument: string): VaultError {
  return new VaultError('outside_vault', `${show(argument)} leads out of the vault.`, {
    hint: 'Paths begin at the root of the vault and stay inside it.',
  })
}

function badPath(argument: string, why: string, hint: string): VaultError {
  return new VaultError('bad_path', `${show(argument)} is no path inside the vault: ${why}.`, { hint })
}

/** A path for a message: control characters escaped. */
function show(path: string): string {
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path)
}

/**
 * The existing file or folder that a path means, for reading: as written, with `.md`, another Unicode form or,
 * where only one fits, another case. Null where there is none.
 */
export function findExisting(path: VaultPath, lookup: PathLookup): VaultPath | null {
  if (path === '' || lookup.kindAt(path) !== null) return path
  // What names a file type means that very file: `a.md` is never `a.md.md`.
  const spellings = hasKnownExtension(path) ? [path] : [path, `${path}.md`]
  for (const spelling of spellings) if (lookup.kindAt(spelling) === 'file') return spelling
  for (const spelling of spellings) {
    const same = lookup.loose(spelling)
    const sameForm = same.filter((p) => p.normalize('NFC') === spelling.normalize('NFC'))
    if (sameForm.length === 1) return sameForm[0] as VaultPath
    if (same.length === 1) return same[0] as VaultPath
  }
  return null
}

/** Like {@link findExisting} for changing: another Unicode form is the same note, another case is not. */
export function findExact(path: VaultPath, lookup: PathLookup): VaultPath | null {
  const found = findExisting(path, lookup)
  if (found === null) return null
  const written = path.normalize('NFC')
  const there = found.normalize('NFC')
  return there === written || there === `${written}.md` ? found : null
}

export function notFound(path: VaultPath, lookup: PathLookup): VaultError {
  const near = lookup.nearest(path)
  return new VaultError('not_found', `There is no ${show(path)} in the vault.`, {
    hint:
      near.length > 0
        ? didYouMean(near).trim()
        : 'vault_list shows what is there; note_find looks for names.',
    details: near.length > 0 ? { nearest: near } : {},
  })
}

const FORBIDDEN = /[*":<>?|]/
const DEVICES = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?$/i
const BREAKS_LINKS = /[#^[\]]/

/**
 * A path for something new: `.md` added where `note` is asked for and no file type is named; names that other
 * systems (vaults are synced) or links cannot carry are refused or warned about.
 * @throws VaultError `bad_path`, `already_exists` (another spelling of an existing name)
 */
export function newPath(
  path: VaultPath,
  lookup: PathLookup,
  { note, renaming }: { readonly note: boolean; readonly renaming?: VaultPath },
): PathArgument {
  if (path === '')
    throw new VaultError('is_folder', 'The root of the vault is no file.', { hint: 'Name a file in it.' })
  const full = note && !hasKnownExtension(path) ? `${path}.md` : path
  const { parent, fresh } = existingParent(full, lookup)
  for (const segment of fresh) checkName(segment)
  const whole = fresh.reduce(joinPath, parent)
  refuseTwin(whole, lookup, renaming)
  const odd = BREAKS_LINKS.exec(fresh.join('/'))?.[0]
  const warnings =
    odd === undefined ? [] : [`The name holds "${odd}": wikilinks to it will not work in the application.`]
  return { path: whole, warnings }
}

/** The longest part of the path that exists, spelled as on disk, and the names below it that are new. */
function existingParent(path: VaultPath, lookup: PathLookup): { parent: VaultPath; fresh: string[] } {
  const segments = path.split('/')
  let parent = ''
  for (const [i, segment] of segments.entries()) {
    if (i === segments.length - 1) return { parent, fresh: [segment] }
    const wanted = joinPath(parent, segment)
    const there =
      lookup.kindAt(wanted) === 'folder'
        ? wanted
        : lookup
            .loose(wanted)
            .find((p) => p.normalize('NFC') === wanted.normalize('NFC') && lookup.kindAt(p) === 'folder')
    if (there === undefined) return { parent, fresh: segments.slice(i) }
    parent = there
  }
  return { parent, fresh: [] }
}

function checkName(name: string): void {
  const why = nameFault(name)
  if (why) {
    throw new VaultError('bad_path', `${show(name)} cannot be the name of a new file or folder: ${why}.`, {
      hint: 'Choose a name without * " : < > | ?, without a blank or dot at its end, of at most 255 bytes.',
    })
  }
}

function nameFault(name: string): string | undefined {
  const odd = FORBIDDEN.exec(name)?.[0]
  if (odd !== undefined) return `it holds ${odd}`
  if (/\p{Cc}/u.test(name)) return 'it holds a control character'
  const stem = isNotePath(name) ? name.slice(0, -3) : name
  if (/[. ]$/.test(name) || /[ .]$/.test(stem)) return 'it ends with a dot or a blank'
  if (DEVICES.test(name)) return 'it is a device name on some systems'
  if (Buffer.byteLength(name) > 255) return 'it is longer than 255 bytes'
  if (stem === '') return 'it has no name before its extension'
  return undefined
}

/** A name that differs from an existing one in case or Unicode form only would be the same file elsewhere. */
function refuseTwin(path: VaultPath, lookup: PathLookup, renaming: VaultPath | undefined): void {
  const segments = path.split('/')
  for (let i = 1; i <= segments.length; i++) {
    const prefix = segments.slice(0, i).join('/')
    if (lookup.kindAt(prefix) !== null) continue
    const twin = lookup
      .loose(prefix)
      .find((p) => p !== renaming && pathKey(folderOf(p)) === pathKey(folderOf(prefix)))
    if (twin === undefined) continue
    throw new VaultError(
      'already_exists',
      `${show(twin)} exists: ${show(prefix)} differs from it in spelling only.`,
      {
        hint: `Use the existing spelling: "${twin}${path.slice(prefix.length)}".`,
        details: { existing: twin },
      },
    )
  }
}
