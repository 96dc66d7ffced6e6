import { constants } from 'node:fs'
import { dirname } from 'node:path'
import { type Disk, lacksLinks, syncFolder } from './disk.ts'
import { type Displaced, recheck, swapFiles } from './swap.ts'
import { type Temp, unlinkQuietly, writeTemp } from './temp_file.ts'

export interface Replacement {
  /** Absolute real path of the file whose place is taken. */
  readonly target: string
  readonly bytes: Uint8Array
  /** See `WriteOptions.check`. */
  readonly check?: ((current: Uint8Array) => void) | undefined
  /** Called right before the new file takes the place; a throw stops it. */
  readonly confirm: () => void
}

/** A file that was written within this time (ms), and not by us, may still be being written. */
const FRESH_MS = 50

/** How long (ms) a program may take between emptying a file and filling it before we think that it meant to. */
const PATIENCE_MS = 12

/** The files that this process has put in place lately, by inode and time: nobody else is writing into those. */
const ours = new Set<string>()

/**
 * Puts new bytes in the place of a file, whole and durable: a temporary file beside it is written and synced, takes
 * its place, then the folder is synced. Mode, owner (where allowed) stay; the modification time moves on. A change that
 * another program makes meanwhile is found and stays, see {@link swapFiles}.
 * @throws errno errors, and what `check` and `confirm` throw; then the file is as it was and no temporary file stays
 */
export async function replaceFile(disk: Disk, replacement: Replacement): Promise<void> {
  const { target, bytes, check, confirm } = replacement
  const old = await disk.promises.stat(target)
  await disk.promises.access(target, constants.W_OK)
  const temp = await writeTemp(disk, dirname(target), bytes, old)
  let displaced: Displaced | null = null
  try {
    if (check === undefined) {
      confirm()
      disk.renameSync(temp.path, target)
    } else {
      displaced = swapFiles(disk, { temp, target, check, confirm })
    }
    remember(temp)
    await syncFolder(disk, dirname(target))
    if (displaced !== null && check !== undefined) {
      if (mayBeInWork(displaced)) await Bun.sleep(PATIENCE_MS)
      recheck(disk, displaced, { temp, target, check })
    }
  } finally {
    unlinkQuietly(disk, temp.path)
    if (displaced !== null) unlinkQuietly(disk, displaced.path)
  }
}

function mayBeInWork({ ino, mtimeMs }: Displaced): boolean {
  return Date.now() - mtimeMs < FRESH_MS && !ours.has(`${ino} ${mtimeMs}`)
}

function remember({ ino, mtimeMs }: Temp): void {
  if (ours.size > 1000) ours.clear()
  ours.add(`${ino} ${mtimeMs}`)
}

/**
 * Puts a new file in place, whole and durable, where nothing stands: the file system itself decides (`link`, which
 * unlike `rename` replaces nothing).
 * @throws errno `EEXIST` where something stands there
 */
export async function createFile(
  disk: Disk,
  { target, bytes, confirm }: { target: string; bytes: Uint8Array; confirm: () => void },
): Promise<void> {
  const temp = await writeTemp(disk, dirname(target), bytes, null)
  try {
    confirm()
    try {
      disk.linkSync(temp.path, target)
    } catch (error) {
      if (!lacksLinks(error)) throw error
      // An empty file reserves the name; the rename then fills it, so that no half of a note is ever seen.
      await (await disk.promises.open(target, 'wx')).close()
      disk.renameSync(temp.path, target)
    }
  } finally {
    unlinkQuietly(disk, temp.path)
  }
  await syncFolder(disk, dirname(target))
}
