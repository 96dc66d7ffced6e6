import { VaultError } from '../errors.ts'
import { unifiedDiff } from '../note/diff.ts'
import { decodeNote } from '../note/encoding.ts'
import { kindOf } from '../note/kinds.ts'
import type { VaultPath } from '../note/path.ts'
import { revisionOf } from '../note/revision.ts'
import { settled } from './change_texts.ts'
import { type EditContext, perform, recall, type Touched } from './edit_context.ts'
import { openGate } from './edit_gate.ts'
import { requireExpected } from './edit_text.ts'
import type { Actor, Change, Restored } from './edit_types.ts'
import type { Found } from './history.ts'
import type { HistoryEntry } from './history_entry.ts'
import { readOrNull, type Step } from './steps.ts'
import { planUndo } from './undo.ts'

export interface RestoreRequest extends Actor {
  /** The id of an operation, which is undone as a whole; or a revision (or its first digits) that a note gets back. */
  readonly reference: string
  /** The note that gets the revision back; by default the one the history knows it from. */
  readonly path?: VaultPath | undefined
  /** Of the note named by `path`, or of the only one that the operation changed. */
  readonly expectedRevision?: string | undefined
  readonly dryRun?: boolean | undefined
}

/**
 * Brings back what the history keeps; itself a change that is kept.
 * @throws VaultError `not_found`, `ambiguous`, `conflict` (undoing what has been changed since), and those of a change
 */
export async function restore(context: EditContext, request: RestoreRequest): Promise<Restored[]> {
  const found = await context.history.find(request.reference)
  if (found.revision === null) return undo(context, request, found.entry)
  return [await restoreRevision(context, request, { ...found, revision: found.revision })]
}

async function restoreRevision(
  context: EditContext,
  request: RestoreRequest,
  { entry, revision }: Found & { revision: string },
): Promise<Change> {
  const { client, tool, dryRun } = request
  const path = request.path ?? entry.changes.find((c) => c.before === revision || c.after === revision)!.path
  const bytes = await context.history.bytesOf(revision)
  if (bytes === null) throw notWhole(path)
  const target = await openGate(context.storage, context.rules, path)
  const work = async () => {
    const current = await readOrNull(context.storage, path)
    await requireExpected({ path, bytes: current, expected: request.expectedRevision }, recall(context))
    const answer = changeBetween(path, current, bytes)
    if (dryRun || !answer.changed) return answer
    const step: Step =
      current === null
        ? { do: 'create', path, after: bytes }
        : { do: 'replace', path, before: current, after: bytes }
    const changes = [{ path: target.real, before: answer.previous_revision, after: revision }]
    const contents = new Map([[revision, bytes]])
    if (current !== null) contents.set(revisionOf(current), current)
    const touched: Touched[] = [{ path, before: current }]
    if (target.real !== path) touched.unshift({ path: target.real, before: current })
    const operation = { client, tool, action: 'restore' as const, steps: [step], changes, contents }
    const revisions = await perform(context, operation, touched)
    return settled(answer, revisions.get(path) ?? null)
  }
  return dryRun ? work() : context.locks.hold([path, target.real], work)
}

async function undo(context: EditContext, request: RestoreRequest, entry: HistoryEntry): Promise<Restored[]> {
  if (entry.action === 'conflict') {
    throw new VaultError(
      'bad_argument',
      'That entry keeps what another program wrote; nothing was done that could be undone.',
      {
        hint: 'Give its revision instead to bring those bytes back.',
      },
    )
  }
  const paths = entry.changes.flatMap((c) => (c.from === undefined ? [c.path] : [c.path, c.from]))
  for (const path of paths) await openGate(context.storage, context.rules, path)
  const work = async () => {
    if (request.expectedRevision !== undefined) {
      const path = request.path ?? onlyPath(entry)
      const bytes = await readOrNull(context.storage, path)
      await requireExpected({ path, bytes, expected: request.expectedRevision }, recall(context))
    }
    const plan = await planUndo(context, entry)
    const { client, tool } = request
    const answers = plan.files.map(({ path, before, after, movedFrom }): Restored => {
      const answer = changeBetween(path, before, after)
      return movedFrom === undefined ? answer : { ...answer, changed: true, moved_from: movedFrom }
    })
    if (request.dryRun || plan.steps.length === 0) return answers
    const contents = new Map<string, Uint8Array>()
    for (const bytes of plan.files.flatMap((f) => [f.before, f.after])) {
      if (bytes !== null) contents.set(revisionOf(bytes), bytes)
    }
    const operation = {
      client,
      tool,
      action: 'restore' as const,
      steps: plan.steps,
      changes: plan.changes,
      contents,
    }
    const revisions = await perform(context, operation, plan.touched)
    return answers.map((a) =>
      a.changed && revisions.has(a.path) ? settled(a, revisions.get(a.path) ?? null) : a,
    )
  }
  return request.dryRun ? work() : context.locks.hold(paths, work)
}

/** @throws VaultError `bad_argument` where an operation changed several notes */
function onlyPath({ changes }: HistoryEntry): VaultPath {
  const [one, ...others] = changes
  if (one !== undefined && others.length === 0) return one.path
  throw new VaultError('bad_argument', 'That operation changed several notes: which one is expected?', {
    hint: 'Name the note in path beside expected_revision.',
  })
}

function changeBetween(path: VaultPath, before: Uint8Array | null, after: Uint8Array | null): Change {
  const text = (bytes: Uint8Array | null) =>
    bytes === null || kindOf(path) === 'attachment' ? '' : decodeNote(bytes).text
  const { diff, changedLines } = unifiedDiff(text(before), text(after), { path })
  const [previous, revision] = [before, after].map((b) => (b === null ? null : revisionOf(b))) as [
    string | null,
    string | null,
  ]
  return {
    path,
    revision,
    previous_revision: previous,
    changed: previous !== revision,
    changed_lines: changedLines,
    diff,
    warnings: [],
  }
}

function notWhole(path: VaultPath): VaultError {
  return new VaultError('not_found', `The bytes of that revision of ${path} are not kept any more.`, {
    hint: 'The action list of history shows what is kept.',
  })
}
