import { VaultError } from '../errors.ts'
import { folderOf, type VaultPath } from '../note/path.ts'
import { revisionOf } from '../note/revision.ts'
import type { Storage } from '../storage/storage.ts'
import type { Actor } from './edit_types.ts'
import type { History } from './history.ts'
import type { HistoryAction, HistoryChange } from './history_entry.ts'
import { type Journal, type OpenPlan, takeBack } from './journal.ts'
import { applyStep, ChangedMeanwhile, isApplied, type Step } from './steps.ts'

/** All that is needed to carry out one operation, of one file or of many. The locks of its paths are held. */
export interface Operation extends Actor {
  readonly action: HistoryAction
  readonly steps: readonly Step[]
  readonly changes: readonly HistoryChange[]
  /** Bytes to keep, by revision. */
  readonly contents: ReadonlyMap<string, Uint8Array>
}

export interface OperationParts {
  readonly storage: Storage
  readonly history: History
  readonly journal: Journal
}

/**
 * Carries an operation out as a whole or not at all: what it replaces goes into the history first, several steps
 * and moves (locally a link and a removal) into the journal, then each step is done; at the first failure those that were done are taken back.
 * @throws what the history, the journal or the failing step throws
 */
export async function carryOut(parts: OperationParts, operation: Operation): Promise<void> {
  const { storage, history, journal } = parts
  const { client, tool, action, changes, contents, steps } = operation
  const id = await history.record({ client, tool, action, changes }, contents)
  let plan: OpenPlan | null = null
  const done: Step[] = []
  let folders: VaultPath[] = []
  try {
    if (steps.length > 1 || steps[0]?.do === 'rename') {
      plan = await journal.begin(id, steps)
      folders = await missingFolders(storage, steps)
    }
    for (const step of steps) {
      await applySurely(storage, step)
      done.push(step)
    }
  } catch (error) {
    const undone = await takeBack(storage, done)
    for (const folder of folders.reverse()) await storage.removeEmptyFolder(folder).catch(() => false)
    if (undone) {
      await quietly(plan?.end())
      await quietly(history.markFailed(id))
    } else {
      plan?.abandon()
    }
    if (error instanceof ChangedMeanwhile) await quietly(keepStray(history, operation, error))
    throw error
  }
  // The work is done: a plan that cannot be removed is found finished at the next start.
  await quietly(plan?.end())
}

/** A step that fails after its effect (a folder that cannot be synced, an answer that comes too late) has been done. */
async function applySurely(storage: Storage, step: Step): Promise<void> {
  try {
    await applyStep(storage, step)
  } catch (error) {
    // What another program has put there or taken away is not our doing.
    const code = error instanceof VaultError ? error.code : null
    if (code === 'conflict' || code === 'already_exists' || code === 'not_found') throw error
    if (!(await isApplied(storage, step).catch(() => false))) throw error
  }
}

/** Another program's bytes that came between: they stand on disk, and are kept in case they were displaced. */
async function keepStray(
  history: History,
  { client, tool }: Actor,
  { path, current }: ChangedMeanwhile,
): Promise<void> {
  const revision = revisionOf(current)
  const changes = [{ path, before: revision, after: revision }]
  await history.record({ client, tool, action: 'conflict', changes }, new Map([[revision, current]]))
}

/** Folders that the steps are going to make, outermost first. */
async function missingFolders(storage: Storage, steps: readonly Step[]): Promise<VaultPath[]> {
  const missing = new Set<VaultPath>()
  for (const step of steps) {
    if (step.do !== 'create' && step.do !== 'rename') continue
    const chain: VaultPath[] = []
    let folder = folderOf(step.do === 'create' ? step.path : step.to)
    while (folder !== '' && !missing.has(folder) && (await storage.stat(folder)) === null) {
      chain.unshift(folder)
      folder = folderOf(folder)
    }
    for (const made of chain) missing.add(made)
  }
  return [...missing]
}

async function quietly(work: Promise<unknown> | undefined): Promise<void> {
  try {
    await work
  } catch {
    // What really happened is told by the error that is already on its way, or by nothing having failed.
  }
}
