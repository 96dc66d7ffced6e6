import { basename, dirname, join } from 'node:path'
import { type Disk, errnoOf, syncFolder } from './disk.ts'

/**
 * Makes the folders `names`, one below the other, in `folder`, durably.
 * @param mode as far as the process's mask lets it
 * @returns the absolute paths of those that were made now, outermost first
 */
export async function makeFolders(
  disk: Disk,
  folder: string,
  names: readonly string[],
  mode = 0o777,
): Promise<string[]> {
  const made: string[] = []
  let at = folder
  try {
    for (const name of names) {
      at = join(at, name)
      if (await make(disk, at, mode)) made.push(at)
    }
    for (const path of made) await syncFolder(disk, dirname(path))
    return made
  } catch (error) {
    await unmakeFolders(disk, made)
    throw error
  }
}

/**
 * Makes an absolute folder of our own data with what is missing above it, closed to other users, durably: what is
 * written into it later must not vanish with its name.
 */
export async function ensureDataFolder(disk: Disk, folder: string): Promise<void> {
  const missing: string[] = []
  let at = folder
  while (!(await exists(disk, at))) {
    missing.unshift(basename(at))
    at = dirname(at)
  }
  await makeFolders(disk, at, missing, 0o700)
}

async function exists(disk: Disk, path: string): Promise<boolean> {
  try {
    return (await disk.promises.stat(path)).isDirectory() || dirname(path) === path
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false
    throw error
  }
}

/** Removes folders that were just made, given outermost first, unless something has come to lie in them. */
export async function unmakeFolders(disk: Disk, made: readonly string[]): Promise<void> {
  for (const folder of [...made].reverse()) await disk.promises.rmdir(folder).catch(() => {})
}

/** @returns false where it is there already */
async function make(disk: Disk, folder: string, mode: number): Promise<boolean> {
  try {
    await disk.promises.mkdir(folder, { mode })
    return true
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false
    throw error
  }
}
