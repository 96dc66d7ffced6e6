import { VaultError } from '../errors.ts'
import type { VaultPath } from '../note/path.ts'
import { revisionOf } from '../note/revision.ts'
import type { Storage } from '../storage/storage.ts'

/** One atomic change of the storage, with all that is needed to take it back. */
export type Step =
  | { readonly do: 'create'; readonly path: VaultPath; readonly after: Uint8Array }
  | {
      readonly do: 'replace'
      readonly path: VaultPath
      readonly before: Uint8Array
      readonly after: Uint8Array
    }
  | { readonly do: 'remove'; readonly path: VaultPath; readonly before: Uint8Array }
  | { readonly do: 'rename'; readonly from: VaultPath; readonly to: VaultPath }

/** Another program changed a file between our look and our write. Nothing was written. */
export class ChangedMeanwhile extends VaultError {
  readonly path: VaultPath
  /** What stands there instead. */
  readonly current: Uint8Array

  constructor(path: VaultPath, current: Uint8Array) {
    super('conflict', `${path} was changed by another program at the same moment; nothing was written.`, {
      hint: 'Read it again and repeat the change.',
      details: { current_revision: revisionOf(current) },
    })
    this.path = path
    this.current = current
  }
}

/** @throws ChangedMeanwhile and the storage's errors; then the step was not done */
export async function applyStep(storage: Storage, step: Step): Promise<void> {
  switch (step.do) {
    case 'create':
      return storage.write(step.path, step.after, { mode: 'create' })
    case 'replace':
      return storage.write(step.path, step.after, { mode: 'replace', check: same(step.path, step.before) })
    case 'remove':
      same(step.path, step.before)(await storage.read(step.path))
      return storage.remove(step.path)
    case 'rename':
      return storage.rename(step.from, step.to)
  }
}

/** The step that takes this one back. */
export function inverse(step: Step): Step {
  switch (step.do) {
    case 'create':
      return { do: 'remove', path: step.path, before: step.after }
    case 'replace':
      return { do: 'replace', path: step.path, before: step.after, after: step.before }
    case 'remove':
      return { do: 'create', path: step.path, after: step.before }
    case 'rename':
      return { do: 'rename', from: step.to, to: step.from }
  }
}

/** Does the storage look as it does after this step? Later steps must not have been done. */
export async function isApplied(storage: Storage, step: Step): Promise<boolean> {
  if (step.do === 'rename') {
    return (await storage.stat(step.from)) === null && (await storage.stat(step.to)) !== null
  }
  const current = await readOrNull(storage, step.path)
  if (step.do === 'remove') return current === null
  return current !== null && equalBytes(current, step.after)
}

/** The bytes of a file, or null where none stands. */
export async function readOrNull(storage: Storage, path: VaultPath): Promise<Uint8Array | null> {
  try {
    return await storage.read(path)
  } catch (error) {
    if (error instanceof VaultError && error.code === 'not_found') return null
    throw error
  }
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}

function same(path: VaultPath, expected: Uint8Array): (current: Uint8Array) => void {
  return (current) => {
    if (!equalBytes(current, expected)) throw new ChangedMeanwhile(path, current.slice())
  }
}
