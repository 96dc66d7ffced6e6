import { join } from 'node:path'
import { log } from '../logger.ts'
import type { Storage } from '../storage/storage.ts'
import { changeBytes, changeTexts } from './change_texts.ts'
import type { EditContext } from './edit_context.ts'
import type {
  Actor,
  BytesRequest,
  Change,
  ChangeEvent,
  ChangeRequest,
  Moved,
  MoveRequest,
  Removed,
  RemoveRequest,
  Restored,
  TextEdit,
} from './edit_types.ts'
import { History } from './history.ts'
import { Journal, type Recovered } from './journal.ts'
import { Locks } from './lock.ts'
import { moveFile } from './move_file.ts'
import { RecentBytes } from './recent_bytes.ts'
import { removeFile } from './remove_file.ts'
import { type RestoreRequest, restore } from './restore.ts'
import type { Rules } from './rules.ts'
import type { SystemTrash } from './trash.ts'

export type { Change } from './edit_types.ts'

export interface EditorOptions {
  readonly storage: Storage
  readonly rules: Rules
  /** A folder of this vault's own for history, journal and locks. */
  readonly dataDir: string
  /** Called after each file that changed, before the change is answered. Must not throw. */
  readonly onChange: (event: ChangeEvent) => void
  readonly systemTrash?: SystemTrash | null
  /** Bounds on the history, see `HistoryOptions`. */
  readonly historyBytes?: number | undefined
  readonly historyAgeMs?: number | undefined
  /** Nothing is recovered or swept: neither vault nor data folder is touched until something is asked for. */
  readonly readOnly?: boolean | undefined
}

/** Temporary files younger than this (ms) may belong to a writer that is alive. */
const SWEEP_AGE_MS = 60_000

/** Opens the way by which a vault is changed, and finishes what a crash has interrupted. */
export async function openEditor(options: EditorOptions): Promise<{ editor: Editor; history: History }> {
  const { storage, rules, dataDir, onChange, historyBytes, historyAgeMs } = options
  const locks = new Locks({ folder: join(dataDir, 'locks') })
  const history = new History({
    folder: join(dataDir, 'history'),
    locks,
    ...(historyBytes !== undefined && { maxBytes: historyBytes }),
    ...(historyAgeMs !== undefined && { maxAgeMs: historyAgeMs }),
  })
  const journal = new Journal({ folder: join(dataDir, 'journal'), storage, locks })
  const systemTrash = options.systemTrash ?? null
  const editor = new Editor({
    storage,
    rules,
    history,
    journal,
    locks,
    systemTrash,
    onChange,
    recent: new RecentBytes(),
  })
  if (!options.readOnly) await editor.recover()
  return { editor, history }
}

/**
 * The one way notes are changed: every change is checked against what was read, kept in the history first, atomic,
 * one at a time for a path, and told to the listeners before it is answered.
 */
export class Editor {
  readonly #context: EditContext
  #sweeping: ReturnType<typeof setTimeout> | undefined

  constructor(context: EditContext) {
    this.#context = context
  }

  /** Changes one text. @throws VaultError with the codes of the contract, and what `edit` throws */
  async change(request: ChangeRequest): Promise<Change> {
    return (await changeTexts(this.#context, [request], request))[0]!
  }

  /** Changes several texts, all or none; one entry in the history. */
  changeMany(
    edits: readonly TextEdit[],
    options: Actor & { readonly dryRun?: boolean | undefined },
  ): Promise<Change[]> {
    return changeTexts(this.#context, edits, options)
  }

  /** Puts any bytes in place: attachments. */
  writeBytes(request: BytesRequest): Promise<Change> {
    return changeBytes(this.#context, request)
  }

  /** Puts a file into the trash, or deletes it. */
  remove(request: RemoveRequest): Promise<Removed> {
    return removeFile(this.#context, request)
  }

  /** Moves a file or a folder together with changes of other notes, all or nothing. */
  move(request: MoveRequest): Promise<Moved> {
    return moveFile(this.#context, request)
  }

  /** Undoes an operation or brings a revision back. */
  restore(request: RestoreRequest): Promise<Restored[]> {
    return restore(this.#context, request)
  }

  /** Remembers bytes that were handed out, so that a later conflict can show what has changed since. */
  remember(revision: string, bytes: Uint8Array): void {
    this.#context.recent.put(revision, bytes)
  }

  /** Finishes or takes back what a crash has interrupted, and removes what it has left. */
  async recover(): Promise<Recovered[]> {
    const { locks, journal } = this.#context
    locks.clean()
    // What cannot be settled now stays in the journal; the vault can be read meanwhile.
    const recovered = await journal.recover().catch((error): Recovered[] => {
      log.error('an interrupted change could not be looked after', error)
      return []
    })
    for (const { outcome, historyId, reason } of recovered) {
      log.warn(`an interrupted change (${historyId}) was found: ${outcome}`, reason)
    }
    this.#sweep()
    // Younger files may belong to a server that was killed a moment ago.
    this.#sweeping = setTimeout(() => this.#sweep(), 2 * SWEEP_AGE_MS)
    this.#sweeping.unref()
    return recovered
  }

  close(): void {
    clearTimeout(this.#sweeping)
    this.#context.locks.close()
  }

  #sweep(): void {
    const { storage, history } = this.#context
    const behind = storage.background ?? storage
    behind.sweep(SWEEP_AGE_MS).catch((error) => log.debug('temporary files could not be looked for', error))
    history.prune().catch((error) => log.debug('the history could not be pruned', error))
  }
}
