import { join } from 'node:path'
import { VaultError } from '../errors.ts'
import { TextIndex } from '../index/text_index.ts'
import { decodeNote } from '../note/encoding.ts'
import { kindOf } from '../note/kinds.ts'
import type { ParsedNote } from '../note/note.ts'
import { parseNote } from '../note/parse.ts'
import type { VaultPath } from '../note/path.ts'
import { revisionOf } from '../note/revision.ts'
import type { RegexSearcher } from '../search/regex.ts'
import type { Entry, Storage } from '../storage/storage.ts'
import { AppExcluded } from './app_excluded.ts'
import { type AppSettings, readAppSettings } from './app_settings.ts'
import { Catalogue, type FileRecord } from './catalogue.ts'
import { type Editor, openEditor } from './edit.ts'
import type { QuickSwitcher } from './find.ts'
import type { History } from './history.ts'
import { MAX_INDEXED_BYTES } from './ingest_note.ts'
import { LazySearchers } from './lazy_searchers.ts'
import { Locator } from './locate.ts'
import type { PathArgument } from './paths.ts'
import { type PollTimes, startPolling } from './poll.ts'
import { resolveLink } from './resolve.ts'
import type { Rules } from './rules.ts'
import { SemanticIndex } from './semantic.ts'
import { type EmbeddingsState, embeddingsOf } from './semantic_state.ts'
import { loadSnapshot } from './snapshot.ts'
import { SnapshotKeeper } from './snapshot_keeper.ts'
import { Sync } from './sync.ts'
import type { TemplateSource } from './template_file.ts'
import type { IndexState, VaultOptions } from './vault_options.ts'
import { type FolderWatcher, watchFolders } from './watch.ts'

export type { VaultSemanticOptions } from './vault_options.ts'

/** A note's bytes and what they say. */
export interface ReadNote {
  readonly path: VaultPath
  readonly bytes: Uint8Array
  readonly text: string
  /** False: the file is not UTF-8; `text` shows what is unreadable as U+FFFD. */
  readonly valid: boolean
  readonly revision: string
}

/** Up to this many notes a search waits for the first build; larger vaults answer with what is ready. */
const WAIT_FOR_NOTES = 2000
const LONGEST_WAIT_MS = 5000
/** Merging begins this long (ms) after a change and pauses so long between its slices. */
const TIDY_AFTER_MS = 500
const TIDY_PAUSE_MS = 5
/** The safety net under the watcher. */
const LOCAL_POLL: PollTimes = { everyMs: 5 * 60_000, verifyEveryMs: null }

/** One open vault: the place where names, notes, search, graph and edits meet. */
export class Vault {
  readonly name: string
  readonly storage: Storage
  readonly root: string | null
  readonly rules: Rules
  readonly options: VaultOptions
  readonly catalogue: Catalogue
  readonly index: TextIndex
  readonly editor: Editor
  readonly history: History
  readonly #sync: Sync
  readonly #listeners = new Set<(paths: readonly VaultPath[]) => void>()
  #watcher: FolderWatcher | null = null
  readonly #searchers: LazySearchers
  #stopPolling: () => void = () => {}
  #named: Promise<void> = Promise.resolve()
  #built: Promise<void> = Promise.resolve()
  #watching: Promise<void> = Promise.resolve()
  #isBuilt = false
  #tidying = false
  readonly #hasSnapshot: boolean
  readonly appExcluded: AppExcluded
  readonly semantic: SemanticIndex | null
  readonly #locator: Locator
  readonly #keeper: SnapshotKeeper

  private constructor(options: VaultOptions, { editor, history, catalogue, index }: Parts) {
    this.catalogue = catalogue
    this.index = index ?? new TextIndex(options.languages ?? null)
    this.#hasSnapshot = index !== null
    this.options = options
    this.name = options.name
    this.storage = options.storage
    this.root = options.root
    this.rules = options.rules
    this.editor = editor
    this.history = history
    this.#sync = new Sync({
      storage: options.storage.background ?? options.storage,
      root: options.root,
      rules: options.rules,
      catalogue: this.catalogue,
      index: this.index,
      onChange: (paths) => this.#tell(paths),
    })
    this.appExcluded = new AppExcluded(options.storage)
    this.semantic = options.semantic
      ? new SemanticIndex(this, { ...options.semantic, file: join(options.cacheDir, 'vectors.knap') })
      : null
    this.#searchers = new LazySearchers(this)
    this.#locator = new Locator({ ...options, catalogue: this.catalogue, named: () => this.#named })
    this.#keeper = new SnapshotKeeper(snapshotFile(options), () =>
      this.#sync.whenSettled(() => ({
        files: this.catalogue.files(),
        indexParts: this.index.encodeParts(),
        languages: this.index.languages,
      })),
    )
  }

  /** Opens a vault and begins to look at it; nothing is waited for but the recovery of an interrupted change. */
  static async open(options: VaultOptions): Promise<Vault> {
    let vault: Vault | undefined
    const { editor, history } = await openEditor({
      storage: options.storage,
      rules: options.rules,
      dataDir: options.dataDir,
      systemTrash: options.systemTrash ?? null,
      readOnly: options.readOnly ?? false,
      historyBytes: options.history?.maxBytes,
      historyAgeMs: options.history?.maxAgeMs,
      onChange: ({ path, after, entry }) => vault?.takeOwn(path, after, entry),
    })
    const catalogue = new Catalogue()
    const index = await loadSnapshot(snapshotFile(options), catalogue, options.languages ?? null)
    vault = new Vault(options, { editor, history, catalogue, index })
    vault.#start()
    return vault
  }

  #start(): void {
    const { named, built } = this.#sync.start()
    this.#named = this.isWarm ? Promise.resolve() : named
    this.#built = built.then(() => {
      this.#isBuilt = true
      this.#keeper.start({ changed: !this.#hasSnapshot && this.#sync.status.isListed })
      this.#tidySoon()
      // What reading has left behind goes back at once, not when the heap is full the next time.
      if (!this.#hasSnapshot) Bun.gc(true)
    })
    this.semantic?.start()
    this.#watching = this.#built.then(() => this.#watch())
  }

  async #watch(): Promise<void> {
    const { watch, poll } = this.options
    if (!watch && poll === undefined) return
    this.#stopPolling = startPolling(this.#sync, poll ?? LOCAL_POLL)
    if (this.root === null) return
    this.#watcher = await watchFolders({
      root: this.root,
      enter: (folder) => this.rules.verdict(folder, { folder: true }) === 'visible',
      onHint: (folders, deep) => void this.#sync.lookAgain(folders, deep),
    })
    // What changed between the scan and the first watch.
    await this.#sync.fullPass()
  }

  /** Resolves when the names of all files are known. */
  named(): Promise<void> {
    return this.#named
  }

  /** Resolves when everything that was there at the start is searchable. */
  built(): Promise<void> {
    return this.#built
  }

  /** Resolves when changes of other programs are noticed from now on. */
  watching(): Promise<void> {
    return this.#watching
  }

  /**
   * Waits for the first build where that is a matter of moments, and says how far it is.
   * A large vault is answered from what is ready.
   */
  async searchable(): Promise<IndexState> {
    await this.#named
    if (!this.#isBuilt && !this.isWarm && this.catalogue.fileCount <= WAIT_FOR_NOTES) {
      await Promise.race([this.#built, Bun.sleep(LONGEST_WAIT_MS)])
    }
    return this.indexState()
  }

  indexState(): IndexState {
    const { indexed, total, lastError, isListed } = this.#sync.status
    const settled = lastError === null ? 'ready' : 'degraded'
    const first = this.isWarm ? 'warming' : this.#hasSnapshot ? settled : 'building'
    const state = this.#isBuilt && (isListed || !this.isWarm) ? settled : first
    return { state, indexed, total, semantic: this.semantic?.status.phase ?? 'off' }
  }

  /** Reads every note again, whatever is known of it. */
  async rebuild(): Promise<void> {
    await this.#built
    await this.#sync.rereadAll()
  }

  get sync(): Sync {
    return this.#sync
  }

  /** Is this a remote vault that is answered for from what was known, until it has been looked at? */
  get isWarm(): boolean {
    return this.#hasSnapshot && this.storage.kind === 'sftp'
  }

  /** Can it be told how many files there are: from a look, or from what was known? */
  get isCounted(): boolean {
    return this.#hasSnapshot || this.#sync.status.isListed || this.storage.kind !== 'sftp'
  }

  get isBuilt(): boolean {
    return this.#isBuilt
  }

  get watchTrouble(): string | null {
    return this.#watcher?.trouble ?? null
  }

  onChange(listener: (paths: readonly VaultPath[]) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Merges the index's segments when there is a quiet moment, a few milliseconds at a time. */
  #tidySoon(): void {
    if (this.#tidying || !this.#isBuilt) return
    this.#tidying = true
    const step = () => {
      this.#tidying = this.index.maintain()
      if (this.#tidying) setTimeout(step, TIDY_PAUSE_MS).unref()
    }
    setTimeout(step, TIDY_AFTER_MS).unref()
  }

  /** A change of our own is seen by the next call. */
  takeOwn(path: VaultPath, after: Uint8Array | null, entry: Entry | null): void {
    this.#sync.applyOwn(path, after, entry)
    this.#tell([path])
  }

  #tell(paths: readonly VaultPath[]): void {
    this.#keeper.touch()
    this.#tidySoon()
    for (const listener of this.#listeners) listener(paths)
  }

  /** The state of semantic search, in the peer's words. Looking at it opens no model. */
  embeddings(): EmbeddingsState {
    return embeddingsOf(this.semantic)
  }

  /** Absolute paths of this machine; shown only where a client asks for them. */
  paths(): Record<string, string | null> {
    return { vault: this.root, data: this.options.dataDir, cache: this.options.cacheDir }
  }

  // ——— Paths: see Locator

  checkArgument(argument: string): Promise<PathArgument> {
    return this.#locator.check(argument)
  }

  locate(argument: string): Promise<PathArgument> {
    return this.#locator.file(argument)
  }

  locateForChange(argument: string): Promise<PathArgument> {
    return this.#locator.fileForChange(argument)
  }

  locateFolder(argument: string): Promise<PathArgument> {
    return this.#locator.folder(argument)
  }

  locateAnyForChange(argument: string): Promise<PathArgument & { kind: 'file' | 'folder' }> {
    return this.#locator.anyForChange(argument)
  }

  locateNew(argument: string, options: { note: boolean; renaming?: VaultPath }): Promise<PathArgument> {
    return this.#locator.fresh(argument, options)
  }

  /** Where templates are read from: only what a reader may see. */
  templateSource(): TemplateSource {
    return {
      storage: this.storage,
      judge: (path) => this.#locator.judge(path, true),
      resolve: (name) => resolveLink(this.catalogue.names, name, '').path,
    }
  }

  /** What the application was told about this vault, read afresh. */
  settings(): Promise<AppSettings> {
    return readAppSettings(this.storage)
  }

  // ——— Reading

  /** @throws VaultError `not_found`, `unavailable`, `too_large` */
  async read(path: VaultPath, maxBytes?: number): Promise<ReadNote> {
    const bytes = await this.storage.read(path, maxBytes === undefined ? {} : { maxBytes })
    const { text, valid } = decodeNote(bytes)
    const revision = revisionOf(bytes)
    this.editor.remember(revision, bytes)
    return { path, bytes, text, valid, revision }
  }

  /** Reads and parses a note. @throws VaultError `not_a_note` for other files */
  async readParsed(path: VaultPath): Promise<ReadNote & { parsed: ParsedNote }> {
    requireNote(path)
    const read = await this.read(path)
    requireParsable(read)
    return { ...read, parsed: parseNote(read.text) }
  }

  file(path: VaultPath): FileRecord | undefined {
    return this.catalogue.get(path)
  }

  // ——— Searchers, made when first asked for
  regexSearcher(): Promise<RegexSearcher> {
    return this.#searchers.regex()
  }

  switcher(): Promise<QuickSwitcher> {
    return this.#searchers.switcher()
  }

  async close(): Promise<void> {
    this.#searchers.close()
    this.#stopPolling()
    await Promise.all([this.#keeper.close(), this.semantic?.close()])
    this.#sync.close()
    const unwatched = this.#watching.then(() => this.#watcher?.close())
    if (this.#watcher !== null) await unwatched
    this.editor.close()
    await this.storage.close()
  }
}

interface Parts {
  readonly editor: Editor
  readonly history: History
  readonly catalogue: Catalogue
  readonly index: TextIndex | null
}

function snapshotFile({ cacheDir }: VaultOptions): string {
  return join(cacheDir, 'index.knap')
}

export function requireNote(path: VaultPath): void {
  if (kindOf(path) === 'note') return
  throw new VaultError('not_a_note', `"${path}" is not a Markdown note.`, {
    hint: 'This tool needs the structure of a note; note_read and note_write take other text files as they are.',
  })
}

/** @throws VaultError `too_large` for what is read in pages only */
export function requireParsable({ path, bytes }: ReadNote): void {
  if (bytes.length <= MAX_INDEXED_BYTES) return
  throw new VaultError(
    'too_large',
    `"${path}" has ${bytes.length} bytes; its structure is read up to ${MAX_INDEXED_BYTES}.`,
    {
      hint: 'Read it in pages: note_read with range, and max_bytes up to 262144.',
    },
  )
}
