import type { Attributes, InputAttributes, SFTPWrapper } from 'ssh2'
import type { Channel } from './channel.ts'
import { isStatus, LostError, STATUS, StatusError } from './failure.ts'

/** What the server says about a name, links not followed unless said otherwise. */
export interface Attrs {
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  /** Bytes. */
  readonly size: number
  /** Whole seconds since 1970, as the protocol has them, in milliseconds. */
  readonly mtimeMs: number
  /** Permission bits. */
  readonly mode: number
  readonly uid: number
  readonly gid: number
}

export interface Named {
  readonly name: string
  readonly attrs: Attrs
}

/** Bytes in one packet: every server takes as much. */
export const CHUNK = 32 * 1024

const TYPES: ReadonlyMap<number, Attrs['kind']> = new Map([
  [0o100000, 'file'],
  [0o040000, 'folder'],
  [0o120000, 'link'],
])

/** The requests of the protocol, a promise each. Paths are absolute on the server. */
export class Calls {
  readonly #channel: Channel

  constructor(channel: Channel) {
    this.#channel = channel
  }

  realpath(path: string): Promise<string> {
    return this.#ask((sftp, answer) => sftp.realpath(path, answer))
  }

  /** Null where nothing stands. */
  async lstat(path: string): Promise<Attrs | null> {
    return orNull(this.#ask<Attributes>((sftp, answer) => sftp.lstat(path, answer)).then(attrsOf))
  }

  /** Links followed; null where nothing stands. */
  async stat(path: string): Promise<Attrs | null> {
    return orNull(this.#ask<Attributes>((sftp, answer) => sftp.stat(path, answer)).then(attrsOf))
  }

  readlink(path: string): Promise<string> {
    return this.#ask((sftp, answer) => sftp.readlink(path, answer))
  }

  setstat(path: string, attrs: InputAttributes): Promise<void> {
    return this.#ask((sftp, answer) => sftp.setstat(path, attrs, answer))
  }

  /** Everything in a folder but `.` and `..`. */
  async readdir(path: string): Promise<Named[]> {
    const handle = await this.#ask<Buffer>((sftp, answer) => sftp.opendir(path, answer))
    try {
      const found: Named[] = []
      for (;;) {
        const batch = await this.#batch(handle)
        if (batch === null) return found
        for (const { filename, attrs } of batch)
          if (isName(filename)) found.push({ name: filename, attrs: attrsOf(attrs) })
      }
    } finally {
      this.closeSoon(handle)
    }
  }

  async #batch(handle: Buffer): Promise<readonly { filename: string; attrs: Attributes }[] | null> {
    try {
      return await this.#ask((sftp, answer) => sftp.readdir(handle, answer))
    } catch (error) {
      if (isStatus(error, STATUS.eof)) return null
      throw error
    }
  }

  mkdir(path: string): Promise<void> {
    return this.#ask((sftp, answer) => sftp.mkdir(path, answer))
  }

  rmdir(path: string): Promise<void> {
    return this.#ask((sftp, answer) => sftp.rmdir(path, answer))
  }

  unlink(path: string): Promise<void> {
    return this.#ask((sftp, answer) => sftp.unlink(path, answer))
  }

  /** The protocol's own rename, which replaces nothing. */
  rename(from: string, to: string): Promise<void> {
    return this.#ask((sftp, answer) => sftp.rename(from, to, answer))
  }

  /** Takes the place of `to` in one step. @returns false where the server does not know how */
  posixRename(from: string, to: string): Promise<boolean> {
    return this.#extension((sftp, answer) => sftp.ext_openssh_rename(from, to, answer))
  }

  /** @returns false where the server does not know how */
  hardlink(from: string, to: string): Promise<boolean> {
    return this.#extension((sftp, answer) => sftp.ext_openssh_hardlink(from, to, answer))
  }

  /** @returns false where the server does not know how */
  fsync(handle: Buffer): Promise<boolean> {
    return this.#extension((sftp, answer) => sftp.ext_openssh_fsync(handle, answer))
  }

  /** Free bytes for this user where `path` lies, or null where the server does not say. */
  async freeBytes(path: string): Promise<number | null> {
    try {
      const facts = await this.#ask<{ f_frsize: unknown; f_bavail: unknown }>((sftp, answer) =>
        sftp.ext_openssh_statvfs(path, answer),
      )
      const free = Number(facts.f_frsize) * Number(facts.f_bavail)
      return Number.isFinite(free) ? free : null
    } catch {
      return null
    }
  }

  open(path: string, flags: 'r' | 'r+' | 'wx', mode = 0o666): Promise<Buffer> {
    return this.#ask((sftp, answer) => sftp.open(path, flags, mode, answer))
  }

  close(handle: Buffer): Promise<void> {
    return this.#ask((sftp, answer) => sftp.close(handle, answer))
  }

  /** For handles that were only read from: nothing depends on the answer. */
  closeSoon(handle: Buffer): void {
    this.close(handle).catch(() => {})
  }

  /** Up to `length` bytes (at most {@link CHUNK}) from `position`; empty at the end of the file. */
  read(handle: Buffer, position: number, length: number): Promise<Uint8Array> {
    return this.#ask((sftp, answer) => {
      const into = Buffer.allocUnsafe(length)
      sftp.read(handle, into, 0, length, position, (error, count) => {
        if ((error as { code?: unknown } | undefined)?.code === STATUS.eof) answer(null, new Uint8Array())
        else answer(error, into.subarray(0, count))
      })
    })
  }

  write(handle: Buffer, bytes: Uint8Array, position: number): Promise<void> {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    return this.#ask((sftp, answer) => sftp.write(handle, chunk, 0, chunk.length, position, answer))
  }

  fsetstat(handle: Buffer, attrs: InputAttributes): Promise<void> {
    return this.#ask((sftp, answer) => sftp.fsetstat(handle, attrs, answer))
  }

  #ask<T>(run: Parameters<typeof Channel.prototype.request<T>>[0]): Promise<T> {
    return this.#channel.request(run)
  }

  /** ssh2 throws where the server has not advertised an extension. */
  async #extension(
    run: (sftp: SFTPWrapper, answer: (error?: Error | null) => void) => void,
  ): Promise<boolean> {
    try {
      await this.#ask<void>(run)
      return true
    } catch (error) {
      if (isStatus(error, STATUS.unsupported)) return false
      if (error instanceof StatusError || error instanceof LostError) throw error
      return false
    }
  }
}

/** What a server sends as a name becomes a part of paths: nothing but a name may. */
function isName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[/\0]/.test(name)
}

function attrsOf({ mode = 0, size = 0, mtime = 0, uid = 0, gid = 0 }: Attributes): Attrs {
  const kind = TYPES.get(mode & 0o170000) ?? 'other'
  return { kind, size, mtimeMs: mtime * 1000, mode: mode & 0o7777, uid, gid }
}

async function orNull<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    if (isStatus(error, STATUS.noSuchFile)) return null
    throw error
  }
}
