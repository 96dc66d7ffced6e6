import type { Dirent } from 'node:fs'
import { join } from 'node:path'
import type { Disk } from './disk.ts'
import { TEMP_PREFIX } from './storage.ts'

/**
 * Removes temporary files that were last touched before `beforeMs` (milliseconds since 1970), links not followed.
 * What cannot be listed or removed stays: it is hidden anyway.
 * @returns how many were removed
 */
export async function sweepFolder(disk: Disk, folder: string, beforeMs: number): Promise<number> {
  let names: Dirent[]
  try {
    names = await disk.promises.readdir(folder, { withFileTypes: true })
  } catch {
    return 0
  }
  let removed = 0
  for (const dirent of names) {
    const path = join(folder, dirent.name)
    if (dirent.isDirectory()) removed += await sweepFolder(disk, path, beforeMs)
    else if (dirent.name.startsWith(TEMP_PREFIX) && (await removeOld(disk, path, beforeMs))) removed++
  }
  return removed
}

async function removeOld(disk: Disk, path: string, beforeMs: number): Promise<boolean> {
  try {
    const stat = await disk.promises.lstat(path)
    // A file held by a hard link keeps its old modification time; the link itself moves the change time.
    if (Math.max(stat.mtimeMs, stat.ctimeMs) > beforeMs) return false
    await disk.promises.unlink(path)
    return true
  } catch {
    return false
  }
}
