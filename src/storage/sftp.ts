import { VaultError } from '../errors.ts'
import { baseName, folderOf, joinPath, pathKey, type VaultPath } from '../note/path.ts'
import { type Doing, storageError } from './failure.ts'
import { type Attrs, Calls } from './sftp/calls.ts'
import { isStatus, LostError, STATUS, sftpError } from './sftp/failure.ts'
import type { Link } from './sftp/link.ts'
import { listRemote, remoteEntry } from './sftp/listing.ts'
import { within } from './sftp/patience.ts'
import { createRemoteFile, type PlaceJob, replaceRemoteFile } from './sftp/place_file.ts'
import type { Slots, Urgency } from './sftp/slots.ts'
import { sweepRemote } from './sftp/sweep.ts'
import { tempName } from './sftp/temp_file.ts'
import { readRemote } from './sftp/transfer.ts'
import { type Place, Walk } from './sftp/walk.ts'
import type { Connection, Entry, Listing, ListOptions, Storage, WriteOptions } from './storage.ts'

export interface SftpOptions {
  /** `sftp://user@host:port/folder`, for keys and messages. */
  readonly id: string
  readonly link: Link
  /** Absolute path of the vault's folder on the server. */
  readonly root: string
  /** Bounds the operations that are under way at once. */
  readonly slots: Slots
  /** Longest wait for one operation, in milliseconds; large transfers get more in proportion. */
  readonly timeoutMs: number
}

/** A folder behind SSH as a vault. Nothing is asked of the server until something is asked of the storage. */
export function sftpStorage(options: SftpOptions): Storage {
  return new SftpStorage(options, 'tool')
}

/** Bytes a second (a thousandth of it a millisecond) below which a transfer counts as stuck. */
const SLOWEST_BYTES_PER_MS = 32

/** The server's clock dates its files, and ours says how old they are: by so much (ms) the two may differ. */
const CLOCKS_DIFFER_MS = 60 * 60_000

class SftpStorage implements Storage {
  readonly kind = 'sftp'
  readonly id: string
  readonly #options: SftpOptions
  readonly #urgency: Urgency
  #background: Storage | undefined

  constructor(options: SftpOptions, urgency: Urgency) {
    this.id = options.id
    this.#options = options
    this.#urgency = urgency
  }

  get background(): Storage | undefined {
    if (this.#urgency === 'background') return undefined
    this.#background ??= new SftpStorage(this.#options, 'background')
    return this.#background
  }

  connection(): Connection {
    return this.#options.link.status
  }

  async list(folder: VaultPath, options: ListOptions): Promise<Listing> {
    // However many folders there are: the server must answer each request in time, the whole has all the time it takes.
    return this.#reading(folder, Number.POSITIVE_INFINITY, async (walk, calls) => {
      const { real, attrs } = await walk.look(folder, 'read')
      if (attrs.kind !== 'folder') throw notAFolder(folder)
      return listRemote(calls, walk, { folder, real, options })
    })
  }

  async stat(path: VaultPath): Promise<Entry | null> {
    try {
      return await this.#reading(path, this.#options.timeoutMs, async (walk) => {
        const { real, attrs } = await walk.look(path, 'read')
        return remoteEntry(path, attrs, real)
      })
    } catch (error) {
      if (error instanceof VaultError && error.code === 'not_found') return null
      throw error
    }
  }

  read(path: VaultPath, { maxBytes = Number.POSITIVE_INFINITY } = {}): Promise<Uint8Array> {
    return this.#reading(path, this.#options.timeoutMs, async (walk, calls, allow) => {
      const { real, attrs } = await walk.look(path, 'read')
      requireFile(attrs, path)
      allow(attrs.size)
      return await readRemote(calls, walk.absolute(real), { size: attrs.size, path, maxBytes })
    })
  }

  write(path: VaultPath, bytes: Uint8Array, { mode, check }: WriteOptions): Promise<void> {
    const timeoutMs = this.#options.timeoutMs + (2 * bytes.length) / SLOWEST_BYTES_PER_MS
    return this.#writing(path, timeoutMs, async (walk, calls, wanted) => {
      const job = (target: VaultPath) => this.#job(walk, calls, { target, bytes, path, wanted })
      if (mode === 'create') {
        await this.#inNewFolders(walk, calls, path, (place) =>
          this.#tidied(job(place.path), (work) => createRemoteFile(work)),
        )
        return
      }
      const { real, attrs } = await walk.look(path, 'write')
      requireFile(attrs, path)
      // Whether it may be written is the server's to say, and is asked before anything is sent.
      calls.closeSoon(await calls.open(walk.absolute(real), 'r+'))
      await this.#tidied(job(real), (work) => replaceRemoteFile({ ...work, old: attrs, check }))
    })
  }

  #job(
    walk: Walk,
    calls: Calls,
    { target, ...rest }: Pick<PlaceJob, 'bytes' | 'path' | 'wanted'> & { target: VaultPath },
  ): Omit<PlaceJob, 'tidy'> {
    const again = async () => this.#calls()
    return { ...rest, calls, again, target: walk.absolute(target) }
  }

  /** What a change leaves lying about is put away when it is over: now, or on the next connection. */
  async #tidied(job: Omit<PlaceJob, 'tidy'>, work: (job: PlaceJob) => Promise<void>): Promise<void> {
    const leftovers: ((calls: Calls) => Promise<void>)[] = []
    try {
      await work({ ...job, tidy: (put) => leftovers.push(put) })
    } finally {
      await this.#tidy(job.calls, leftovers)
    }
  }

  async #tidy(calls: Calls, leftovers: readonly ((calls: Calls) => Promise<void>)[]): Promise<void> {
    for (const put of leftovers) {
      try {
        await put(calls)
      } catch (error) {
        if (error instanceof LostError) await this.#options.link.repair((channel) => put(new Calls(channel)))
      }
    }
  }

  rename(from: VaultPath, to: VaultPath): Promise<void> {
    return this.#writing(from, this.#options.timeoutMs, async (walk, calls) => {
      const source = await walk.place(from, 'write')
      if (source.attrs === null) throw storageError({ code: 'ENOENT' }, from, 'write')
      if (from === to) return
      if (source.attrs.kind === 'folder' && to.startsWith(`${from}/`)) {
        throw new VaultError('bad_path', `${from} cannot be moved into itself.`, {
          hint: 'Choose another place.',
        })
      }
      if (await this.#isRespelling(walk, calls, from, to)) {
        await this.#respell(walk, calls, source, to)
        return
      }
      await this.#inNewFolders(walk, calls, to, (place) => this.#move(walk, calls, source, place, to))
    })
  }

  async #move(walk: Walk, calls: Calls, source: Place, place: Place, to: VaultPath): Promise<void> {
    try {
      await calls.rename(walk.absolute(source.path), walk.absolute(place.path))
    } catch (error) {
      if (error instanceof LostError) return await this.#lookAfterMove(walk, source, place, error)
      if ((await calls.lstat(walk.absolute(place.path))) !== null)
        throw storageError({ code: 'EEXIST' }, to, 'write')
      throw error
    }
  }

  async #lookAfterMove(walk: Walk, source: Place, place: Place, lost: LostError): Promise<void> {
    const calls = await this.#calls()
    const from = await calls.lstat(walk.absolute(source.path))
    const to = await calls.lstat(walk.absolute(place.path))
    if (from !== null || to === null) throw lost
  }

  /** Is `to` the same file as `from`, on a file system to which both spellings are one name? */
  async #isRespelling(walk: Walk, calls: Calls, from: VaultPath, to: VaultPath): Promise<boolean> {
    if (pathKey(from) !== pathKey(to) || folderOf(from) !== folderOf(to)) return false
    const { folder, attrs } = await walk.place(to, 'write')
    if (attrs === null) return false
    const known = await calls.readdir(walk.absolute(folder))
    return !known.some(({ name }) => name === baseName(to))
  }

  /** Over another name: a rename to a spelling that already leads to the file would be refused. */
  async #respell(walk: Walk, calls: Calls, source: Place, to: VaultPath): Promise<void> {
    const folder = walk.absolute(source.folder)
    const between = tempName(folder)
    await calls.rename(walk.absolute(source.path), between)
    try {
      await calls.rename(between, walk.absolute(joinPath(source.folder, baseName(to))))
    } catch (error) {
      await calls.rename(between, walk.absolute(source.path))
      throw error
    }
  }

  /** Makes the missing folders above `path`, and takes them away again when the work fails. */
  async #inNewFolders(
    walk: Walk,
    calls: Calls,
    path: VaultPath,
    work: (place: Place) => Promise<void>,
  ): Promise<void> {
    const { folder, missing } = await walk.gap(path)
    const made: VaultPath[] = []
    try {
      let at = folder
      for (const name of missing.slice(0, -1)) {
        at = joinPath(at, name)
        if (await makeOne(calls, walk.absolute(at))) made.push(at)
      }
      await work({ folder: at, path: joinPath(at, missing.at(-1)!) })
    } catch (error) {
      for (const at of made.reverse()) await calls.rmdir(walk.absolute(at)).catch(() => {})
      throw error
    }
  }

  remove(path: VaultPath): Promise<void> {
    return this.#writing(path, this.#options.timeoutMs, async (walk, calls) => {
      const place = await walk.place(path, 'write')
      if (place.attrs === null) throw storageError({ code: 'ENOENT' }, path, 'write')
      if (place.attrs.kind === 'folder') throw storageError({ code: 'EISDIR' }, path, 'write')
      try {
        await calls.unlink(walk.absolute(place.path))
      } catch (error) {
        if (!(error instanceof LostError)) throw error
        if ((await (await this.#calls()).lstat(walk.absolute(place.path))) !== null) throw error
      }
    })
  }

  makeFolder(path: VaultPath): Promise<void> {
    return this.#writing(path, this.#options.timeoutMs, async (walk, calls) => {
      const there = await walk.look(path, 'write').catch((error: unknown) => {
        if (error instanceof VaultError && error.code === 'not_found') return null
        throw error
      })
      if (there !== null) {
        if (there.attrs.kind !== 'folder') throw storageError({ code: 'EEXIST' }, path, 'write')
        return
      }
      const gap = await walk.gap(path)
      let at = gap.folder
      for (const name of gap.missing) {
        at = joinPath(at, name)
        await makeOne(calls, walk.absolute(at))
      }
    })
  }

  removeEmptyFolder(path: VaultPath): Promise<boolean> {
    return this.#writing(path, this.#options.timeoutMs, async (walk, calls) => {
      if (path === '') return false
      const place = await walk.place(path, 'write')
      if (place.attrs === null) throw storageError({ code: 'ENOENT' }, path, 'write')
      if (place.attrs.kind !== 'folder') throw notAFolder(path)
      const absolute = walk.absolute(place.path)
      try {
        await calls.rmdir(absolute)
        return true
      } catch (error) {
        // The protocol has no word for "not empty".
        if (!(error instanceof LostError) && (await calls.readdir(absolute)).length > 0) return false
        throw error
      }
    })
  }

  sweep(olderThanMs: number): Promise<number> {
    const age = olderThanMs > 0 ? Math.max(olderThanMs, CLOCKS_DIFFER_MS) : olderThanMs
    return this.#reading('', Number.POSITIVE_INFINITY, (walk, calls) =>
      sweepRemote(calls, walk.root, Date.now() - age),
    )
  }

  close(): Promise<void> {
    return this.#options.link.close()
  }

  async #calls(): Promise<Calls> {
    return new Calls(await this.#options.link.channel())
  }

  /** Reading changes nothing, so where the connection is lost it is done once more on the next one. */
  #reading<T>(
    path: VaultPath,
    timeoutMs: number,
    work: (walk: Walk, calls: Calls, allow: (bytes: number) => void) => Promise<T>,
  ): Promise<T> {
    const once = async (allow: (bytes: number) => void) => {
      const calls = await this.#calls()
      return work(new Walk(calls, this.#options.root), calls, allow)
    }
    return this.#within(path, timeoutMs, 'read', async (extend) => {
      const allow = (bytes: number) => extend(bytes / SLOWEST_BYTES_PER_MS)
      try {
        return await once(allow)
      } catch (error) {
        if (!(error instanceof LostError)) throw error
        return await once(allow)
      }
    })
  }

  /** A change is never repeated by itself. */
  #writing<T>(
    path: VaultPath,
    timeoutMs: number,
    work: (walk: Walk, calls: Calls, wanted: () => void) => Promise<T>,
  ): Promise<T> {
    return this.#within(path, timeoutMs, 'write', async (_extend, wanted) => {
      const calls = await this.#calls()
      return work(new Walk(calls, this.#options.root), calls, wanted)
    })
  }

  async #within<T>(
    path: VaultPath,
    timeoutMs: number,
    doing: Doing,
    work: (extend: (ms: number) => void, wanted: () => void) => Promise<T>,
  ): Promise<T> {
    try {
      const { slots } = this.#options
      // Behind hundreds of others, work that nobody waits for has all the time until its turn comes.
      if (this.#urgency === 'background')
        return await slots('background', () => within(timeoutMs, path, work))
      return await within(timeoutMs, path, (extend, wanted) => slots('tool', () => work(extend, wanted)))
    } catch (error) {
      throw sftpError(error, path, doing)
    }
  }
}

/** @returns false where it is there already */
async function makeOne(calls: Calls, absolute: string): Promise<boolean> {
  try {
    await calls.mkdir(absolute)
    return true
  } catch (error) {
    if (!isStatus(error, STATUS.failure) && !isStatus(error, 11)) throw error
    if ((await calls.lstat(absolute))?.kind !== 'folder') throw error
    return false
  }
}

function requireFile(attrs: Attrs, path: VaultPath): void {
  if (attrs.kind === 'folder') throw storageError({ code: 'EISDIR' }, path, 'read')
  if (attrs.kind === 'file') return
  throw new VaultError('unavailable', `${path} is no regular file.`, { hint: 'Only regular files are read.' })
}

function notAFolder(path: VaultPath): VaultError {
  return new VaultError('not_found', `${path} is a file, no folder.`, {
    hint: `Name a folder, e.g. ${folderOf(path) || 'the root'}.`,
  })
}
