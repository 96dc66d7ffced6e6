import { basename, dirname } from 'node:path'
import type { Disk } from '../../src/storage/disk.ts'

interface File {
  readonly kind: 'file'
  readonly ino: number
  live: Uint8Array
  /** What a power cut leaves. */
  durable: Uint8Array
  mtimeMs: number
  links: number
}

interface Folder {
  readonly kind: 'folder'
  readonly ino: number
  live: Map<string, File | Folder>
  durable: Map<string, File | Folder>
}

/** A disk in memory that loses, on a power cut, what was not synced. */
export interface ForgetfulDisk {
  readonly disk: Disk
  /** The power goes before the nth changing call from now: it and all later calls fail. */
  cutPowerAt(call: number): void
  /** How many changing calls there were. */
  calls(): number
  /**
   * What a restart finds. Files and names that were synced are as they were then; of what was not, each is kept where
   * `keep` says so and lost otherwise, since a system may have written it all the same.
   */
  restart(keep: () => boolean): void
}

/** @param folders absolute paths of the folders that are there, parents first */
export function forgetfulDisk(folders: readonly string[]): ForgetfulDisk {
  let inodes = 1
  let calls = 0
  let cutAt = Number.POSITIVE_INFINITY
  const root = newFolder()
  const all: (File | Folder)[] = [root]

  function newFolder(): Folder {
    return { kind: 'folder', ino: inodes++, live: new Map(), durable: new Map() }
  }
  function find(path: string): File | Folder {
    let at: File | Folder = root
    for (const name of path.split('/').filter((s) => s !== '')) {
      if (at.kind === 'file') throw errno('ENOTDIR')
      const next: File | Folder | undefined = at.live.get(name)
      if (next === undefined) throw errno('ENOENT')
      at = next
    }
    return at
  }
  function folder(path: string): Folder {
    const found = find(path)
    if (found.kind === 'file') throw errno('ENOTDIR')
    return found
  }
  function file(path: string): File {
    const found = find(path)
    if (found.kind === 'folder') throw errno('EISDIR')
    return found
  }
  const parent = (path: string) => folder(dirname(path))
  const change = () => {
    if (++calls >= cutAt) throw errno('EIO')
  }
  const alive = () => {
    if (calls >= cutAt) throw errno('EIO')
  }
  const stat = (path: string) => {
    alive()
    return statOf(find(path))
  }

  const sync = {
    linkSync: (from: string, to: string) => {
      change()
      const source = file(from)
      if (parent(to).live.has(basename(to))) throw errno('EEXIST')
      parent(to).live.set(basename(to), source)
    },
    renameSync: (from: string, to: string) => {
      change()
      const source = find(from)
      parent(from).live.delete(basename(from))
      parent(to).live.set(basename(to), source)
    },
    unlinkSync: (path: string) => {
      change()
      file(path)
      parent(path).live.delete(basename(path))
    },
    exchangeSync: (a: string, b: string) => {
      change()
      const [one, two] = [find(a), find(b)]
      parent(a).live.set(basename(a), two)
      parent(b).live.set(basename(b), one)
      return true
    },
    lstatSync: stat,
    readFileSync: (path: string) => {
      alive()
      return Buffer.from(file(path).live)
    },
    realpathSync: (path: string) => {
      stat(path)
      return path
    },
  }

  async function open(path: string, flags: string | number = 'r') {
    alive()
    const writes = flags === 'wx' || flags === 'a'
    let node: File | Folder | undefined = parent(path).live.get(basename(path))
    if (node !== undefined && flags === 'wx') throw errno('EEXIST')
    if (node === undefined) {
      if (!writes) throw errno('ENOENT')
      change()
      node = {
        kind: 'file',
        ino: inodes++,
        live: new Uint8Array(),
        durable: new Uint8Array(),
        mtimeMs: inodes,
        links: 1,
      }
      all.push(node)
      parent(path).live.set(basename(path), node)
    }
    const opened = node
    const append = async (data: Uint8Array | string) => {
      change()
      if (opened.kind === 'folder') throw errno('EISDIR')
      opened.live = Buffer.concat([opened.live, typeof data === 'string' ? Buffer.from(data) : data])
      opened.mtimeMs++
    }
    return {
      writeFile: append,
      appendFile: append,
      readFile: async (encoding?: string) => {
        alive()
        const bytes = Buffer.from((opened as File).live)
        return encoding === 'utf8' ? bytes.toString('utf8') : bytes
      },
      read: async (into: Uint8Array, at: number, length: number, from: number) => {
        alive()
        const part = (opened as File).live.subarray(from, from + length)
        into.set(part, at)
        return { bytesRead: part.length }
      },
      stat: async () => {
        alive()
        return statOf(opened)
      },
      chmod: async () => alive(),
      chown: async () => alive(),
      utimes: async (_: Date, at: Date) => {
        if (opened.kind === 'file') opened.mtimeMs = at.getTime()
      },
      sync: async () => {
        change()
        if (opened.kind === 'file') opened.durable = opened.live
        else opened.durable = new Map(opened.live)
      },
      close: async () => {},
    }
  }

  const promises = {
    open,
    access: async (path: string) => void stat(path),
    readFile: async (path: string) => sync.readFileSync(path),
    stat: async (path: string) => stat(path),
    lstat: async (path: string) => stat(path),
    realpath: async (path: string) => sync.realpathSync(path),
    link: async (from: string, to: string) => sync.linkSync(from, to),
    rename: async (from: string, to: string) => sync.renameSync(from, to),
    unlink: async (path: string) => sync.unlinkSync(path),
    readdir: async (path: string, options?: { withFileTypes?: boolean }) => {
      alive()
      const entries = [...folder(path).live]
      return options?.withFileTypes
        ? entries.map(([name, node]) => ({ name, ...statOf(node) }))
        : entries.map(([n]) => n)
    },
    mkdir: async (path: string, options?: { recursive?: boolean }) => {
      change()
      if (options?.recursive && dirname(path) !== path) {
        await locate(dirname(path)).catch(() => promises.mkdir(dirname(path), options))
      }
      if (parent(path).live.has(basename(path))) {
        if (options?.recursive) return
        throw errno('EEXIST')
      }
      const made = newFolder()
      all.push(made)
      parent(path).live.set(basename(path), made)
    },
    rmdir: async (path: string) => {
      change()
      if (folder(path).live.size > 0) throw errno('ENOTEMPTY')
      parent(path).live.delete(basename(path))
    },
  }
  const locate = async (path: string) => find(path)

  for (const path of folders) parent(path).live.set(basename(path), track(newFolder()))
  function track(made: Folder): Folder {
    all.push(made)
    return made
  }
  for (const node of all) if (node.kind === 'folder') node.durable = new Map(node.live)

  return {
    disk: { ...sync, promises } as unknown as Disk,
    calls: () => calls,
    cutPowerAt: (call) => {
      cutAt = calls + call
    },
    restart: (keep) => {
      for (const node of all) {
        if (node.kind === 'file')
          node.live = node.durable = node.live === node.durable || keep() ? node.live : node.durable
        else node.live = node.durable = mixed(node, keep)
      }
      cutAt = Number.POSITIVE_INFINITY
    },
  }
}

/** Each name of a folder as it was synced last, or as it is now. */
function mixed({ live, durable }: Folder, keep: () => boolean): Map<string, File | Folder> {
  const found = new Map(durable)
  for (const name of new Set([...live.keys(), ...durable.keys()])) {
    if (live.get(name) === durable.get(name) || !keep()) continue
    const node = live.get(name)
    if (node === undefined) found.delete(name)
    else found.set(name, node)
  }
  return found
}

function statOf(node: File | Folder) {
  const isFile = node.kind === 'file'
  return {
    ino: node.ino,
    dev: 1,
    uid: 0,
    gid: 0,
    mode: 0o644,
    size: isFile ? node.live.length : 0,
    mtimeMs: isFile ? node.mtimeMs : 1,
    ctimeMs: 1,
    birthtimeMs: 1,
    isFile: () => isFile,
    isDirectory: () => !isFile,
    isSymbolicLink: () => false,
  }
}

function errno(code: string): Error {
  return Object.assign(new Error(code), { code })
}
