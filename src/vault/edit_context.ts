import { VaultError } from '../errors.ts'
import type { VaultPath } from '../note/path.ts'
import { revisionOf } from '../note/revision.ts'
import type { Storage } from '../storage/storage.ts'
import type { ChangeEvent } from './edit_types.ts'
import type { History } from './history.ts'
import type { Journal } from './journal.ts'
import type { Locks } from './lock.ts'
import { carryOut, type Operation } from './operation.ts'
import type { RecentBytes } from './recent_bytes.ts'
import type { Rules } from './rules.ts'
import { readOrNull } from './steps.ts'
import type { SystemTrash } from './trash.ts'

/** What every kind of change works with. */
export interface EditContext {
  readonly storage: Storage
  readonly rules: Rules
  readonly history: History
  readonly journal: Journal
  readonly locks: Locks
  readonly recent: RecentBytes
  readonly systemTrash: SystemTrash | null
  readonly onChange: (event: ChangeEvent) => void
}

/** The bytes of a revision, where we still know them. */
export function recall({ recent, history }: EditContext): (revision: string) => Promise<Uint8Array | null> {
  return async (revision) => recent.get(revision) ?? (await history.bytesOf(revision))
}

/** A file that an operation touches, to be told of afterwards. */
export interface Touched {
  readonly path: VaultPath
  /** Null where nothing stood there, or where it only moved. */
  readonly before: Uint8Array | null
  /** It only moved, and is no text: its bytes are not looked at. */
  readonly unread?: boolean
}

/**
 * Carries an operation out and tells the listeners of every file it touches, as it is on disk then; after a failure
 * of several steps too, since what could not be taken back must be known.
 * @returns the revision of each touched file as it is now, null where none is
 */
export async function perform(
  context: EditContext,
  operation: Operation,
  touched: readonly Touched[],
): Promise<Map<VaultPath, string | null>> {
  try {
    await carryOut(context, operation)
  } catch (error) {
    if (operation.steps.length > 1)
      for (const file of touched) await announce(context, file).catch(() => null)
    throw error
  }
  for (const [revision, bytes] of operation.contents) context.recent.put(revision, bytes)
  for (const step of operation.steps) {
    if (step.do !== 'rename' || touched.some(({ path }) => path === step.from)) continue
    await announceGone(context, step.from)
  }
  const revisions = new Map<VaultPath, string | null>()
  for (const file of touched) revisions.set(file.path, await announce(context, file))
  return revisions
}

/** A folder that was moved is no file, yet its old name is to be forgotten with the names of all folders in it. */
async function announceGone({ storage, onChange }: EditContext, path: VaultPath): Promise<void> {
  if ((await storage.stat(path)) === null) onChange({ path, before: null, after: null, entry: null })
}

/** Tells the listeners of a file as it is on disk now. @returns its revision, null where it is gone or not looked at */
export async function announce(
  context: EditContext,
  { path, before, unread }: Touched,
): Promise<string | null> {
  const entry = await context.storage.stat(path)
  const after = entry === null ? null : unread ? new Uint8Array() : await readOrNull(context.storage, path)
  context.onChange({ path, before, after, entry: after === null ? null : entry })
  return after === null || unread ? null : revisionOf(after)
}

/** The word about a file that is no longer what we have just written. */
export function lateWarning(path: VaultPath, revision: string | null): string[] {
  const now = revision === null ? 'is gone' : 'holds something else'
  return [`Another program changed ${path} right after this change: it ${now} now. Read it before you go on.`]
}

/** Writes nothing: the caller asked for several changes of one file. */
export function requireDistinct(paths: readonly VaultPath[]): void {
  const seen = new Set<VaultPath>()
  for (const path of paths) {
    if (seen.has(path)) {
      throw new VaultError('bad_argument', `${path} is named twice in one change.`, {
        hint: 'Name each file once.',
      })
    }
    seen.add(path)
  }
}
