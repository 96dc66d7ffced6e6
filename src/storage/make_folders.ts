import { dirname, join } from 'node:path'
import { type Disk, errnoOf, syncFolder } from './disk.ts'

/**
 * Makes the folders `names`, one below the other, in `folder`, durably.
 * @returns the absolute paths of those that were made now, outermost first
 */
export async function makeFolders(disk: Disk, folder: string, names: readonly string[]): Promise<string[]> {
  const made: string[] = []
  let at = folder
  try {
    for (const name of names) {
      at = join(at, name)
      if (await make(disk, at)) made.push(at)
    }
    for (const path of made) await syncFolder(disk, dirname(path))
    return made
  } catch (error) {
    await unmakeFolders(disk, made)
    throw error
  }
}

/** Removes folders that were just made, given outermost first, unless something has come to lie in them. */
export async function unmakeFolders(disk: Disk, made: readonly string[]): Promise<void> {
  for (const folder of [...made].reverse()) await disk.promises.rmdir(folder).catch(() => {})
}

/** @returns false where it is there already */
async function make(disk: Disk, folder: string): Promise<boolean> {
  try {
    await disk.promises.mkdir(folder)
    return true
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false
    throw error
  }
}
