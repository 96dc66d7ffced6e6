import { VaultError } from '../errors.ts'
import { hasKnownExtension } from '../note/kinds.ts'
import type { VaultPath } from '../note/path.ts'
import type { Storage } from '../storage/storage.ts'
import type { Catalogue } from './catalogue.ts'
import { findExact, findExisting, newPath, notFound, type PathArgument, readPathArgument } from './paths.ts'
import type { Rules } from './rules.ts'

export interface LocatorOptions {
  readonly catalogue: Catalogue
  readonly storage: Storage
  readonly rules: Rules
  /** The absolute folder of a vault on this machine, else null. */
  readonly root: string | null
  /** The same folder as the user named it. */
  readonly namedRoot?: string
  readonly allowHidden: boolean
  /** Resolves when the names of all files are known. */
  readonly named: () => Promise<void>
}

/** From what an agent writes to the file that is meant, with the rules of the vault applied. */
export class Locator {
  readonly #catalogue: Catalogue
  readonly #storage: Storage
  readonly #rules: Rules
  readonly #roots: readonly string[]
  readonly #allowHidden: boolean
  readonly #named: () => Promise<void>

  constructor({ catalogue, storage, rules, root, namedRoot, allowHidden, named }: LocatorOptions) {
    this.#catalogue = catalogue
    this.#storage = storage
    this.#rules = rules
    this.#roots = [root, namedRoot].filter((r) => typeof r === 'string')
    this.#allowHidden = allowHidden
    this.#named = named
  }

  /** Judges a path without looking for it. @throws VaultError `bad_path`, `outside_vault` */
  async check(argument: string): Promise<PathArgument> {
    await this.#named()
    return readPathArgument(argument, this.#catalogue, this.#roots)
  }

  /**
   * The existing file that an agent's path means, for reading.
   * @throws VaultError `not_found`, `is_folder`, `bad_path`, `outside_vault`, `excluded`
   */
  async file(argument: string): Promise<PathArgument> {
    const found = await this.#locateAny(argument, findExisting)
    if (found.kind === 'folder') throw isFolder(found.path)
    return found
  }

  /** Like {@link file} for a change: the spelling must be the file's own, and the rules must let it be written. */
  async fileForChange(argument: string): Promise<PathArgument> {
    const found = await this.#locateAny(argument, findExact)
    if (found.kind === 'folder') throw isFolder(found.path)
    this.requireWritable(found.path)
    return found
  }

  /** An existing folder; the root is `''`, while a lone `/` means the machine's. */
  async folder(argument: string): Promise<PathArgument> {
    if (/^\/+$/.test(argument)) {
      throw new VaultError('bad_path', `"${argument}" is no folder inside the vault.`, {
        hint: 'Leave the path out for the root of the vault, or give "".',
      })
    }
    if (argument === '' || argument === '.' || argument === './') {
      await this.#named()
      return { path: '', warnings: [] }
    }
    const found = await this.#locateAny(argument, findExisting)
    if (found.kind === 'folder') return found
    throw new VaultError('bad_path', `"${found.path}" is a file, not a folder.`, {
      hint: 'Give a folder; note_read reads a file.',
    })
  }

  /** An existing file or folder, for a change. */
  async anyForChange(argument: string): Promise<PathArgument & { kind: 'file' | 'folder' }> {
    const found = await this.#locateAny(argument, findExact)
    this.requireWritable(found.path)
    return found
  }

  /**
   * A path for something new.
   * @throws VaultError `bad_path`, `is_folder` (the root, or a note with a `/` behind its name), `already_exists`
   * (another spelling of an existing name)
   */
  async fresh(
    argument: string,
    options: { readonly note: boolean; readonly renaming?: VaultPath },
  ): Promise<PathArgument> {
    await this.#named()
    const read = readPathArgument(argument, this.#catalogue, this.#roots, { fresh: true })
    if (read.path === '' || (options.note && argument.endsWith('/'))) throw isFolder(read.path)
    this.judge(read.path, false)
    const made = newPath(read.path, this.#catalogue, options)
    this.judge(made.path, false)
    this.requireWritable(made.path)
    return { path: made.path, warnings: [...read.warnings, ...made.warnings] }
  }

  requireWritable(path: VaultPath): void {
    if (this.#rules.mayWrite(path)) return
    throw new VaultError('read_only', `"${path}" is open for reading only.`, {
      hint: 'The server was started with folders that may be written; choose one of them.',
    })
  }

  async #locateAny(
    argument: string,
    find: (path: VaultPath, lookup: Catalogue) => VaultPath | null,
  ): Promise<PathArgument & { kind: 'file' | 'folder' }> {
    await this.#named()
    const { path, warnings } = readPathArgument(argument, this.#catalogue, this.#roots)
    if (path === '') return { path, kind: 'folder', warnings }
    const reading = find === findExisting
    const known = find(path, this.#catalogue)
    // What the catalogue knows is visible; a folder of which only some files are allowed would be judged wrongly.
    if (known === null) this.judge(path, reading)
    const kind = known === null ? null : this.#catalogue.kindAt(known)
    if (known !== null && kind !== null) {
      const used =
        known.normalize('NFC') === path.normalize('NFC') || known === `${path}.md`
          ? []
          : [`"${known}" was used.`]
      return { path: known, kind, warnings: [...warnings, ...used] }
    }
    const fresh = await this.#lookOnDisk(path, reading)
    if (fresh) return { ...fresh, warnings }
    throw notFound(path, this.#catalogue)
  }

  /** What the catalogue does not know: hidden files where they are open, and what came a moment ago. */
  async #lookOnDisk(
    path: VaultPath,
    reading: boolean,
  ): Promise<{ path: VaultPath; kind: 'file' | 'folder' } | null> {
    for (const spelling of hasKnownExtension(path) ? [path] : [path, `${path}.md`]) {
      if (this.#rules.verdict(spelling) === 'denied') continue
      const entry = await this.#storage.stat(spelling)
      if (entry === null) continue
      if (entry.link !== undefined) this.judge(entry.link, reading)
      if (entry.kind === 'folder' && !this.#mayShowFolder(spelling)) continue
      return { path: spelling, kind: entry.kind }
    }
    return null
  }

  /** A rule of a folder (`Private/`) says nothing about a file of that name, so folders are judged once they are found. */
  #mayShowFolder(path: VaultPath): boolean {
    const verdict = this.#rules.verdict(path, { folder: true })
    if (verdict === 'excluded') throw excluded(path)
    return verdict !== 'denied' && this.#rules.listsEmpty(path)
  }

  judge(path: VaultPath, reading: boolean): void {
    for (const spelling of [path, `${path}.md`]) {
      const verdict = this.#rules.verdict(spelling)
      if (verdict === 'hidden' && !(reading && this.#allowHidden)) {
        throw new VaultError('bad_path', `"${path}" lies in a hidden folder, which belongs to programs.`, {
          hint: 'Files and folders whose name begins with a dot are closed.',
        })
      }
      if (verdict === 'denied' && spelling === path) throw notFound(path, this.#catalogue)
      if (verdict === 'excluded') throw excluded(path)
    }
  }
}

function excluded(path: VaultPath): VaultError {
  return new VaultError('excluded', `"${path}" is excluded by an ignore pattern of this vault.`, {
    hint: 'vault_info lists the patterns; the owner of the vault can change them.',
  })
}

function isFolder(path: VaultPath): VaultError {
  return new VaultError(
    'is_folder',
    path === '' ? 'The root of the vault is no note.' : `"${path}" is a folder.`,
    { hint: 'vault_list shows what is in it; name a file.' },
  )
}
