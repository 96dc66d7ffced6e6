import { join } from 'node:path'
import { LockFiles } from '../vault/lock_files.ts'

/** Without a sign of life for so long (ms), a lock whose process cannot be asked for counts as left behind. */
const STALE_MS = 15_000

/** Locks of names in a folder of sockets: who holds one may listen under it. */
export function nameLocks(folder: string): LockFiles {
  return new LockFiles(join(folder, 'locks'), STALE_MS)
}
