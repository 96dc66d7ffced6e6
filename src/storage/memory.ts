import { VaultError } from '../errors.ts'
import { folderOf, type VaultPath } from '../note/path.ts'
import { storageError } from './failure.ts'
import {
  type Entry,
  type Listing,
  type ListOptions,
  type Storage,
  TEMP_PREFIX,
  type WriteOptions,
} from './storage.ts'

interface MemoryFile {
  readonly bytes: Uint8Array
  readonly mtimeMs: number
  readonly ctimeMs: number
}

let count = 0

/** A vault that lives in memory: for tests and for what is derived and small. Names are told apart by case and normal form. */
export function memoryStorage(files: Readonly<Record<string, string | Uint8Array>> = {}): Storage {
  const storage = new MemoryStorage()
  for (const [path, content] of Object.entries(files)) {
    storage.put(path, typeof content === 'string' ? new TextEncoder().encode(content) : content)
  }
  return storage
}

class MemoryStorage implements Storage {
  readonly kind = 'memory'
  readonly id = `memory:${++count}`
  readonly #files = new Map<VaultPath, MemoryFile>()
  /** Every folder, the root too, with the time it was made. */
  readonly #folders = new Map<VaultPath, number>([['', Date.now()]])

  put(path: VaultPath, bytes: Uint8Array): void {
    assertPath(path)
    this.#makeFolders(folderOf(path), path)
    const old = this.#files.get(path)
    const mtimeMs = Math.max(Date.now(), (old?.mtimeMs ?? 0) + 1)
    this.#files.set(path, { bytes: bytes.slice(), mtimeMs, ctimeMs: old?.ctimeMs ?? mtimeMs })
  }

  async list(folder: VaultPath, { recursive, enter }: ListOptions): Promise<Listing> {
    if (!this.#folders.has(folder)) throw absent(folder)
    const hidden = new Set<VaultPath>()
    const shows = (path: VaultPath): boolean => {
      if (folderOf(path) !== folder && !(recursive && isBelow(path, folder))) return false
      return !ancestors(path, folder).some((f) => hidden.has(f))
    }
    const entries: Entry[] = []
    for (const path of [...this.#folders.keys()].sort((a, b) => a.length - b.length)) {
      if (path === folder || !shows(path)) continue
      if (enter?.(path) === false) hidden.add(path)
      else entries.push(this.#folderEntry(path))
    }
    for (const [path, file] of this.#files) {
      if (shows(path) && !path.slice(path.lastIndexOf('/') + 1).startsWith(TEMP_PREFIX))
        entries.push(entry(path, file))
    }
    return { entries, unreadable: [] }
  }

  async stat(path: VaultPath): Promise<Entry | null> {
    assertPath(path)
    const file = this.#files.get(path)
    if (file !== undefined) return entry(path, file)
    return this.#folders.has(path) ? this.#folderEntry(path) : null
  }

  async read(path: VaultPath, { maxBytes = Number.POSITIVE_INFINITY } = {}): Promise<Uint8Array> {
    const { bytes } = this.#file(path)
    if (bytes.length > maxBytes) {
      throw new VaultError(
        'too_large',
        `${path} has ${bytes.length} bytes, more than the ${maxBytes} allowed here.`,
        {
          hint: 'Read a part of it.',
          details: { size: bytes.length, max_bytes: maxBytes },
        },
      )
    }
    return bytes.slice()
  }

  async write(path: VaultPath, bytes: Uint8Array, { mode, check }: WriteOptions): Promise<void> {
    assertPath(path)
    if (mode === 'create') {
      this.#assertFree(path)
    } else {
      const { bytes: current } = this.#file(path)
      check?.(current.slice())
    }
    this.put(path, bytes)
  }

  async rename(from: VaultPath, to: VaultPath): Promise<void> {
    assertPath(from)
    assertPath(to)
    const isFolder = this.#folders.has(from)
    if (!isFolder && !this.#files.has(from)) throw absent(from)
    if (from === to) return
    if (isFolder && isBelow(to, from)) {
      throw new VaultError('bad_path', `${from} cannot be moved into itself.`, {
        hint: 'Choose another place.',
      })
    }
    this.#assertFree(to)
    this.#makeFolders(folderOf(to), to)
    for (const map of [this.#files, this.#folders] as Map<VaultPath, unknown>[]) {
      for (const [path, value] of [...map]) {
        if (path !== from && !isBelow(path, from)) continue
        map.delete(path)
        map.set(to + path.slice(from.length), value)
      }
    }
  }

  async remove(path: VaultPath): Promise<void> {
    this.#file(path)
    this.#files.delete(path)
  }

  async makeFolder(path: VaultPath): Promise<void> {
    assertPath(path)
    this.#makeFolders(path, path)
  }

  async removeEmptyFolder(path: VaultPath): Promise<boolean> {
    if (!this.#folders.has(path)) throw absent(path)
    if (path === '' || [...this.#files.keys(), ...this.#folders.keys()].some((p) => isBelow(p, path)))
      return false
    return this.#folders.delete(path)
  }

  async sweep(olderThanMs: number): Promise<number> {
    const old = [...this.#files].filter(
      ([path, file]) =>
        path.slice(path.lastIndexOf('/') + 1).startsWith(TEMP_PREFIX) &&
        file.mtimeMs <= Date.now() - olderThanMs,
    )
    for (const [path] of old) this.#files.delete(path)
    return old.length
  }

  async close(): Promise<void> {}

  #file(path: VaultPath): MemoryFile {
    assertPath(path)
    const file = this.#files.get(path)
    if (file !== undefined) return file
    throw this.#folders.has(path) ? storageError({ code: 'EISDIR' }, path, 'read') : absent(path)
  }

  #assertFree(path: VaultPath): void {
    if (this.#files.has(path) || this.#folders.has(path))
      throw storageError({ code: 'EEXIST' }, path, 'write')
  }

  #makeFolders(folder: VaultPath, path: VaultPath): void {
    for (const at of [...ancestors(folder, ''), folder]) {
      if (this.#files.has(at)) {
        const message =
          at === path ? `${at} already exists.` : `${at} is a file, so nothing can be made below it.`
        throw new VaultError('already_exists', message, { hint: 'Choose another folder.' })
      }
      if (!this.#folders.has(at)) this.#folders.set(at, Date.now())
    }
  }

  #folderEntry(path: VaultPath): Entry {
    const made = this.#folders.get(path) ?? 0
    return { path, kind: 'folder', size: 0, mtimeMs: made, ctimeMs: made }
  }
}

function entry(path: VaultPath, { bytes, mtimeMs, ctimeMs }: MemoryFile): Entry {
  return { path, kind: 'file', size: bytes.length, mtimeMs, ctimeMs }
}

function absent(path: VaultPath): VaultError {
  return storageError({ code: 'ENOENT' }, path, 'read')
}

function isBelow(path: VaultPath, folder: VaultPath): boolean {
  return folder === '' ? path !== '' : path.startsWith(`${folder}/`)
}

/** The folders between `top` (left out) and `path` (left out), outermost first. */
function ancestors(path: VaultPath, top: VaultPath): VaultPath[] {
  const folders: VaultPath[] = []
  for (let at = folderOf(path); at !== top && at !== ''; at = folderOf(at)) folders.unshift(at)
  return folders
}

function assertPath(path: VaultPath): void {
  if (path === '') return
  if (path.split('/').some((s) => s === '' || s === '.' || s === '..') || path.includes('\0')) {
    throw new VaultError('bad_path', `${JSON.stringify(path)} is no path inside a vault.`, {
      hint: 'Use a path relative to the vault with / between folders.',
    })
  }
}
