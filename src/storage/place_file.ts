import { randomBytes } from 'node:crypto'
import type { Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Disk, errnoOf, syncFolder } from './disk.ts'
import { TEMP_PREFIX } from './storage.ts'

export interface Replacement {
  /** Absolute real path of the file whose place is taken. */
  readonly target: string
  readonly bytes: Uint8Array
  /** See `WriteOptions.check`. */
  readonly check?: ((current: Uint8Array) => void) | undefined
  /** Called right before the rename; a throw stops it. */
  readonly confirm: () => void
}

/** Times the file may be swapped for another one under our hands before we give up. */
const ATTEMPTS = 5

/**
 * Puts new bytes in the place of a file, whole and durable: a temporary file beside it is written and synced, then
 * renamed over it, then the folder is synced. Mode, owner (where allowed) stay; the modification time moves on.
 *
 * A rename cannot compare and swap. So the file that stands there is held by a hard link first, compared before and
 * after the rename, and put back when it had been changed in between; where there are no hard links only the
 * comparison before is left.
 * @throws errno errors, and what `check` and `confirm` throw; then the file is as it was and no temporary file stays
 */
export async function replaceFile(disk: Disk, { target, bytes, check, confirm }: Replacement): Promise<void> {
  const old = await disk.promises.stat(target)
  await disk.promises.access(target, 2)
  const temp = await writeTemp(disk, dirname(target), bytes, old)
  try {
    for (let attempt = 1; !swap(disk, temp, { target, check, confirm }); attempt++) {
      if (attempt === ATTEMPTS)
        throw Object.assign(new Error('The file is being replaced all the time.'), { code: 'EBUSY' })
    }
  } catch (error) {
    unlinkQuietly(disk, temp.path)
    throw error
  }
  await syncFolder(disk, dirname(target))
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

/** Does the failure of a `link` say that this file system (or this file) has no hard links? */
export function lacksLinks(error: unknown): boolean {
  return ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL', 'EACCES'].includes(errnoOf(error))
}

interface Temp {
  readonly path: string
  readonly ino: number
}

function tempName(folder: string): string {
  return join(folder, TEMP_PREFIX + randomBytes(8).toString('hex'))
}

async function writeTemp(disk: Disk, folder: string, bytes: Uint8Array, old: Stats | null): Promise<Temp> {
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
    return { path, ino: now.ino }
  } catch (error) {
    unlinkQuietly(disk, path)
    throw error
  } finally {
    await handle.close()
  }
}

/** @returns false where another file stood there at the last look: try again. */
function swap(disk: Disk, temp: Temp, { target, check, confirm }: Omit<Replacement, 'bytes'>): boolean {
  // Synchronous calls on purpose: nothing of ours comes between them, and the window stays some microseconds.
  if (check === undefined) {
    confirm()
    disk.renameSync(temp.path, target)
    return true
  }
  const held = hold(disk, target)
  try {
    const seen = disk.readFileSync(held ?? target)
    check(seen)
    confirm()
    if (held !== null && disk.lstatSync(held).ino !== disk.lstatSync(target).ino) return false
    disk.renameSync(temp.path, target)
    if (held !== null) assertDisplaced(disk, { held, seen, target, temp, check })
    return true
  } finally {
    if (held !== null) unlinkQuietly(disk, held)
  }
}

function hold(disk: Disk, target: string): string | null {
  const held = tempName(dirname(target))
  try {
    disk.linkSync(target, held)
    return held
  } catch (error) {
    if (lacksLinks(error)) return null
    throw error
  }
}

interface Displaced {
  readonly held: string
  readonly seen: Uint8Array
  readonly target: string
  readonly temp: Temp
  readonly check: (current: Uint8Array) => void
}

/** What we displaced must be what we had looked at; else it goes back, and `check` says why. */
function assertDisplaced(disk: Disk, { held, seen, target, temp, check }: Displaced): void {
  const displaced = disk.readFileSync(held)
  if (Buffer.compare(displaced, seen) === 0) return
  try {
    check(displaced)
  } catch (error) {
    // Not when somebody has already put yet another file there: that one is newer.
    if (disk.lstatSync(target).ino === temp.ino) disk.renameSync(held, target)
    throw error
  }
}

function unlinkQuietly(disk: Disk, path: string): void {
  try {
    disk.unlinkSync(path)
  } catch {
    // Gone already, or it stays hidden until the next sweep.
  }
}
