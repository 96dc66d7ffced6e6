import { VaultError } from '../errors.ts'
import { unifiedDiff } from '../note/diff.ts'
import { decodeNote } from '../note/encoding.ts'
import { kindOf } from '../note/kinds.ts'
import type { VaultPath } from '../note/path.ts'
import { revisionOf } from '../note/revision.ts'
import { announce, type EditContext, perform, recall } from './edit_context.ts'
import { openGate, type Target } from './edit_gate.ts'
import { missing, requireExpected } from './edit_text.ts'
import type { Removed, RemoveRequest } from './edit_types.ts'
import type { Operation } from './operation.ts'
import { trashPathFor } from './trash.ts'

/** Larger files than this (bytes) are not copied into the history when they go to the vault's trash: they lie there. */
const COPY_LIMIT = 32 * 1024 * 1024

/** Puts a file into the trash, or deletes it for good where that is asked for. The history keeps it either way. */
export async function removeFile(context: EditContext, request: RemoveRequest): Promise<Removed> {
  const target = await openGate(context.storage, context.rules, request.path)
  const work = () => remove(context, request, target)
  return request.dryRun ? work() : context.locks.hold([target.path, target.real], work)
}

async function remove(context: EditContext, request: RemoveRequest, target: Target): Promise<Removed> {
  const { path, expectedRevision } = request
  const way = wayOf(context, request)
  const bytes = await readForHistory(context, target, way)
  await requireExpected({ path, bytes, expected: expectedRevision }, recall(context))
  const trashed = way === 'local' ? await trashPathFor(context.storage, path) : null
  const answer: Removed = {
    ...describe(path, bytes),
    trashed_to: trashed,
    warnings: warningsOf(context, request, trashed),
  }
  if (request.dryRun) return answer
  if (way === 'system') {
    const went = await toSystemTrash(context, { request, bytes: bytes! })
    if (went) return answer
    return remove({ ...context, systemTrash: null }, request, target)
  }
  const operation = operationOf(request, { bytes, trashed })
  await perform(context, operation, [{ path, before: bytes }])
  return answer
}

type Way = 'permanent' | 'system' | 'local'

function wayOf({ systemTrash }: EditContext, { permanent, trash = 'local' }: RemoveRequest): Way {
  if (permanent) return 'permanent'
  return trash === 'system' && systemTrash !== null ? 'system' : 'local'
}

function warningsOf(
  { systemTrash }: EditContext,
  { permanent, trash }: RemoveRequest,
  trashed: VaultPath | null,
): string[] {
  if (permanent || trashed === null) return []
  if (trash === 'none') {
    return [
      `The vault is set to delete at once; here the file went to ${trashed}. permanent: true really deletes.`,
    ]
  }
  if (trash === 'system' && systemTrash === null) {
    return [
      `The vault is set to use the system's trash, which is not to be had here; the file went to ${trashed}.`,
    ]
  }
  return []
}

/** @returns null for a large attachment that only moves to the vault's trash */
async function readForHistory(
  { storage }: EditContext,
  { path, entry }: Target,
  way: Way,
): Promise<Uint8Array | null> {
  if (entry === null) throw missing(path)
  if (entry.kind === 'folder') {
    throw new VaultError('is_folder', `${path} is a folder.`, {
      hint: 'Name a file in it; vault_list shows them.',
    })
  }
  if (way === 'local' && kindOf(path) === 'attachment' && entry.size > COPY_LIMIT) return null
  return storage.read(path)
}

function describe(path: VaultPath, bytes: Uint8Array | null): Omit<Removed, 'trashed_to'> {
  const text = bytes !== null && kindOf(path) !== 'attachment' ? decodeNote(bytes).text : ''
  const { diff, changedLines } = unifiedDiff(text, '', { path })
  return {
    path,
    revision: null,
    previous_revision: bytes === null ? null : revisionOf(bytes),
    changed: true,
    changed_lines: changedLines,
    diff,
    warnings: [],
  }
}

function operationOf(
  { path, client, tool }: RemoveRequest,
  { bytes, trashed }: { bytes: Uint8Array | null; trashed: VaultPath | null },
): Operation {
  const before = bytes === null ? null : revisionOf(bytes)
  return {
    client,
    tool,
    action: 'delete',
    steps: [
      trashed === null ? { do: 'remove', path, before: bytes! } : { do: 'rename', from: path, to: trashed },
    ],
    changes: [{ path, before, after: null, ...(trashed !== null && { trashed }) }],
    contents: new Map(bytes === null ? [] : [[before!, bytes]]),
  }
}

/** The history comes first here too. @returns false where that trash does not take the file */
async function toSystemTrash(
  context: EditContext,
  { request, bytes }: { request: RemoveRequest; bytes: Uint8Array },
): Promise<boolean> {
  const { path } = request
  const { client, tool, action, changes, contents } = operationOf(request, { bytes, trashed: null })
  const id = await context.history.record({ client, tool, action, changes }, contents)
  if (await context.systemTrash!.put(path)) {
    await announce(context, { path, before: bytes })
    return true
  }
  await context.history.markFailed(id)
  return false
}
