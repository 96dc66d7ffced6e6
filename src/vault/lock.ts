import { VaultError } from '../errors.ts'
import { pathKey } from '../note/path.ts'
import { storageError } from '../storage/failure.ts'
import { KeyQueue } from './key_queue.ts'
import { LockFiles, type LockOfAnother } from './lock_files.ts'

export interface LocksOptions {
  /** Where the lock files lie; null: within this process only. */
  readonly folder: string | null
  /** Longest wait for a lock (ms); longer than `staleMs`, so that a lock left behind is always outlived. */
  readonly timeoutMs?: number
  /** Without a sign of life for so long (ms), a lock whose process cannot be asked for counts as left behind. */
  readonly staleMs?: number
}

const STALE_MS = 15_000

/** The locks that lie in a folder now. */
export function locksIn(folder: string): LockOfAnother[] {
  return new LockFiles(folder, STALE_MS).others()
}

/** A waiter looks at least this often (ms, half as much again at most). */
const LONGEST_PAUSE_MS = 4

/** Lets one change at a time have a path: within this process in the order they came, and across processes. */
export class Locks {
  readonly #queue = new KeyQueue()
  readonly #files: LockFiles | null
  readonly #timeoutMs: number

  constructor({ folder, timeoutMs = 20_000, staleMs = STALE_MS }: LocksOptions) {
    this.#files = folder === null ? null : new LockFiles(folder, staleMs)
    this.#timeoutMs = timeoutMs
  }

  /**
   * Runs the work while nobody else changes one of the paths; spellings of one name share a lock. Everybody takes
   * several locks in the same order, so that nobody waits in a circle.
   * @throws VaultError `timeout` when a lock does not come free, `disk_full`, `unavailable` when none can be made
   */
  async hold<T>(paths: Iterable<string>, work: () => Promise<T>): Promise<T> {
    const names = new Map([...paths].map((path) => [nameOf(path), path]))
    const until = Date.now() + this.#timeoutMs
    const releases: (() => void)[] = []
    try {
      for (const [name, path] of [...names].sort(([a], [b]) => (a < b ? -1 : 1))) {
        const late = () => lateError(path, 'another call')
        releases.push(await this.#queue.acquire(name, Math.max(0, until - Date.now()), late))
        if (this.#files !== null) await this.#takeFile(this.#files, name, { path, until, releases })
      }
      return await work()
    } finally {
      for (const release of releases.reverse()) release()
    }
  }

  async #takeFile(
    files: LockFiles,
    name: string,
    { path, until, releases }: { path: string; until: number; releases: (() => void)[] },
  ): Promise<void> {
    // Whoever waits in another process looks every few milliseconds: give it the time to see that the lock is free.
    if (files.isWanted(name)) await Bun.sleep(2 * LONGEST_PAUSE_MS)
    for (let wait = 1; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
      let holder: ReturnType<LockFiles['take']>
      try {
        holder = files.take(name)
      } catch (cause) {
        throw noLock(path, cause)
      }
      if (holder === null) break
      if (wait > 2) files.want(name)
      if (Date.now() > until) {
        files.unwant(name)
        throw lateError(
          path,
          holder === 'unknown' ? 'another program' : `another server (process ${holder.pid})`,
        )
      }
      await Bun.sleep(wait * (0.5 + Math.random()))
    }
    files.unwant(name)
    releases.push(() => files.release(name))
  }

  /** Removes locks that processes which are gone have left behind. */
  clean(): void {
    this.#files?.clean()
  }

  close(): void {
    this.#files?.close()
  }
}

function nameOf(path: string): string {
  return new Bun.CryptoHasher('sha256').update(pathKey(path)).digest('hex').slice(0, 32)
}

function lateError(path: string, holder: string): VaultError {
  return new VaultError('timeout', `${path} is being changed by ${holder}, which did not finish in time.`, {
    hint: 'Try again in a moment; if it stays so, end the other program.',
  })
}

function noLock(path: string, cause: unknown): VaultError {
  const { code } = storageError(cause, path, 'write')
  return new VaultError(
    code === 'disk_full' ? code : 'unavailable',
    `${path} cannot be locked: the data folder cannot be written.`,
    {
      hint: 'Make the folder for data writable, or name another one with OBSIDIAN_MCP_DATA.',
      cause,
    },
  )
}
