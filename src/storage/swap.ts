import { dirname } from 'node:path'
import { type Disk, errnoOf, lacksLinks } from './disk.ts'
import { type Temp, tempName, unlinkQuietly } from './temp_file.ts'

export interface Swap {
  /** What is to take the place. */
  readonly temp: Temp
  /** Absolute real path of the file whose place is taken. */
  readonly target: string
  /** See `WriteOptions.check`. */
  readonly check: (current: Uint8Array) => void
  /** Called right before; a throw stops it. */
  readonly confirm: () => void
}

/** What a swap has displaced. */
export interface Displaced {
  /** Where the displaced file lies now. */
  readonly path: string
  readonly ino: number
  readonly mtimeMs: number
  /** What it held. */
  readonly seen: Uint8Array
}

/** Times the file may be swapped for another one under our hands before we give up. */
const ATTEMPTS = 5

/**
 * Lets a temporary file take the place of another one if that still is what the caller thinks it is.
 *
 * A rename cannot compare and swap. So the file that stands there is compared at the last moment; then the two files
 * change places in one call, and what came out is compared again and put back when it is something else. Where that
 * call is missing, the file is held by a hard link first and compared after the rename, which leaves a window of some
 * microseconds; where there are no hard links either, only the comparison before is left.
 *
 * Synchronous on purpose: nothing of ours comes in between, and the windows stay small.
 * @returns what was displaced, to be settled and removed; null where it could not be kept
 * @throws what `check` and `confirm` throw, and errno errors; then the target is as it was
 */
export function swapFiles(disk: Disk, swap: Swap): Displaced | null {
  const exchanged = exchange(disk, swap)
  if (exchanged !== null) return exchanged
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const result = renameOver(disk, swap)
    if (result !== 'again') return result
  }
  throw Object.assign(new Error('The file is being replaced all the time.'), { code: 'EBUSY' })
}

/** @returns null where the two cannot change places here; then nothing was done */
function exchange(disk: Disk, { temp, target, check, confirm }: Swap): Displaced | null {
  if (disk.exchangeSync === null) return null
  const seen = disk.readFileSync(target)
  check(seen)
  confirm()
  if (!disk.exchangeSync(temp.path, target)) return null
  const { ino, mtimeMs } = disk.lstatSync(temp.path)
  const displaced = { path: temp.path, ino, mtimeMs, seen }
  recheck(disk, displaced, { temp, target, check })
  return displaced
}

function renameOver(disk: Disk, { temp, target, check, confirm }: Swap): Displaced | null | 'again' {
  const held = hold(disk, target)
  try {
    const seen = disk.readFileSync(held ?? target)
    check(seen)
    confirm()
    if (held === null) {
      disk.renameSync(temp.path, target)
      return null
    }
    const { ino, mtimeMs } = disk.lstatSync(held)
    if (ino !== disk.lstatSync(target).ino) {
      unlinkQuietly(disk, held)
      return 'again'
    }
    disk.renameSync(temp.path, target)
    const displaced = { path: held, ino, mtimeMs, seen }
    recheck(disk, displaced, { temp, target, check })
    return displaced
  } catch (error) {
    if (held !== null) unlinkQuietly(disk, held)
    throw error
  }
}

function hold(disk: Disk, target: string): string | null {
  const held = tempName(dirname(target))
  for (let attempt = 1; ; attempt++) {
    try {
      disk.linkSync(target, held)
      return held
    } catch (error) {
      if (lacksLinks(error)) return null
      // Linux says so too when the file is renamed over in this very moment: then another one stands there.
      if (errnoOf(error) !== 'ENOENT' || attempt === ATTEMPTS) throw error
      disk.lstatSync(target)
    }
  }
}

/**
 * What was displaced must be what had been looked at; else it goes back, and `check` says why. A program that had the
 * file open may write into it after it was displaced, so this is asked again a moment later.
 * @throws what `check` throws
 */
export function recheck(
  disk: Disk,
  displaced: Displaced,
  { temp, target, check }: Omit<Swap, 'confirm'>,
): void {
  const now = disk.readFileSync(displaced.path)
  if (Buffer.compare(now, displaced.seen) === 0) return
  try {
    check(now)
  } catch (error) {
    // Not when somebody has already put yet another file there: that one is newer.
    if (disk.lstatSync(target).ino === temp.ino) disk.renameSync(displaced.path, target)
    throw error
  }
}
