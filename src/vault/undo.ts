import { VaultError } from '../errors.ts'
import { kindOf } from '../note/kinds.ts'
import type { VaultPath } from '../note/path.ts'
import { revisionOf } from '../note/revision.ts'
import type { EditContext, Touched } from './edit_context.ts'
import type { HistoryChange, HistoryEntry } from './history_entry.ts'
import { readOrNull, type Step } from './steps.ts'

export interface UndoneFile {
  /** Its path afterwards. */
  readonly path: VaultPath
  readonly before: Uint8Array | null
  readonly after: Uint8Array | null
  /** Where it is moved back from. */
  readonly movedFrom?: VaultPath
}

/** How an operation is taken back. */
export interface UndoPlan {
  readonly steps: readonly Step[]
  readonly changes: readonly HistoryChange[]
  /** Files whose bytes change, and files and folders that come, go or move. */
  readonly files: readonly UndoneFile[]
  readonly touched: readonly Touched[]
}

/**
 * Works out how to take an operation back: texts first, where they lie now, then moves, then what had been deleted.
 * @throws VaultError `conflict` where something was changed since, `not_found` where bytes are not kept any more
 */
export async function planUndo(context: EditContext, entry: HistoryEntry): Promise<UndoPlan> {
  const plan = new UndoBuilder(context)
  const moves = entry.changes.filter((c) => c.from !== undefined).reverse()
  const removed = entry.changes.filter((c) => c.from === undefined && c.after === null)
  for (const change of entry.changes) {
    if (change.after !== null && change.before !== change.after) await plan.text(change, moves)
  }
  for (const change of moves) await plan.move(change)
  for (const change of removed) await plan.bringBack(change)
  return plan
}

class UndoBuilder implements UndoPlan {
  readonly steps: Step[] = []
  readonly changes: HistoryChange[] = []
  readonly files: UndoneFile[] = []
  readonly touched: Touched[] = []
  readonly #context: EditContext

  constructor(context: EditContext) {
    this.#context = context
  }

  async text({ path, before, after }: HistoryChange, moves: readonly HistoryChange[]): Promise<void> {
    const current = await readOrNull(this.#context.storage, path)
    if (current === null || revisionOf(current) !== after) throw changedSince(path)
    const old = before === null ? null : await this.#kept(path, before)
    this.steps.push(
      old === null
        ? { do: 'remove', path, before: current }
        : { do: 'replace', path, before: current, after: old },
    )
    const place = placeBefore(path, moves)
    const movedFrom = moves.some((m) => m.path === path) ? { movedFrom: path } : {}
    this.files.push({ path: place, before: current, after: old, ...movedFrom })
    // A moved file's own entry is made with its move.
    if (!moves.some((m) => m.path === path)) this.changes.push({ path: place, before: after, after: before })
    if (place === path) this.touched.push({ path, before: current })
  }

  async move({ path, from, before, after, folder }: HistoryChange): Promise<void> {
    const { storage } = this.#context
    if ((await storage.stat(path)) === null) throw changedSince(path)
    this.steps.push({ do: 'rename', from: path, to: from! })
    this.changes.push({ path: from!, from: path, before: after, after: before, ...(folder && { folder }) })
    const files = folder
      ? (await storage.list(path, { recursive: true })).entries
          .filter((e) => e.kind === 'file')
          .map((e) => e.path)
      : [path]
    for (const file of files) {
      const back = from! + file.slice(path.length)
      this.touched.push(
        { path: file, before: null },
        { path: back, before: null, unread: kindOf(back) === 'attachment' },
      )
    }
    if (before !== after) return
    const bytes = before === null ? null : await readOrNull(storage, path)
    this.files.push({ path: from!, before: bytes, after: bytes, movedFrom: path })
  }

  async bringBack({ path, before, trashed }: HistoryChange): Promise<void> {
    if (trashed !== undefined && (await this.#stillInTrash(trashed, before))) {
      this.steps.push({ do: 'rename', from: trashed, to: path })
      this.touched.push({ path, before: null, unread: kindOf(path) === 'attachment' })
    } else {
      if (before === null) throw notKept(path)
      this.steps.push({ do: 'create', path, after: await this.#kept(path, before) })
      this.touched.push({ path, before: null })
    }
    const bytes = before === null ? null : await this.#kept(path, before)
    this.files.push({ path, before: null, after: bytes })
    this.changes.push({ path, before: null, after: before })
  }

  async #stillInTrash(trashed: VaultPath, revision: string | null): Promise<boolean> {
    const { storage } = this.#context
    if (revision === null) return (await storage.stat(trashed)) !== null
    const bytes = await readOrNull(storage, trashed)
    return bytes !== null && revisionOf(bytes) === revision
  }

  async #kept(path: VaultPath, revision: string): Promise<Uint8Array> {
    const bytes = await this.#context.history.bytesOf(revision)
    if (bytes === null) throw notKept(path)
    return bytes
  }
}

/** Where a file will be when the moves have been taken back. */
function placeBefore(path: VaultPath, moves: readonly HistoryChange[]): VaultPath {
  for (const move of moves) {
    if (path === move.path) return move.from!
    if (move.folder && path.startsWith(`${move.path}/`)) return move.from! + path.slice(move.path.length)
  }
  return path
}

function changedSince(path: VaultPath): VaultError {
  return new VaultError(
    'conflict',
    `${path} was changed after that operation, so it cannot be undone as a whole.`,
    {
      hint: 'Bring single notes back by their revisions; the action list of history shows them.',
    },
  )
}

function notKept(path: VaultPath): VaultError {
  return new VaultError('not_found', `What ${path} held is not kept any more.`, {
    hint: 'The action list of history shows what is kept.',
  })
}
