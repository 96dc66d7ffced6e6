import type { Stats } from 'node:fs'
import { join } from 'node:path'
import type { Disk } from './disk.ts'
import { TEMP_PREFIX } from './storage.ts'

/** A temporary file, written and synced. */
export interface Temp {
  readonly path: string
  readonly ino: number
  readonly mtimeMs: number
}

/** A new name of fixed length beside a target, hidden from listings. */
export function tempName(folder: string): string {
  return join(folder, TEMP_PREFIX + crypto.getRandomValues(new Uint8Array(8)).toHex())
}

/**
 * Writes a temporary file, durably. In place of an old file it takes over mode and owner (where allowed), and its
 * modification time lies after the old one's.
 */
export async function writeTemp(
  disk: Disk,
  folder: string,
  bytes: Uint8Array,
  old: Stats | null,
): Promise<Temp> {
  const path = tempName(folder)
  const handle = await disk.promises.open(path, 'wx', old === null ? 0o666 : 0o600)
  try {
    await handle.writeFile(bytes)
    let now = await handle.stat()
    if (old !== null) {
      if (old.uid !== now.uid || old.gid !== now.gid) await handle.chown(old.uid, old.gid).catch(() => {})
      await handle.chmod(old.mode & 0o7777)
      // Coarse clocks (down to two seconds on FAT), and times set into the future, must not hide a change.
      for (const step of [2, 1001, 2001]) {
        if (now.mtimeMs > old.mtimeMs) break
        const later = new Date(Math.floor(old.mtimeMs) + step)
        await handle.utimes(later, later)
        now = await handle.stat()
      }
    }
    await handle.sync()
    return { path, ino: now.ino, mtimeMs: now.mtimeMs }
  } catch (error) {
    unlinkQuietly(disk, path)
    throw error
  } finally {
    await handle.close()
  }
}

/** Removes a file that may be gone already. */
export function unlinkQuietly(disk: Disk, path: string): void {
  try {
    disk.unlinkSync(path)
  } catch {
    // Gone already, or it stays hidden until the next sweep.
  }
}
