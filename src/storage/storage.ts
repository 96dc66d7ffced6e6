import type { VaultPath } from '../note/path.ts'

/** One entry of a listing. */
export interface Entry {
  readonly path: VaultPath
  readonly kind: 'file' | 'folder'
  /** Bytes; 0 for folders. */
  readonly size: number
  /** Milliseconds since 1970 (SFTP: whole seconds). */
  readonly mtimeMs: number
  /** Creation time where the system knows one, else the same as `mtimeMs`. */
  readonly ctimeMs: number
  /** Only where a link leads there, at its end or through a parent: the path of what it really is. */
  readonly link?: VaultPath
}

/** Something that could not be looked at: it is never taken for gone. */
export interface Unreadable {
  readonly path: VaultPath
  readonly reason: string
}

export interface Listing {
  readonly entries: Entry[]
  /** Folders that could not be listed and files that could not be stat-ed; empty = the listing is complete. */
  readonly unreadable: Unreadable[]
}

export interface ListOptions {
  readonly recursive: boolean
  /**
   * Called with each folder's path before it is entered; false = neither listed nor entered. For a link it is asked
   * about every folder on the way to what the link leads to, too.
   */
  readonly enter?: (folder: VaultPath) => boolean
}

export interface WriteOptions {
  /**
   * - `create`: the file must not exist (`already_exists`), decided by the file system itself, not by a look before
   * - `replace`: the file exists; mode kept
   */
  readonly mode: 'create' | 'replace'
  /**
   * Called at the last moment before the new bytes take the file's place (replace only) with the bytes that stand
   * there then; a throw stops the write and leaves everything as it was. Where the driver can keep hold of what it
   * displaced (locally by a hard link) and that is something else after all, it is called once more with those bytes;
   * a throw then puts them back.
   */
  readonly check?: (current: Uint8Array) => void
}

/**
 * The files of one vault. Every driver passes `test/storage/contract.ts`.
 *
 * - Paths are {@link VaultPath}s as spelled on disk. Every operation judges the real path: what leads out of the
 *   root through a link (also a dangling one, also through a parent) is `outside_vault`. A link to a file inside is
 *   followed for reading and replacing (the target changes, the link stays); `rename` and `remove` act on the link.
 * - "Absent" and "unreadable" are different answers: `not_found` (the parent could be looked at and the name is not
 *   there), `unavailable`, `timeout` (could not look). Other codes: `is_folder`, `already_exists`, `read_only`, `disk_full`.
 * - Temporary names begin with {@link TEMP_PREFIX}: never listed, removed by `sweep`.
 */
export interface Storage {
  readonly kind: 'local' | 'memory' | 'sftp'
  /** For messages and keys: unique per vault (`file:///…`, `memory:…`, `sftp://…`), never shown to clients unless asked. */
  readonly id: string
  /**
   * Everything in `folder`, in no order. Links that lead outside, and dangling ones, are left out; a link to a folder
   * is listed and never entered, since what is in there has a path of its own. Incomplete listings say so.
   * @throws VaultError `not_found`, also for a file; `unavailable` where `folder` itself cannot be listed
   */
  list(folder: VaultPath, options: ListOptions): Promise<Listing>
  /** @returns null where nothing stands (could look, not there). @throws VaultError `outside_vault`, `unavailable`, `timeout` */
  stat(path: VaultPath): Promise<Entry | null>
  /** The whole file. @throws VaultError `not_found`, `is_folder`, `unavailable`, `too_large` (over `maxBytes`) */
  read(path: VaultPath, options?: { readonly maxBytes?: number }): Promise<Uint8Array>
  /**
   * Puts a whole file in place: a reader sees the old bytes or the new ones, never a mixture; durable when it
   * resolves. Makes missing parent folders.
   */
  write(path: VaultPath, bytes: Uint8Array, options: WriteOptions): Promise<void>
  /**
   * Moves a file or a folder. `to` must not exist (`already_exists`), except as another spelling (case, NFC/NFD) of
   * `from` itself. Makes missing parent folders.
   */
  rename(from: VaultPath, to: VaultPath): Promise<void>
  /** Removes a file (a link itself, also a dangling one). @throws `not_found`, `is_folder` */
  remove(path: VaultPath): Promise<void>
  /** Makes a folder and its parents; one that is there already is fine. @throws `already_exists` where a file stands */
  makeFolder(path: VaultPath): Promise<void>
  /** Removes a folder that is empty; answers false (and does nothing) where it is not. */
  removeEmptyFolder(path: VaultPath): Promise<boolean>
  /** Removes temporary files that a killed writer left, those younger than `olderThanMs` excepted. */
  sweep(olderThanMs: number): Promise<number>
  close(): Promise<void>
  /** The same files, for work that nobody waits for: its calls stand behind those of this one. */
  readonly background?: Storage | undefined
  /** How the connection to a remote vault stands; local ones have none. */
  connection?(): Connection
}

export interface Connection {
  readonly state: 'connecting' | 'connected' | 'reconnecting' | 'closed'
  /** What went wrong last, null where nothing did since the connection was made. */
  readonly lastError: string | null
}

/** Temporary files stand beside their target under names that begin so. */
export const TEMP_PREFIX = '.knap-tmp-'
