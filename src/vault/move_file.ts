import { VaultError } from '../errors.ts'
import { kindOf } from '../note/kinds.ts'
import { pathKey, type VaultPath } from '../note/path.ts'
import { revisionOf } from '../note/revision.ts'
import { contentsOf, settled, stepOf } from './change_texts.ts'
import { type EditContext, perform, recall, requireDistinct, type Touched } from './edit_context.ts'
import { openGate, requireWritable, type Target } from './edit_gate.ts'
import { missing, type PreparedEdit, prepareEdit, requireExpected, taken } from './edit_text.ts'
import type { Change, Moved, MoveRequest } from './edit_types.ts'
import type { HistoryChange } from './history_entry.ts'
import type { Operation } from './operation.ts'
import { readOrNull, type Step } from './steps.ts'

/** Moves a file or a folder and changes the notes that go with it, all or nothing. */
export async function moveFile(context: EditContext, request: MoveRequest): Promise<Moved> {
  const { from, to, edits, dryRun } = request
  const source = await openGate(context.storage, context.rules, from)
  const target = await openGate(context.storage, context.rules, to)
  if (source.entry === null) throw missing(from)
  if (source.entry.kind === 'folder' && to.startsWith(`${from}/`)) {
    throw new VaultError('bad_path', `${from} cannot be moved into itself.`, {
      hint: 'Choose another place.',
    })
  }
  const others: Target[] = []
  for (const { path } of edits) others.push(await openGate(context.storage, context.rules, path))
  requireDistinct(others.map((t) => t.real))
  const files = await filesIn(context, { from, to, source })
  const work = () => move(context, { request, source, target, files })
  if (dryRun) return work()
  return context.locks.hold([from, to, ...others.flatMap((t) => [t.path, t.real])], work)
}

interface MovedFile {
  readonly from: VaultPath
  readonly to: VaultPath
}

/** Every file that gets another path. @throws VaultError `read_only` where one of them may not be written */
async function filesIn(
  { storage, rules }: EditContext,
  { from, to, source }: { from: VaultPath; to: VaultPath; source: Target },
): Promise<MovedFile[]> {
  if (source.entry?.kind !== 'folder') return [{ from, to }]
  const { entries } = await storage.list(from, { recursive: true })
  const files = entries
    .filter((e) => e.kind === 'file')
    .map((e) => ({ from: e.path, to: to + e.path.slice(from.length) }))
  for (const file of files) {
    requireWritable(rules, file.from)
    requireWritable(rules, file.to)
  }
  return files
}

interface Work {
  readonly request: MoveRequest
  readonly source: Target
  readonly target: Target
  readonly files: readonly MovedFile[]
}

async function move(context: EditContext, work: Work): Promise<Moved> {
  const { request, source, files } = work
  const { from, to } = request
  const isFolder = source.entry?.kind === 'folder'
  const replaced = await bytesInTheWay(context, work)
  // What is no text moves unread: it may be a film.
  const wanted = !isFolder && (kindOf(from) !== 'attachment' || request.expectedRevision !== undefined)
  const bytes = wanted ? await context.storage.read(from) : null
  if (bytes !== null) {
    await requireExpected({ path: from, bytes, expected: request.expectedRevision }, recall(context))
  }
  const prepared: PreparedEdit[] = []
  for (const edit of request.edits) {
    if (replaced !== null && edit.path === to) continue
    const old = await readOrNull(context.storage, edit.path)
    prepared.push(await prepareEdit(edit, old, recall(context)))
  }
  const place = (path: VaultPath) => placeAfter(path, request)
  const changes = prepared.map(({ path, answer }): Change => ({ ...answer, path: place(path) }))
  const own = changes.find((c) => c.path === to)
  const previous = bytes === null ? null : revisionOf(bytes)
  const moved: Moved = {
    kind: isFolder ? 'folder' : 'file',
    from,
    to,
    revision: own?.revision ?? previous,
    previous_revision: previous,
    changes,
  }
  if (request.dryRun) return moved
  const effective = prepared.filter((p) => p.answer.changed)
  const operation = operationOf({ request, isFolder, effective, replaced, moved })
  const touched: Touched[] = [
    ...files.map((f) => ({ path: f.from, before: null })),
    ...files.map((f) => ({ path: f.to, before: null, unread: kindOf(f.to) === 'attachment' })),
    ...effective.filter((p) => place(p.path) === p.path).map(({ path, before }) => ({ path, before })),
  ]
  const revisions = await perform(context, operation, touched)
  return {
    ...moved,
    changes: changes.map((c) => (c.changed ? settled(c, revisions.get(c.path) ?? null) : c)),
  }
}

/** What stands at the new path. @throws VaultError `already_exists` */
async function bytesInTheWay(
  { storage }: EditContext,
  { request, target }: Work,
): Promise<Uint8Array | null> {
  const { from, to, overwrite } = request
  if (target.entry === null) return null
  if (from === to) throw taken(to)
  if (pathKey(from) === pathKey(to) && !(await isListed(storage, to))) return null
  if (!overwrite || target.entry.kind === 'folder') throw taken(to)
  return storage.read(to)
}

/** Does the name stand in its folder in this very spelling? Some file systems find a file under any. */
async function isListed(storage: EditContext['storage'], path: VaultPath): Promise<boolean> {
  const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')))
  const { entries } = await storage.list(folder, { recursive: false })
  return entries.some((e) => e.path === path)
}

function placeAfter(path: VaultPath, { from, to }: { from: VaultPath; to: VaultPath }): VaultPath {
  if (path === from) return to
  return path.startsWith(`${from}/`) ? to + path.slice(from.length) : path
}

function operationOf(move: {
  request: MoveRequest
  isFolder: boolean
  effective: readonly PreparedEdit[]
  replaced: Uint8Array | null
  moved: Moved
}): Operation {
  const { request, isFolder, effective, replaced, moved } = move
  const { from, to, client, tool } = request
  const steps: Step[] = effective.map(stepOf)
  const changes: HistoryChange[] = effective
    .filter((p) => p.path !== from)
    .map(({ path, answer }) => ({
      path: placeAfter(path, request),
      before: answer.previous_revision,
      after: answer.revision,
    }))
  const contents = contentsOf(effective)
  if (replaced !== null) {
    const revision = revisionOf(replaced)
    steps.push({ do: 'remove', path: to, before: replaced })
    changes.push({ path: to, before: revision, after: null })
    contents.set(revision, replaced)
  }
  steps.push({ do: 'rename', from, to })
  const { previous_revision: before, revision: after } = moved
  changes.push({ path: to, from, before, after, ...(isFolder && { folder: true as const }) })
  return { client, tool, action: 'move', steps, changes, contents }
}
