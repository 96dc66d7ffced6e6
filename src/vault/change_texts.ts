import type { VaultPath } from '../note/path.ts'
import { revisionOf } from '../note/revision.ts'
import {
  type EditContext,
  lateWarning,
  perform,
  recall,
  requireDistinct,
  type Touched,
} from './edit_context.ts'
import { openGate, type Target } from './edit_gate.ts'
import { missing, type PreparedEdit, prepareEdit, requireExpected, taken } from './edit_text.ts'
import type { Actor, BytesRequest, Change, TextEdit } from './edit_types.ts'
import type { Operation } from './operation.ts'
import { equalBytes, readOrNull, type Step } from './steps.ts'

/** Changes the texts of one or several files: all of them or none. @returns an answer for each, in the same order */
export async function changeTexts(
  context: EditContext,
  edits: readonly TextEdit[],
  options: Actor & { readonly dryRun?: boolean | undefined },
): Promise<Change[]> {
  const targets: Target[] = []
  for (const { path } of edits) targets.push(await openGate(context.storage, context.rules, path))
  requireDistinct(targets.map((t) => t.real))
  const work = async () => {
    const prepared: PreparedEdit[] = []
    for (const edit of edits) {
      const bytes = await readOrNull(context.storage, edit.path)
      prepared.push(await prepareEdit(edit, bytes, recall(context)))
    }
    return options.dryRun
      ? prepared.map((p) => p.answer)
      : write(context, { prepared, targets, actor: options })
  }
  return options.dryRun ? work() : context.locks.hold(namesOf(targets), work)
}

/** Puts bytes in place that are no text to us. */
export async function changeBytes(context: EditContext, request: BytesRequest): Promise<Change> {
  const { path, mode, bytes, expectedRevision, dryRun } = request
  const target = await openGate(context.storage, context.rules, path)
  const work = async () => {
    const before = await readOrNull(context.storage, path)
    if (before === null && mode === 'replace') throw missing(path)
    if (before !== null && mode === 'create') throw taken(path)
    await requireExpected({ path, bytes: before, expected: expectedRevision }, recall(context))
    const answer: Change = {
      path,
      revision: revisionOf(bytes),
      previous_revision: before === null ? null : revisionOf(before),
      changed: before === null || !equalBytes(before, bytes),
      changed_lines: 0,
      diff: '',
      warnings: [],
    }
    if (dryRun || !answer.changed) return answer
    const prepared = [{ path, before, after: bytes, answer }]
    return (await write(context, { prepared, targets: [target], actor: request }))[0]!
  }
  return dryRun ? work() : context.locks.hold(namesOf([target]), work)
}

async function write(
  context: EditContext,
  {
    prepared,
    targets,
    actor,
  }: { prepared: readonly PreparedEdit[]; targets: readonly Target[]; actor: Actor },
): Promise<Change[]> {
  const effective = prepared.flatMap((edit, i) =>
    edit.answer.changed ? [{ edit, target: targets[i]! }] : [],
  )
  if (effective.length === 0) return prepared.map((p) => p.answer)
  const operation: Operation = {
    client: actor.client,
    tool: actor.tool,
    action: effective.every(({ edit }) => edit.before === null) ? 'create' : 'change',
    steps: effective.map(({ edit }) => stepOf(edit)),
    changes: effective.map(({ edit, target }) => ({
      path: target.real,
      before: edit.answer.previous_revision,
      after: edit.answer.revision,
    })),
    contents: contentsOf(effective.map(({ edit }) => edit)),
  }
  // A link and what it leads to are two paths to everyone who listens.
  const touched = effective.flatMap(({ edit: { path, before }, target: { real } }): Touched[] =>
    real === path
      ? [{ path, before }]
      : [
          { path: real, before },
          { path, before },
        ],
  )
  const revisions = await perform(context, operation, touched)
  return prepared.map(({ path, answer }) =>
    answer.changed ? settled(answer, revisions.get(path) ?? null) : answer,
  )
}

/** The answer as it is on disk now. */
export function settled<T extends Change>(answer: T, revision: string | null): T {
  if (revision === answer.revision) return answer
  return { ...answer, revision, warnings: [...answer.warnings, ...lateWarning(answer.path, revision)] }
}

export function stepOf({ path, before, after }: PreparedEdit): Step {
  return before === null ? { do: 'create', path, after } : { do: 'replace', path, before, after }
}

export function contentsOf(edits: readonly PreparedEdit[]): Map<string, Uint8Array> {
  const contents = new Map<string, Uint8Array>()
  for (const { before, after, answer } of edits) {
    if (before !== null && answer.previous_revision !== null) contents.set(answer.previous_revision, before)
    if (answer.revision !== null) contents.set(answer.revision, after)
  }
  return contents
}

function namesOf(targets: readonly Target[]): VaultPath[] {
  return targets.flatMap(({ path, real }) => [path, real])
}
