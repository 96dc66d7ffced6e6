import type { Stats } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { VaultError } from '../errors.ts'
import { baseName, folderOf, type VaultPath } from '../note/path.ts'
import { type Disk, errnoOf } from './disk.ts'
import { type Doing, shown, storageError } from './failure.ts'

/** Where a name stands or will stand: its folder is real, the name itself may be a link or absent. */
export interface Place {
  /** Absolute, no links in it. */
  readonly folder: string
  readonly name: string
  /** `folder` and `name` together. */
  readonly absolute: string
}

/** What was found at a path of the vault. */
export interface Seen {
  /** Absolute, no links in it, inside the vault. */
  readonly real: string
  readonly stat: Stats
}

/**
 * Keeps every path of a vault inside its folder. The real path is judged, segment by segment: links are followed
 * first, then what they lead to must lie in the real root. What leads out is refused before it is said whether
 * anything stands there.
 *
 * A folder that another program swaps for a link between the last check and the call itself is a window that no
 * portable call closes; {@link confirm} makes it as narrow as it can be.
 */
export class Containment {
  /** Absolute and real. */
  readonly root: string
  readonly #disk: Disk

  constructor(disk: Disk, root: string) {
    this.#disk = disk
    this.root = root
  }

  /** The absolute real path of what stands at `path`, links followed. @throws `not_found`, `outside_vault`, `unavailable` */
  async real(path: VaultPath, doing: Doing): Promise<string> {
    return (await this.look(path, doing)).real
  }

  /** What stands at `path`, links followed, and its absolute real path. @throws `not_found`, `outside_vault`, `unavailable` */
  async look(path: VaultPath, doing: Doing): Promise<Seen> {
    const absolute = this.#absolute(path)
    try {
      return await this.#follow(path, absolute)
    } catch (error) {
      if (!isAbsent(error)) throw storageError(error, path, doing)
    }
    const { link } = await this.#nearest(path, doing)
    if (link) throw leadsOut(path)
    await this.#assertRoot()
    throw storageError({ code: 'ENOENT' }, path, doing)
  }

  /**
   * Folder and name are looked at together: two calls that do not wait for each other. Only a link is followed at its
   * end: the real path of a file that another program replaces at this very moment cannot be found out (Linux tells
   * that of the file that is gone).
   */
  async #follow(path: VaultPath, absolute: string): Promise<Seen> {
    if (path === '') return this.#resolved(path, absolute)
    const { promises } = this.#disk
    const [folder, stat] = await Promise.allSettled([
      promises.realpath(dirname(absolute)),
      promises.lstat(absolute),
    ])
    if (folder.status === 'rejected') throw folder.reason
    const real = join(this.#inside(folder.value, path), baseName(path))
    if (stat.status === 'rejected') throw stat.reason
    return stat.value.isSymbolicLink() ? this.#resolved(path, real) : { real, stat: stat.value }
  }

  async #resolved(path: VaultPath, absolute: string): Promise<Seen> {
    const real = this.#inside(await this.#disk.promises.realpath(absolute), path)
    return { real, stat: await this.#disk.promises.stat(real) }
  }

  /** The place of a name whose folder exists. @throws `not_found` where the folder does not, `outside_vault` */
  async place(path: VaultPath, doing: Doing): Promise<Place> {
    if (path === '')
      throw new VaultError('is_folder', 'The vault itself is no file.', { hint: 'Name a file in it.' })
    this.#absolute(path)
    let folder: string
    try {
      folder = await this.real(folderOf(path), doing)
    } catch (error) {
      if (error instanceof VaultError && error.code === 'not_found')
        throw storageError({ code: 'ENOENT' }, path, doing)
      throw error
    }
    const name = baseName(path)
    return { folder, name, absolute: join(folder, name) }
  }

  /**
   * The nearest folder above `path` that exists, and which folders are missing between it and the name.
   * @throws `outside_vault` where a link on the way leads out or nowhere, `already_exists` where a file is in the way
   */
  async gap(path: VaultPath): Promise<{ readonly folder: string; readonly missing: readonly string[] }> {
    this.#absolute(path)
    const { folder, missing, link } = await this.#nearest(path, 'write')
    if (link) throw leadsOut(path)
    const stat = await this.#disk.promises.stat(folder).catch((error: unknown) => {
      throw storageError(error, path, 'write')
    })
    if (!stat.isDirectory()) {
      const file = this.vaultPath(folder)
      throw new VaultError('already_exists', `${file} is a file, so nothing can be made below it.`, {
        hint: 'Choose another folder.',
      })
    }
    if (missing.length === path.split('/').length) await this.#assertRoot()
    return { folder, missing: missing.slice(0, -1) }
  }

  /** Checks again, in this very moment, that a folder is what it was. @throws `outside_vault` */
  confirm(folder: string, path: VaultPath): void {
    let real: string
    try {
      real = this.#disk.realpathSync(folder)
    } catch (error) {
      throw storageError(error, path, 'write')
    }
    if (real !== folder) throw leadsOut(path)
  }

  /** The vault path of an absolute real path inside the root. */
  vaultPath(absolute: string): VaultPath {
    const path = relative(this.root, absolute)
    return sep === '/' ? path : path.replaceAll(sep, '/')
  }

  contains(absolute: string): boolean {
    if (absolute === this.root) return true
    return absolute.startsWith(this.root.endsWith(sep) ? this.root : this.root + sep)
  }

  #absolute(path: VaultPath): string {
    if (path === '') return this.root
    const bad = path.split('/').some((s) => s === '' || s === '.' || s === '..') || path.includes('\0')
    if (bad || (sep === '\\' && /[\\:]/.test(path))) {
      throw new VaultError('bad_path', `${JSON.stringify(path)} is no path inside a vault.`, {
        hint: 'Use a path relative to the vault with / between folders.',
      })
    }
    return join(this.root, path)
  }

  #inside(real: string, path: VaultPath): string {
    if (!this.contains(real)) throw leadsOut(path)
    return real
  }

  /** Walks up until something exists. `link`: the first missing name is a link that leads nowhere. */
  async #nearest(
    path: VaultPath,
    doing: Doing,
  ): Promise<{ folder: string; missing: string[]; link: boolean }> {
    const missing: string[] = []
    for (let at = path; ; at = folderOf(at)) {
      if (at !== path || path === '') {
        try {
          const folder = this.#inside(await this.#disk.promises.realpath(this.#absolute(at)), path)
          return { folder, missing, link: await this.#isLink(join(folder, missing[0] ?? '.')) }
        } catch (error) {
          if (!isAbsent(error)) throw storageError(error, path, doing)
          if (at === '') throw rootGone(error)
        }
      }
      missing.unshift(baseName(at))
    }
  }

  async #isLink(absolute: string): Promise<boolean> {
    try {
      return (await this.#disk.promises.lstat(absolute)).isSymbolicLink()
    } catch {
      return false
    }
  }

  async #assertRoot(): Promise<void> {
    try {
      await this.#disk.promises.stat(this.root)
    } catch (error) {
      throw rootGone(error)
    }
  }
}

function isAbsent(error: unknown): boolean {
  const errno = errnoOf(error)
  return errno === 'ENOENT' || errno === 'ENOTDIR'
}

function leadsOut(path: VaultPath): VaultError {
  return new VaultError(
    'outside_vault',
    `${shown(path)} is or goes through a link that leads out of the vault or nowhere.`,
    {
      hint: 'Use the path of a real file in the vault.',
    },
  )
}

function rootGone(cause: unknown): VaultError {
  return new VaultError('unavailable', 'The folder of the vault cannot be reached.', {
    hint: 'Check that the disk or mount it lies on is there.',
    cause,
  })
}
