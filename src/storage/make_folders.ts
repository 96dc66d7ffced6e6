import { dirname, join } from 'node:path'
import { type Disk, errnoOf, syncFolder } from './disk.ts'

/**
 * Makes the folders `names`, one below the other, in `folder`, durably.
 * @returns the absolute paths of those that were made now, outermost first
 */
export async function makeFolders(disk: Disk, folder: string, names: readonly string[]): Promise<string[]> {
  const made: string[] = []
  let at = folder
  for (const name of names) {
    at = join(at, name)
    try {
      await disk.promises.mkdir(at)
      made.push(at)
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') continue
      for (const folder of made.reverse()) await disk.promises.rmdir(folder).catch(() => {})
      throw error
    }
  }
  for (const path of made) await syncFolder(disk, dirname(path))
  return made
}
