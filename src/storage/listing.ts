import type { Dirent } from 'node:fs'
import { join } from 'node:path'
import { joinPath, type VaultPath } from '../note/path.ts'
import type { Containment } from './containment.ts'
import { type Disk, errnoOf } from './disk.ts'
import { mayEnter, mayFollow } from './entering.ts'
import { storageError } from './failure.ts'
import { limiter } from './limiter.ts'
import { entryOf } from './local_entry.ts'
import { type Entry, type Listing, type ListOptions, TEMP_PREFIX, type Unreadable } from './storage.ts'

/** Calls on the way at once: enough to keep a disk or a network mount busy, few enough to leave room for others. */
const AT_ONCE = 32

/**
 * Lists a folder. Links that lead out of the vault or nowhere are left out; a link to a folder inside is listed and
 * not entered: what is in there is listed under its own path, so nothing comes twice and loops end.
 */
export function listFolder(
  disk: Disk,
  containment: Containment,
  { folder, absolute, options }: { folder: VaultPath; absolute: string; options: ListOptions },
): Promise<Listing> {
  return new Walk(disk, containment, options).run(folder, absolute)
}

class Walk {
  readonly #disk: Disk
  readonly #containment: Containment
  readonly #options: ListOptions
  readonly #limit = limiter(AT_ONCE)
  readonly #entries: Entry[] = []
  readonly #unreadable: Unreadable[] = []

  constructor(disk: Disk, containment: Containment, options: ListOptions) {
    this.#disk = disk
    this.#containment = containment
    this.#options = options
  }

  async run(folder: VaultPath, absolute: string): Promise<Listing> {
    await this.#folder(folder, absolute, await this.#names(absolute))
    return { entries: this.#entries, unreadable: this.#unreadable }
  }

  #names(absolute: string): Promise<Dirent[]> {
    return this.#limit(() => this.#disk.promises.readdir(absolute, { withFileTypes: true }))
  }

  async #folder(folder: VaultPath, absolute: string, names: Dirent[]): Promise<void> {
    await Promise.all(
      names
        .filter((d) => !d.name.startsWith(TEMP_PREFIX))
        .map((d) => this.#entry(joinPath(folder, d.name), join(absolute, d.name), d)),
    )
  }

  async #entry(path: VaultPath, absolute: string, dirent: Dirent): Promise<void> {
    if (dirent.isDirectory() && !mayEnter(this.#options, path)) return
    try {
      if (dirent.isSymbolicLink()) await this.#link(path, absolute)
      else await this.#real(path, absolute)
    } catch (error) {
      if (isGone(error)) return
      this.#unreadable.push({ path, reason: storageError(error, path, 'read').message })
    }
  }

  async #real(path: VaultPath, absolute: string): Promise<void> {
    const stat = await this.#limit(() => this.#disk.promises.lstat(absolute))
    if (!stat.isDirectory()) {
      if (stat.isFile()) this.#entries.push(entryOf(path, stat))
      return
    }
    this.#entries.push(entryOf(path, stat))
    if (this.#options.recursive) await this.#folder(path, absolute, await this.#names(absolute))
  }

  async #link(path: VaultPath, absolute: string): Promise<void> {
    const real = await this.#limit(() => this.#disk.promises.realpath(absolute))
    if (!this.#containment.contains(real)) return
    const link = this.#containment.vaultPath(real)
    const stat = await this.#limit(() => this.#disk.promises.stat(real))
    if (!stat.isDirectory() && !stat.isFile()) return
    const target = { path, real: link, isFolder: stat.isDirectory() }
    if (mayFollow(this.#options, target)) this.#entries.push(entryOf(path, stat, link))
  }
}

/** Vanished while we looked (or a link that leads nowhere, or in a circle): not there, rather than unreadable. */
function isGone(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errnoOf(error))
}
