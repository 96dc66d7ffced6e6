import {
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { errnoOf, lacksLinks } from '../storage/disk.ts'
import { isRunning, ownIdentity, type ProcessIdentity, readIdentity } from './process_identity.ts'

/** Locks show a sign of life this often (ms) while one is held. */
const BEAT_MS = 3000

const WANTED = '-wanted'

/**
 * Locks between processes: files in one folder. Each process writes who it is into a file of its own and takes a lock
 * by a hard link of that file, so that a lock appears with its content or not at all and one touch keeps all of
 * a process's locks alive.
 *
 * The calls are synchronous: the folder is on the machine's own disk, each takes microseconds, and no other work of
 * this process comes in between.
 */
export class LockFiles {
  readonly #folder: string
  readonly #staleMs: number
  readonly #self = ownIdentity()
  readonly #held = new Set<string>()
  #beat: ReturnType<typeof setInterval> | null = null
  #beatAt = 0

  /** @param staleMs after so long without a sign of life a lock counts as left behind, if its process cannot be asked for */
  constructor(folder: string, staleMs: number) {
    this.#folder = folder
    this.#staleMs = staleMs
  }

  /** @returns null when the lock is ours now, else who holds it. @throws errno errors of the lock folder */
  take(name: string): ProcessIdentity | 'unknown' | null {
    const path = join(this.#folder, name)
    for (let attempt = 0; attempt < 3; attempt++) {
      if (this.#tryTake(path)) {
        this.#held.add(name)
        this.#keepBeating()
        return null
      }
      const holder = this.#holder(path)
      if (holder === null) continue
      if (!this.#isLeftBehind(holder)) return holder.identity ?? 'unknown'
      this.#evict(path, holder.text)
    }
    return 'unknown'
  }

  release(name: string): void {
    if (!this.#held.delete(name)) return
    const path = join(this.#folder, name)
    // Somebody may have taken a lock over that we held for too long.
    if (this.#holder(path)?.identity?.token === this.#self.token) unlinkQuietly(path)
    if (this.#held.size === 0 && this.#beat !== null) {
      clearInterval(this.#beat)
      this.#beat = null
    }
  }

  /** Leaves word that we wait for a lock, so that its holder does not take it again and again before us. */
  want(name: string): void {
    try {
      linkSync(this.#own, join(this.#folder, name + WANTED))
    } catch {
      // Somebody's word is there already, or there are no links here: then luck decides who comes first.
    }
  }

  /** Takes our word back. */
  unwant(name: string): void {
    const path = join(this.#folder, name + WANTED)
    if (this.#holder(path)?.identity?.token === this.#self.token) unlinkQuietly(path)
  }

  /** Does another process wait for this lock? Word that is older than anybody waits is removed. */
  isWanted(name: string): boolean {
    const path = join(this.#folder, name + WANTED)
    const waiter = this.#holder(path)
    if (waiter === null || waiter.identity?.token === this.#self.token) return false
    if (!this.#isLeftBehind(waiter)) return true
    unlinkQuietly(path)
    return false
  }

  /** Removes what processes that are gone have left. */
  clean(): void {
    for (const name of readdirQuietly(this.#folder)) {
      const path = join(this.#folder, name)
      const holder = this.#holder(path)
      if (holder === null || holder.identity?.token === this.#self.token) continue
      if (name.startsWith('owner-') || name.endsWith(WANTED)) {
        if (this.#isLeftBehind(holder)) unlinkQuietly(path)
      } else if (this.#isLeftBehind(holder)) {
        this.#evict(path, holder.text)
      }
    }
  }

  /** The locks that other processes have, or had when they went. */
  others(): LockOfAnother[] {
    const names = readdirQuietly(this.#folder).filter((n) => !n.startsWith('owner-') && !n.endsWith(WANTED))
    return names.flatMap((name) => {
      const holder = this.#holder(join(this.#folder, name))
      if (holder === null || holder.identity?.token === this.#self.token) return []
      return [{ pid: holder.identity?.pid ?? null, isLeftBehind: this.#isLeftBehind(holder) }]
    })
  }

  close(): void {
    for (const name of [...this.#held]) this.release(name)
    unlinkQuietly(this.#own)
  }

  get #own(): string {
    return join(this.#folder, `owner-${this.#self.token}`)
  }

  #tryTake(path: string): boolean {
    for (let attempt = 0; ; attempt++) {
      try {
        linkSync(this.#own, path)
        return true
      } catch (error) {
        const errno = errnoOf(error)
        if (errno === 'EEXIST') return false
        if (errno === 'ENOENT' && attempt === 0) this.#writeOwn()
        else if (lacksLinks(error)) return this.#takeWithoutLink(path)
        else throw error
      }
    }
  }

  #writeOwn(): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    writeFileSync(this.#own, JSON.stringify(this.#self), { mode: 0o600 })
    this.#beatAt = Date.now()
  }

  #takeWithoutLink(path: string): boolean {
    try {
      const file = openSync(path, 'wx', 0o600)
      writeSync(file, JSON.stringify(this.#self))
      closeSync(file)
      return true
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') return false
      throw error
    }
  }

  #keepBeating(): void {
    if (Date.now() - this.#beatAt > BEAT_MS) this.#touch()
    if (this.#beat !== null) return
    this.#beat = setInterval(() => this.#touch(), BEAT_MS)
    this.#beat.unref()
  }

  #touch(): void {
    const now = new Date()
    this.#beatAt = now.getTime()
    for (const path of [this.#own, ...[...this.#held].map((name) => join(this.#folder, name))]) {
      try {
        utimesSync(path, now, now)
      } catch {
        // Taken over or removed: release finds that out.
      }
    }
  }

  #holder(path: string): Holder | null {
    try {
      const text = readFileSync(path, 'utf8')
      return { text, identity: readIdentity(text), beatAt: statSync(path).mtimeMs }
    } catch {
      return null
    }
  }

  #isLeftBehind({ identity, beatAt }: Holder): boolean {
    const state = identity === null ? 'unknown' : isRunning(identity)
    if (state !== 'unknown') return state === 'gone'
    return Date.now() - beatAt > this.#staleMs
  }

  /** Takes a left-behind lock away, unless somebody else has just done so and holds it anew. */
  #evict(path: string, text: string): void {
    const aside = `${path}-${this.#self.token}`
    try {
      renameSync(path, aside)
      if (readFileSync(aside, 'utf8') !== text) linkSync(aside, path)
    } catch {
      // Somebody was faster.
    }
    unlinkQuietly(aside)
  }
}

export interface LockOfAnother {
  /** Null where the file does not say. */
  readonly pid: number | null
  readonly isLeftBehind: boolean
}

interface Holder {
  readonly text: string
  readonly identity: ProcessIdentity | null
  readonly beatAt: number
}

function unlinkQuietly(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // Not there any more.
  }
}

function readdirQuietly(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
