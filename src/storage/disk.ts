import * as fs from 'node:fs'
import { type Exchange, systemExchange } from './exchange.ts'

/** The calls of the file system that the local driver and the data folder make; tests hand in one that fails or forgets. */
export type Disk = Pick<
  typeof fs,
  'linkSync' | 'lstatSync' | 'readFileSync' | 'realpathSync' | 'renameSync' | 'unlinkSync'
> & {
  /** Null where the system has no such call. */
  readonly exchangeSync: Exchange | null
  readonly promises: Pick<
    typeof fs.promises,
    | 'access'
    | 'link'
    | 'lstat'
    | 'mkdir'
    | 'open'
    | 'readdir'
    | 'readFile'
    | 'realpath'
    | 'rename'
    | 'rmdir'
    | 'stat'
    | 'unlink'
  >
}

export const nodeDisk: Disk = {
  linkSync: fs.linkSync,
  lstatSync: fs.lstatSync,
  readFileSync: fs.readFileSync,
  realpathSync: fs.realpathSync,
  renameSync: fs.renameSync,
  unlinkSync: fs.unlinkSync,
  promises: fs.promises,
  get exchangeSync() {
    return systemExchange()
  },
}

/** The errno name of a failed call (`ENOENT`, …), or `''` for any other error. */
export function errnoOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : ''
}

/** Systems and mounts that have no such call answer one of these. */
const NOT_SUPPORTED = new Set([
  'EINVAL',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EPERM',
  'EISDIR',
  'EACCES',
  'EBADF',
])

/** Makes names in a folder durable: a rename or a removal survives a power cut only after it. */
export async function syncFolder(disk: Disk, folder: string): Promise<void> {
  try {
    const handle = await disk.promises.open(folder, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  } catch (error) {
    // Windows opens no folder, some mounts sync none: there is nothing more that could be done there.
    if (!NOT_SUPPORTED.has(errnoOf(error))) throw error
  }
}

/** Does the failure of a `link` say that this file system (or this file) has no hard links? */
export function lacksLinks(error: unknown): boolean {
  return ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL', 'EACCES'].includes(errnoOf(error))
}
