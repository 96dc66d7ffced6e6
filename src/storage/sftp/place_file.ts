import { posix } from 'node:path'
import { VaultError } from '../../errors.ts'
import { baseName, type VaultPath } from '../../note/path.ts'
import { storageError } from '../failure.ts'
import { TEMP_PREFIX } from '../storage.ts'
import type { Attrs, Calls } from './calls.ts'
import { isStatus, LostError, STATUS } from './failure.ts'
import { tempName, writeTemp } from './temp_file.ts'
import { readRemote } from './transfer.ts'

/** What one change works with. */
export interface PlaceJob {
  readonly calls: Calls
  /** The requests of the connection that stands after this one was lost. @throws VaultError */
  readonly again: () => Promise<Calls>
  /** Has something put in order on this connection or on the next one. */
  readonly tidy: (work: (calls: Calls) => Promise<void>) => void
  /** Throws where nobody waits for the change any more. */
  readonly wanted: () => void
  /** Absolute real path of the file. */
  readonly target: string
  readonly bytes: Uint8Array
  /** For messages. */
  readonly path: VaultPath
}

/**
 * Puts new bytes in the place of a file. A temporary file beside it is written and read back, then takes the place in
 * one step (`posix-rename@openssh.com`). Servers without it: the old file steps aside, the new one takes its name, and
 * comes back should that fail. What is displaced is held until it is clear that it was what `check` saw.
 * @throws what `check` throws, StatusError, VaultError; then the old file stands there, or it is said that this is not known
 */
export async function replaceRemoteFile(
  job: PlaceJob & { readonly old: Attrs; readonly check?: ((current: Uint8Array) => void) | undefined },
): Promise<void> {
  const { calls, target, bytes, old, check, path } = job
  const temp = tempName(posix.dirname(target))
  const held = tempName(posix.dirname(target))
  job.tidy((c) => removeQuietly(c, [temp, held]))
  await writeTemp(calls, { temp, bytes, old, path })
  const [holds, stands] = await Promise.all([
    check !== undefined && hold(calls, target, held),
    calls.lstat(target),
  ])
  const size = stands?.size ?? old.size
  const seen =
    check === undefined
      ? null
      : await readRemote(calls, holds ? held : target, { size, path, maxBytes: Infinity })
  if (seen !== null) check?.(seen)
  job.wanted()
  const displaced = (await takePlace(job, temp, seen)) ?? (holds ? held : null)
  if (displaced === null || seen === null) return
  try {
    await recheck(job, displaced, seen, check)
  } catch (error) {
    if (!(error instanceof LostError)) throw error
    // The change is made; what it displaced is looked at over the next connection.
    const calls = await job.again().catch((cause) => {
      throw madeAndLost(path, cause)
    })
    await recheck({ ...job, calls }, displaced, seen, check)
  }
}

/** A second name for what stands there: what another program writes into it meanwhile is not lost. */
async function hold(calls: Calls, target: string, held: string): Promise<boolean> {
  try {
    return await calls.hardlink(target, held)
  } catch (error) {
    // File systems without links, and servers that forbid them: then the comparison before is what there is.
    if (isStatus(error, STATUS.failure) || isStatus(error, STATUS.permissionDenied)) return false
    throw error
  }
}

/** @returns where the old file lies now, if it had to step aside */
async function takePlace(job: PlaceJob, temp: string, seen: Uint8Array | null): Promise<string | null> {
  try {
    if (await job.calls.posixRename(temp, job.target)) return null
    return await stepAside(job, temp)
  } catch (error) {
    if (!(error instanceof LostError)) throw error
    await lookAfterLoss(job, seen, error)
    return null
  }
}

async function stepAside(job: PlaceJob, temp: string): Promise<string> {
  const { calls, target } = job
  const aside = asideName(target)
  job.tidy((c) => settleAside(c, aside, target))
  try {
    await calls.rename(target, aside)
    await calls.rename(temp, target)
  } catch (error) {
    const now = error instanceof LostError ? await job.again() : calls
    await settleAside(now, aside, target)
    throw error
  }
  return aside
}

/** The answer did not come: a new connection looks whether the change was made. @throws VaultError where it was not */
async function lookAfterLoss(job: PlaceJob, seen: Uint8Array | null, lost: LostError): Promise<void> {
  const { target, bytes, path } = job
  let now: Uint8Array | null
  try {
    now = await readOrNull(await job.again(), target, path)
  } catch (cause) {
    throw unknownOutcome(path, cause)
  }
  if (now !== null && Buffer.compare(now, bytes) === 0) return
  if (now !== null && seen !== null && Buffer.compare(now, seen) === 0) throw unchanged(path, lost)
  throw unknownOutcome(path, lost)
}

/** What was displaced must be what `check` saw; else it is asked again and may put the old file back. */
async function recheck(
  job: PlaceJob,
  displaced: string,
  seen: Uint8Array,
  check: ((current: Uint8Array) => void) | undefined,
): Promise<void> {
  const { calls, target, bytes, path } = job
  const now = await readOrNull(calls, displaced, path)
  if (now === null || Buffer.compare(now, seen) === 0) return
  try {
    check?.(now)
  } catch (error) {
    const stands = await readOrNull(calls, target, path)
    // Not when somebody has already put yet another file there: that one is newer.
    if (stands !== null && Buffer.compare(stands, bytes) === 0) await putBack(job, displaced)
    throw error
  }
}

async function putBack({ calls, target, tidy }: PlaceJob, displaced: string): Promise<void> {
  if (await calls.posixRename(displaced, target)) return
  const ours = tempName(posix.dirname(target))
  tidy((c) => removeQuietly(c, [ours]))
  await calls.rename(target, ours)
  await calls.rename(displaced, target)
}

/**
 * Puts a new file in place where nothing stands. A hard link, and the protocol's own rename, replace nothing: the
 * server decides, not a look before.
 * @throws StatusError; VaultError `already_exists`, or where the outcome is not known
 */
export async function createRemoteFile(job: PlaceJob): Promise<void> {
  const { calls, target, bytes, path } = job
  const temp = tempName(posix.dirname(target))
  job.tidy((c) => removeQuietly(c, [temp]))
  await writeTemp(calls, { temp, bytes, old: null, path })
  job.wanted()
  try {
    if (!(await hold(calls, temp, target))) await calls.rename(temp, target)
  } catch (error) {
    if (error instanceof LostError) return await lookAfterCreation(job, error)
    if ((await calls.lstat(target)) !== null) throw storageError({ code: 'EEXIST' }, path, 'write')
    throw error
  }
}

async function lookAfterCreation(job: PlaceJob, lost: LostError): Promise<void> {
  let now: Uint8Array | null
  try {
    now = await readOrNull(await job.again(), job.target, job.path)
  } catch (cause) {
    throw unknownOutcome(job.path, cause)
  }
  if (now === null) throw unchanged(job.path, lost)
  if (Buffer.compare(now, job.bytes) !== 0) throw storageError({ code: 'EEXIST' }, job.path, 'write')
}

async function readOrNull(calls: Calls, absolute: string, path: VaultPath): Promise<Uint8Array | null> {
  const attrs = await calls.lstat(absolute)
  if (attrs === null) return null
  return readRemote(calls, absolute, { size: attrs.size, path, maxBytes: Infinity })
}

async function removeQuietly(calls: Calls, paths: readonly string[]): Promise<void> {
  const remove = (path: string) =>
    calls.unlink(path).catch((error: unknown) => {
      if (error instanceof LostError) throw error
    })
  await Promise.all(paths.map(remove))
}

const ASIDE = `${TEMP_PREFIX}old-`

/** Names of up to 255 bytes fit beside their target; of a longer one it is not known what it stands for. */
function asideName(target: string): string {
  const id = tempName('').slice(-8)
  return posix.join(posix.dirname(target), `${ASIDE}${id}-${baseName(target)}`)
}

/** The name that a file which stepped aside had, or null where it is another kind of temporary file. */
export function nameBeforeAside(name: string): string | null {
  return name.startsWith(ASIDE) ? name.slice(ASIDE.length + 9) : null
}

/** A change was interrupted: the old file comes back if nothing has taken its place, else it goes. */
export async function settleAside(calls: Calls, aside: string, target: string): Promise<void> {
  if ((await calls.lstat(aside)) === null) return
  if ((await calls.lstat(target)) === null) await calls.rename(aside, target)
  else await calls.unlink(aside)
}

function unchanged(path: VaultPath, cause: unknown): VaultError {
  return new VaultError('unavailable', `${path} was not changed: the connection was lost in the middle.`, {
    hint: 'The file is as it was; repeat the change.',
    cause,
  })
}

function madeAndLost(path: VaultPath, cause: unknown): VaultError {
  return new VaultError('unavailable', `${path} was changed, and the connection was lost right after.`, {
    hint: 'The change is made: read the file, and do not repeat it.',
    cause,
  })
}

function unknownOutcome(path: VaultPath, cause: unknown): VaultError {
  return new VaultError(
    'unavailable',
    `The connection was lost while ${path} was being changed, and whether it was is not known.`,
    { hint: 'Read the file before repeating the change.', cause },
  )
}
