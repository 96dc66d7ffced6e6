import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { LockFiles } from '../vault/lock_files.ts'
import type { Hello } from './greeting.ts'
import { dial, Link } from './link.ts'
import { LASTING, socketPath } from './place.ts'

/**
 * - a link: an engine runs, and takes this client
 * - locks: none runs, and this process is to become it: the name is its own from now on
 * - null: this process is to stand alone
 */
export type Found = { readonly link: Link } | { readonly locks: LockFiles } | null

export interface Search {
  /** The folder of the sockets. */
  readonly folder: string
  /** Engines that would do, the best first. */
  readonly names: readonly string[]
  /** The name to take where none runs. */
  readonly own: string
  readonly hello: Hello
  /** For so long (ms) another engine that would do is waited for, before the own name is taken. Default 0. */
  readonly claimAfterMs?: number
  /** How long (ms) somebody else may take to become the engine. */
  readonly patienceMs: number
}

/** Many look at once when an engine has ended: they do not do so in step. */
const PAUSE_MS = 10

/** Finds the running engine, or makes this process the one that becomes it. */
export async function findEngine({
  folder,
  names,
  own,
  hello,
  claimAfterMs = 0,
  patienceMs,
}: Search): Promise<Found> {
  const since = Date.now()
  for (;;) {
    for (const name of names.flatMap((n) => [n + LASTING, n])) {
      const link = await dial(socketPath(folder, name), hello)
      if (link instanceof Link) return { link }
      if (link !== 'absent') return null
    }
    const waited = Date.now() - since
    const locks = waited < claimAfterMs ? null : await claimName(folder, own)
    if (locks !== null) return { locks }
    if (waited > patienceMs) return null
    await Bun.sleep(PAUSE_MS + Math.random() * 2 * PAUSE_MS)
  }
}

/** Has a process taken this name? It may have been killed since. */
export function isNameTaken(folder: string, name: string): boolean {
  return existsSync(join(folder, 'locks', name))
}

/** Takes a name for this process, until the locks are closed. @returns null where another process has it */
export async function claimName(folder: string, name: string): Promise<LockFiles | null> {
  const { nameLocks } = await import('./name_locks.ts')
  const locks = nameLocks(folder)
  try {
    if (locks.take(name) === null) return locks
  } catch {
    // No lock can be made there: whoever cannot be found cannot be joined.
  }
  locks.close()
  return null
}
