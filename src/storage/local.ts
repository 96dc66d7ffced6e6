import type { Stats } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { VaultError } from '../errors.ts'
import { baseName, folderOf, pathKey, type VaultPath } from '../note/path.ts'
import { Containment, type Place } from './containment.ts'
import { deadline } from './deadline.ts'
import { type Disk, errnoOf, lacksLinks, nodeDisk, syncFolder } from './disk.ts'
import { type Doing, storageError } from './failure.ts'
import { limiter } from './limiter.ts'
import { listFolder } from './listing.ts'
import { entryOf } from './local_entry.ts'
import { makeFolders, unmakeFolders } from './make_folders.ts'
import { createFile, replaceFile } from './place_file.ts'
import { readWhole } from './read_whole.ts'
import type { Entry, Listing, ListOptions, Storage, WriteOptions } from './storage.ts'
import { sweepFolder } from './sweep.ts'

export interface LocalOptions {
  readonly disk?: Disk
  /** Longest wait for one file, in milliseconds; listings and writes get ten times that. */
  readonly timeoutMs?: number
}

/**
 * Opens a folder of this machine as a vault.
 * @throws VaultError `not_found`, `bad_argument` (no folder), `unavailable` (may not be listed); these name the folder
 * as it was given, since whoever starts the program must see what was tried
 */
export async function openLocalStorage(folder: string, options: LocalOptions = {}): Promise<Storage> {
  const disk = options.disk ?? nodeDisk
  const hint = 'Give the path of the folder that holds the notes.'
  try {
    const root = await disk.promises.realpath(folder)
    if (!(await disk.promises.stat(root)).isDirectory()) {
      throw new VaultError('bad_argument', `The vault ${folder} is a file, no folder.`, { hint })
    }
    await disk.promises.readdir(root)
    return new LocalStorage(disk, root, options.timeoutMs ?? 30_000)
  } catch (cause) {
    if (cause instanceof VaultError) throw cause
    const errno = errnoOf(cause)
    if (errno === 'ENOENT' || errno === 'ENOTDIR') {
      throw new VaultError('not_found', `The vault ${folder} does not exist.`, { hint, cause })
    }
    throw new VaultError(
      'unavailable',
      `The vault ${folder} cannot be opened (${errno || 'unknown reason'}).`,
      {
        hint: 'Check that this user may list the folder.',
        cause,
      },
    )
  }
}

/** Files open at once: far below what systems allow a process. */
const OPEN_FILES = 48

class LocalStorage implements Storage {
  readonly kind = 'local'
  readonly id: string
  readonly #disk: Disk
  readonly #containment: Containment
  readonly #timeoutMs: number
  readonly #open = limiter(OPEN_FILES)

  constructor(disk: Disk, root: string, timeoutMs: number) {
    this.id = pathToFileURL(root).href
    this.#disk = disk
    this.#containment = new Containment(disk, root)
    this.#timeoutMs = timeoutMs
  }

  list(folder: VaultPath, options: ListOptions): Promise<Listing> {
    return this.#do('read', folder, 10, async () => {
      const absolute = await this.#containment.real(folder, 'read')
      const stat = await this.#disk.promises.stat(absolute)
      if (!stat.isDirectory()) throw notAFolder(folder)
      return listFolder(this.#disk, this.#containment, { folder, absolute, options })
    })
  }

  async stat(path: VaultPath): Promise<Entry | null> {
    try {
      return await this.#do('read', path, 1, async () => {
        const { real, stat } = await this.#containment.look(path, 'read')
        return entryOf(path, stat, this.#containment.vaultPath(real))
      })
    } catch (error) {
      if (error instanceof VaultError && error.code === 'not_found') return null
      throw error
    }
  }

  read(path: VaultPath, { maxBytes = Number.POSITIVE_INFINITY } = {}): Promise<Uint8Array> {
    return this.#do('read', path, 1, async () => {
      const { real, stat } = await this.#containment.look(path, 'read')
      return this.#open(() => readWhole(this.#disk, { absolute: real, stat, path, maxBytes }))
    })
  }

  write(path: VaultPath, bytes: Uint8Array, { mode, check }: WriteOptions): Promise<void> {
    return this.#do('write', path, 10, () =>
      this.#open(() => (mode === 'create' ? this.#create(path, bytes) : this.#replace(path, bytes, check))),
    )
  }

  async #replace(path: VaultPath, bytes: Uint8Array, check: WriteOptions['check']): Promise<void> {
    const target = await this.#containment.real(path, 'write')
    const stat = await this.#disk.promises.stat(target)
    if (stat.isDirectory()) throw storageError({ code: 'EISDIR' }, path, 'write')
    const folder = join(target, '..')
    await replaceFile(this.#disk, {
      target,
      bytes,
      check,
      confirm: () => this.#containment.confirm(folder, path),
    })
  }

  async #create(path: VaultPath, bytes: Uint8Array): Promise<void> {
    await this.#inNewFolders(path, async (place) => {
      await this.#assertFree(path, place)
      const confirm = () => this.#containment.confirm(place.folder, path)
      await createFile(this.#disk, { target: place.absolute, bytes, confirm })
    })
  }

  rename(from: VaultPath, to: VaultPath): Promise<void> {
    return this.#do('write', from, 10, async () => {
      const source = await this.#containment.place(from, 'write')
      const stat = await this.#disk.promises.lstat(source.absolute)
      if (stat.isDirectory() && `${to}/`.startsWith(`${from}/`) && to !== from) {
        throw new VaultError('bad_path', `${from} cannot be moved into itself.`, {
          hint: 'Choose another place.',
        })
      }
      await this.#inNewFolders(to, async (target) => {
        const respelled = await this.#isRespelling({ from, to, stat, target })
        if (!respelled) await this.#assertFree(to, target)
        this.#containment.confirm(source.folder, from)
        this.#containment.confirm(target.folder, to)
        await this.#move(source, target, stat.isDirectory() || respelled)
      })
    })
  }

  /** The new name is durable before the old one goes, so that at no time a power cut takes both. */
  async #move(source: Place, target: Place, byRename: boolean): Promise<void> {
    if (byRename || !(await this.#link(source, target))) {
      await this.#disk.promises.rename(source.absolute, target.absolute)
      await syncFolder(this.#disk, target.folder)
      if (source.folder !== target.folder) await syncFolder(this.#disk, source.folder)
      return
    }
    try {
      await syncFolder(this.#disk, target.folder)
      await this.#disk.promises.unlink(source.absolute)
    } catch (error) {
      await this.#disk.promises.unlink(target.absolute)
      throw error
    }
    await syncFolder(this.#disk, source.folder)
  }

  /** Unlike a rename, a link replaces nothing that has come to stand there meanwhile. */
  async #link(source: Place, target: Place): Promise<boolean> {
    try {
      await this.#disk.promises.link(source.absolute, target.absolute)
      return true
    } catch (error) {
      if (lacksLinks(error)) return false
      throw error
    }
  }

  /** Is `to` the same file as `from`, on a file system to which both spellings are one name? */
  async #isRespelling(names: {
    from: VaultPath
    to: VaultPath
    stat: Stats
    target: Place
  }): Promise<boolean> {
    const { from, to, stat, target } = names
    if (pathKey(from) !== pathKey(to)) return false
    const there = await this.#disk.promises.lstat(target.absolute).catch(() => null)
    if (there === null || there.ino !== stat.ino || there.dev !== stat.dev) return false
    const known = await this.#disk.promises.readdir(target.folder)
    return !known.includes(target.name) || from === to
  }

  /** Refuses what stands there already; a link that leads out is told apart. */
  async #assertFree(path: VaultPath, place: Place): Promise<void> {
    const there = await this.#disk.promises.lstat(place.absolute).catch((error: unknown) => {
      if (errnoOf(error) === 'ENOENT') return null
      throw error
    })
    if (there === null) return
    if (there.isSymbolicLink()) await this.#containment.real(path, 'write')
    throw storageError({ code: 'EEXIST' }, path, 'write')
  }

  /** Makes the missing folders above `path`, and takes them away again when the work fails. */
  async #inNewFolders(path: VaultPath, work: (place: Place) => Promise<void>): Promise<void> {
    if (path === '') throw storageError({ code: 'EEXIST' }, path, 'write')
    const gap = await this.#containment.gap(path)
    const made = await makeFolders(this.#disk, gap.folder, gap.missing)
    try {
      await work(await this.#containment.place(path, 'write'))
    } catch (error) {
      await unmakeFolders(this.#disk, made)
      throw error
    }
  }

  remove(path: VaultPath): Promise<void> {
    return this.#do('write', path, 1, async () => {
      const place = await this.#containment.place(path, 'write')
      const stat = await this.#disk.promises.lstat(place.absolute)
      if (stat.isDirectory()) throw storageError({ code: 'EISDIR' }, path, 'write')
      this.#containment.confirm(place.folder, path)
      await this.#disk.promises.unlink(place.absolute)
      await syncFolder(this.#disk, place.folder)
    })
  }

  makeFolder(path: VaultPath): Promise<void> {
    return this.#do('write', path, 1, async () => {
      const stat = await this.stat(path)
      if (stat?.kind === 'file') throw storageError({ code: 'EEXIST' }, path, 'write')
      if (stat !== null) return
      const gap = await this.#containment.gap(path)
      await makeFolders(this.#disk, gap.folder, [...gap.missing, baseName(path)])
    })
  }

  removeEmptyFolder(path: VaultPath): Promise<boolean> {
    return this.#do('write', path, 1, async () => {
      if (path === '') return false
      const place = await this.#containment.place(path, 'write')
      try {
        await this.#disk.promises.rmdir(place.absolute)
      } catch (error) {
        const errno = errnoOf(error)
        if (errno === 'ENOTEMPTY' || errno === 'EEXIST') return false
        if (errno === 'ENOTDIR') throw notAFolder(path)
        throw error
      }
      await syncFolder(this.#disk, place.folder)
      return true
    })
  }

  sweep(olderThanMs: number): Promise<number> {
    return this.#do('write', '', 10, () =>
      sweepFolder(this.#disk, this.#containment.root, Date.now() - olderThanMs),
    )
  }

  async close(): Promise<void> {}

  async #do<T>(doing: Doing, path: VaultPath, patience: number, work: () => Promise<T>): Promise<T> {
    try {
      return await deadline(this.#timeoutMs * patience, path, work())
    } catch (error) {
      throw storageError(error, path, doing)
    }
  }
}

function notAFolder(path: VaultPath): VaultError {
  return new VaultError('not_found', `${path} is a file, no folder.`, {
    hint: `Name a folder, e.g. ${folderOf(path) || 'the root'}.`,
  })
}
