import { joinPath, type VaultPath } from '../../note/path.ts'
import { mayEnter, mayFollow } from '../entering.ts'
import { limiter } from '../limiter.ts'
import { type Entry, type Listing, type ListOptions, TEMP_PREFIX, type Unreadable } from '../storage.ts'
import type { Attrs, Calls, Named } from './calls.ts'
import { isStatus, LostError, STATUS, sftpError } from './failure.ts'
import type { Walk } from './walk.ts'

/** Folders open at once: servers hold few handles for one client. */
const FOLDERS_AT_ONCE = 8

/** A name the server sent that was not UTF-8: its bytes are lost, so nothing can be asked about it. */
const NOT_UTF8 = /\uFFFD/

/**
 * Lists a folder: one listing for each folder, nothing else but where links have to be followed. Links that lead out
 * of the vault or nowhere are left out, links to folders are not entered.
 * @throws LostError where the connection went away: half a listing is none
 */
export function listRemote(
  calls: Calls,
  walk: Walk,
  { folder, real, options }: { folder: VaultPath; real: VaultPath; options: ListOptions },
): Promise<Listing> {
  return new Lister(calls, walk, options).run(folder, real)
}

class Lister {
  readonly #calls: Calls
  readonly #walk: Walk
  readonly #options: ListOptions
  readonly #limit = limiter(FOLDERS_AT_ONCE)
  readonly #entries: Entry[] = []
  readonly #unreadable: Unreadable[] = []

  constructor(calls: Calls, walk: Walk, options: ListOptions) {
    this.#calls = calls
    this.#walk = walk
    this.#options = options
  }

  async run(folder: VaultPath, real: VaultPath): Promise<Listing> {
    await this.#folder(folder, await this.#names(this.#walk.absolute(real)))
    return { entries: this.#entries, unreadable: this.#unreadable }
  }

  #names(absolute: string): Promise<Named[]> {
    return this.#limit(() => this.#calls.readdir(absolute))
  }

  async #folder(folder: VaultPath, names: readonly Named[]): Promise<void> {
    await Promise.all(names.map(({ name, attrs }) => this.#entry(joinPath(folder, name), name, attrs)))
  }

  async #entry(path: VaultPath, name: string, attrs: Attrs): Promise<void> {
    if (name.startsWith(TEMP_PREFIX)) return
    if (NOT_UTF8.test(name)) {
      this.#unreadable.push({ path, reason: 'Its name is not UTF-8.' })
      return
    }
    if (attrs.kind === 'folder' && !mayEnter(this.#options, path)) return
    try {
      if (attrs.kind === 'link') await this.#link(path)
      else await this.#real(path, attrs)
    } catch (error) {
      if (error instanceof LostError) throw error
      if (isGone(error)) return
      this.#unreadable.push({ path, reason: sftpError(error, path, 'read').message })
    }
  }

  async #real(path: VaultPath, attrs: Attrs): Promise<void> {
    if (attrs.kind !== 'folder' && attrs.kind !== 'file') return
    this.#entries.push(remoteEntry(path, attrs))
    if (attrs.kind === 'folder' && this.#options.recursive)
      await this.#folder(path, await this.#names(this.#walk.absolute(path)))
  }

  async #link(path: VaultPath): Promise<void> {
    const { real, attrs } = await this.#walk.look(path, 'read')
    if (attrs.kind !== 'folder' && attrs.kind !== 'file') return
    const target = { path, real, isFolder: attrs.kind === 'folder' }
    if (mayFollow(this.#options, target)) this.#entries.push(remoteEntry(path, attrs, real))
  }
}

/** @param link the real path, where it is another one than `path` */
export function remoteEntry(path: VaultPath, { kind, size, mtimeMs }: Attrs, link?: VaultPath): Entry {
  const isFolder = kind === 'folder'
  return {
    path,
    kind: isFolder ? 'folder' : 'file',
    size: isFolder ? 0 : size,
    mtimeMs,
    ctimeMs: mtimeMs,
    ...(link === undefined || link === path ? {} : { link }),
  }
}

/** Vanished while we looked, or a link that leads out or nowhere. */
function isGone(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return code === 'not_found' || code === 'outside_vault' || isStatus(error, STATUS.noSuchFile)
}
