import { posix } from 'node:path'
import { VaultError } from '../../errors.ts'
import type { VaultPath } from '../../note/path.ts'
import { TEMP_PREFIX } from '../storage.ts'
import type { Attrs, Calls } from './calls.ts'
import { isStatus, STATUS } from './failure.ts'
import { readRemote, writeHandle } from './transfer.ts'

/** A new name of fixed length in an absolute folder, hidden from listings. */
export function tempName(folder: string): string {
  return posix.join(folder, TEMP_PREFIX + crypto.getRandomValues(new Uint8Array(8)).toHex())
}

export interface TempJob {
  /** Absolute, from {@link tempName}. */
  readonly temp: string
  readonly bytes: Uint8Array
  /** What it is to replace: mode and owner are taken over, and its time lies after the old one's. */
  readonly old: Attrs | null
  /** For messages. */
  readonly path: VaultPath
}

/**
 * Writes a temporary file, synced where the server can, and reads it back: what the server has is what was sent.
 * @throws StatusError, LostError; VaultError `disk_full`, `unavailable` (the server stored something else)
 */
export async function writeTemp(calls: Calls, job: TempJob): Promise<void> {
  const { temp, bytes, old, path } = job
  const handle = await calls.open(temp, 'wx', old === null ? 0o666 : 0o600)
  try {
    await writeHandle(calls, handle, bytes)
    // Requests for one handle are answered in order: one way there and back for all of them.
    await Promise.all([old === null ? null : dress(calls, handle, old), calls.fsync(handle)])
  } catch (error) {
    calls.closeSoon(handle)
    throw isStatus(error, STATUS.failure) && (await isFull(calls, temp, bytes.length))
      ? diskFull(path)
      : error
  }
  await calls.close(handle)
  const reading = readRemote(calls, temp, { size: bytes.length, path, maxBytes: bytes.length })
  const [now, stored] = await Promise.all([calls.lstat(temp), reading])
  if (now?.size !== bytes.length || Buffer.compare(stored, bytes) !== 0) throw notStored(path)
  if (old !== null && now.mtimeMs <= old.mtimeMs) await moveTime(calls, temp, old.mtimeMs / 1000 + 1)
}

async function dress(calls: Calls, handle: Buffer, { mode, uid, gid }: Attrs): Promise<void> {
  // Another owner is what only few may give away; the mode, set last, is what everybody may.
  await Promise.all([calls.fsetstat(handle, { uid, gid }).catch(refused), calls.fsetstat(handle, { mode })])
}

/** The protocol knows whole seconds: two changes within one must not look the same. */
async function moveTime(calls: Calls, temp: string, seconds: number): Promise<void> {
  await calls.setstat(temp, { atime: seconds, mtime: seconds }).catch(refused)
}

function refused(error: unknown): void {
  if (!isStatus(error, STATUS.permissionDenied) && !isStatus(error, STATUS.failure)) {
    if (!isStatus(error, STATUS.unsupported)) throw error
  }
}

/** The protocol has one word for every failure: whether the disk is full is asked. */
async function isFull(calls: Calls, temp: string, bytes: number): Promise<boolean> {
  const free = await calls.freeBytes(posix.dirname(temp))
  return free !== null && free < Math.max(bytes, 4096)
}

function diskFull(path: VaultPath): VaultError {
  return new VaultError('disk_full', `${path} could not be written: the disk of the server is full.`, {
    hint: 'Free some space there first.',
  })
}

function notStored(path: VaultPath): VaultError {
  return new VaultError(
    'unavailable',
    `${path} was not changed: the server stored something else than it was sent.`,
    { hint: 'Try again; if it stays so, look after the disk of the server.' },
  )
}
