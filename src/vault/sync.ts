import type { TextIndex } from '../index/text_index.ts'
import { log } from '../logger.ts'
import { kindOf } from '../note/kinds.ts'
import { baseName, folderOf, type VaultPath } from '../note/path.ts'
import type { Entry, Listing, Storage } from '../storage/storage.ts'
import type { Catalogue } from './catalogue.ts'
import { isPlaceholder, verdictOf } from './entry_verdict.ts'
import { ingestNote } from './ingest_note.ts'
import { isIndexed, NoteReader } from './note_reader.ts'
import { changedContents } from './poll.ts'
import type { Rules } from './rules.ts'

export type SyncPhase = 'scanning' | 'building' | 'ready'

export interface SyncStatus {
  readonly phase: SyncPhase
  /** Notes whose text is searchable. */
  readonly indexed: number
  readonly total: number
  readonly lastError: string | null
  /** Has a listing of the whole vault come back? Before that, what is counted is what was known before. */
  readonly isListed: boolean
  /** When the last look at all names ended, in ms since 1970; null before the first. */
  readonly lookedAt: number | null
  /** Files that could not be read, with the reason: they are kept as last known. */
  readonly unreadable: ReadonlyMap<VaultPath, string>
  /** Files that vanished in a suspicious number and wait for a second look. */
  readonly awaitingConfirmation: number
  /** What a cloud drive has put in the place of files that are not on this machine (`.Note.md.icloud`). */
  readonly placeholders: readonly VaultPath[]
}

export interface SyncOptions {
  readonly storage: Storage
  /** The absolute folder of a local vault, else null. */
  readonly root: string | null
  readonly rules: Rules
  readonly catalogue: Catalogue
  readonly index: TextIndex
  /** Told after each batch of changes that came from outside or from a scan. */
  readonly onChange: (paths: readonly VaultPath[]) => void
}

/** Keeps catalogue and index equal to the files, from full scans and from hints. Nothing here changes a file. */
export class Sync {
  readonly #options: SyncOptions
  readonly #reader: NoteReader
  /** Folders and files that the last full listing could not look at, with the reason. */
  #unlisted = new Map<VaultPath, string>()
  #isClosed = false
  #phase: SyncPhase = 'scanning'
  #lastError: string | null = null
  #isListed = false
  #lookedAt: number | null = null
  #suspects: ReadonlySet<VaultPath> = new Set()
  /** Changed by us since the listing under way began, with the folders above: it may be older than they are. */
  readonly #touched = new Set<VaultPath>()
  #placeholders: readonly VaultPath[] = []
  /** Links to files inside the vault, with what each leads to: a change there is one of the link, too. */
  readonly #links = new Map<VaultPath, VaultPath>()
  #queue: Promise<void> = Promise.resolve()

  constructor(options: SyncOptions) {
    this.#options = options
    const { storage, root, catalogue, index, onChange } = options
    this.#reader = new NoteReader({
      storage,
      root,
      catalogue,
      index,
      onRead: onChange,
      onGone: (path) => this.#drop([path], []),
    })
  }

  get status(): SyncStatus {
    const { readCount, noteCount } = this.#options.catalogue
    return {
      phase: this.#phase,
      indexed: readCount,
      total: noteCount,
      lastError: this.#lastError,
      isListed: this.#isListed,
      lookedAt: this.#lookedAt,
      unreadable: new Map([...this.#unlisted, ...this.#reader.unreadable]),
      awaitingConfirmation: this.#suspects.size,
      placeholders: this.#placeholders,
    }
  }

  /**
   * Begins: lists the whole vault (`named`: every name is in the catalogue), then reads what is new or changed
   * (`built`: all of it is searchable).
   */
  start(): { readonly named: Promise<void>; readonly built: Promise<void> } {
    const named = Promise.withResolvers<void>()
    const built = this.#enqueue(async () => {
      try {
        this.#dropHidden()
        const listing = await this.#list('', true)
        this.#dropHidden()
        const changed = this.#compare('', listing, true)
        this.#phase = 'building'
        named.resolve()
        await this.#reader.read(changed)
        await this.#confirmAtOnce()
      } finally {
        this.#phase = 'ready'
        named.resolve()
      }
    })
    return { named: named.promise, built }
  }

  /** A snapshot knows files that rules have come to hide since: they go at once, however many they are. */
  #dropHidden(): void {
    const { catalogue, rules } = this.#options
    const hidden = catalogue.files().filter(({ path }) => rules.verdict(path) !== 'visible')
    this.#drop(
      hidden.map(({ path }) => path),
      [...catalogue.folders()]
        .map(({ path }) => path)
        .filter((path) => rules.verdict(path, { folder: true }) !== 'visible'),
    )
  }

  /** A full pass, after those under way. @param acceptDeletions take files as gone however many they are */
  fullPass(acceptDeletions = false): Promise<void> {
    return this.#enqueue(async () => {
      await this.#lookAtAll(acceptDeletions)
      if (this.#suspects.size > 0) await this.#lookAtAll(acceptDeletions)
    })
  }

  /** One look at all names, sizes and times: many files that are missing wait for the next one. */
  look(): Promise<void> {
    return this.#enqueue(async () => {
      await this.#lookAtAll()
      await this.#confirmAtOnce()
    })
  }

  /** One look at everything, contents too: finds edits that kept size and time. */
  verify(): Promise<void> {
    return this.#enqueue(async () => {
      const listing = await this.#list('', true)
      const changed = this.#compare('', listing, true)
      await this.#reader.read(changed)
      const { storage, catalogue } = this.#options
      const known = new Set(changed.map(({ path }) => path))
      const same = listing.entries.filter(
        ({ path }) => isIndexed(path) && !known.has(path) && catalogue.get(path)?.isRead,
      )
      await this.#reader.read(await changedContents(storage, catalogue, same))
    })
  }

  async #lookAtAll(acceptDeletions = false): Promise<void> {
    const listing = await this.#list('', true)
    await this.#reader.read(this.#compare('', listing, true, acceptDeletions))
  }

  /** Seen missing twice in a row, with the folder readable both times: gone. On this machine a second look costs little. */
  async #confirmAtOnce(): Promise<void> {
    if (this.#options.root === null) return
    for (let looks = 0; looks < 2 && this.#suspects.size > 0; looks++) await this.#lookAtAll()
  }

  /** Was this file not there at the last look, where so many were missing that a second one has to confirm it? */
  isMissing(path: VaultPath): boolean {
    return this.#suspects.has(path)
  }

  /** Reads every file that is there anew. */
  rereadAll(): Promise<void> {
    return this.#enqueue(async () => {
      const listing = await this.#list('', true)
      this.#compare('', listing, true)
      const files = listing.entries.filter(
        (e) => e.kind === 'file' && this.#options.catalogue.get(e.path) !== undefined,
      )
      await this.#reader.read(files)
    })
  }

  /** Looks again at the given folders (`deep`: with all below them). */
  lookAgain(folders: ReadonlySet<VaultPath>, deep: ReadonlySet<VaultPath>): Promise<void> {
    if (folders.size + deep.size > 200) return this.fullPass()
    return this.#enqueue(async () => {
      const changed = new Map<VaultPath, Entry>()
      for (const folder of deep)
        for (const e of await this.#lookAtFolder(folder, true)) changed.set(e.path, e)
      for (const folder of new Set([...folders, ...this.#foldersOfLinksInto(folders, deep)])) {
        if (deep.has(folder)) continue
        for (const e of await this.#lookAtFolder(folder, false)) changed.set(e.path, e)
      }
      await this.#reader.read([...changed.values()])
      await this.#confirmAtOnce()
    })
  }

  #foldersOfLinksInto(folders: ReadonlySet<VaultPath>, deep: ReadonlySet<VaultPath>): VaultPath[] {
    const isAffected = (target: VaultPath) =>
      folders.has(folderOf(target)) || [...deep].some((f) => f === '' || target.startsWith(`${f}/`))
    return [...this.#links].filter(([, target]) => isAffected(target)).map(([link]) => folderOf(link))
  }

  /** A change of our own: catalogue and index take it at once. `bytes` null: the file is gone. */
  applyOwn(path: VaultPath, bytes: Uint8Array | null, entry: Entry | null): void {
    const { catalogue, index, rules } = this.#options
    this.#reader.forget(path)
    for (let at = path; at !== ''; at = folderOf(at)) this.#touched.add(at)
    if (bytes === null || entry === null || rules.verdict(path) !== 'visible') {
      catalogue.removeFile(path)
      index.remove(path)
      if (catalogue.kindAt(path) === 'folder') {
        const { files, folders } = catalogue.below(path)
        for (const below of [...files, ...folders]) this.#touched.add(below.path)
        for (const folder of folders) catalogue.removeFolder(folder.path)
        catalogue.removeFolder(path)
      }
      return
    }
    catalogue.putFile(entry)
    if (!isIndexed(path)) return
    const { ingested, document } = ingestNote(path, bytes, entry.mtimeMs)
    catalogue.setFacts(ingested)
    index.put(document)
  }

  /** Runs `look` when no reading is under way: catalogue and index then say the same. */
  async whenSettled<T>(look: () => T): Promise<T> {
    let seen: T | undefined
    await this.#enqueue(async () => {
      seen = look()
    })
    return seen as T
  }

  close(): void {
    this.#isClosed = true
    this.#reader.close()
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    const run = this.#queue.then(async () => {
      if (this.#isClosed) return
      try {
        await work()
        this.#lastError = null
      } catch (error) {
        this.#lastError = error instanceof Error ? error.message : String(error)
        log.error('looking at the vault failed; what is known stays', error)
      }
    })
    this.#queue = run
    return run
  }

  async #lookAtFolder(folder: VaultPath, recursive: boolean): Promise<Entry[]> {
    const { catalogue, rules } = this.#options
    if (rules.verdict(folder, { folder: true }) !== 'visible') return []
    const listing = await this.#listIfThere(folder, recursive)
    if (listing === null) {
      const { files, folders } = catalogue.below(folder)
      const gone = (path: VaultPath) => !this.#touched.has(path)
      this.#forget(
        files.map((f) => f.path).filter(gone),
        [folder, ...folders.map((f) => f.path)].filter(gone),
      )
      return []
    }
    return this.#compare(folder, listing, recursive)
  }

  /** @returns null where the folder is gone, maybe only since we began to look. */
  async #listIfThere(folder: VaultPath, recursive: boolean): Promise<Listing | null> {
    if (folder === '') return this.#list('', recursive)
    const { storage } = this.#options
    this.#touched.clear()
    if ((await storage.stat(folder)) === null) return null
    try {
      return await this.#list(folder, recursive)
    } catch (error) {
      if ((await storage.stat(folder)) === null) return null
      throw error
    }
  }

  async #list(folder: VaultPath, recursive: boolean): Promise<Listing> {
    const { rules } = this.#options
    this.#touched.clear()
    return await this.#options.storage.list(folder, {
      recursive,
      // Excluded notes are counted; dot-folders are not even looked into.
      enter: (f) =>
        !baseName(f).startsWith('.') && !['hidden', 'denied'].includes(rules.verdict(f, { folder: true })),
    })
  }

  /** Brings the catalogue's names up to a listing of `folder` and answers the files whose text is to be read. */
  #compare(folder: VaultPath, listing: Listing, recursive: boolean, acceptDeletions = false): Entry[] {
    const { catalogue, rules } = this.#options
    const seen = new Set<VaultPath>()
    const changed: Entry[] = []
    let excluded = 0
    for (const entry of listing.entries) {
      const verdict = verdictOf(rules, entry)
      if (verdict === 'excluded' && entry.kind === 'file' && kindOf(entry.path) === 'note') excluded++
      if (verdict !== 'visible') continue
      seen.add(entry.path)
      if (this.#touched.has(entry.path)) continue
      if (entry.kind === 'folder') {
        if (rules.listsEmpty(entry.path)) catalogue.putFolder(entry)
        continue
      }
      if (entry.link === undefined) this.#links.delete(entry.path)
      else this.#links.set(entry.path, entry.link)
      const before = catalogue.get(entry.path)
      const same = before !== undefined && before.size === entry.size && before.mtimeMs === entry.mtimeMs
      const isKnown = before?.isRead && !this.#reader.unreadable.has(entry.path)
      if (same && (isKnown || !isIndexed(entry.path))) continue
      catalogue.putFile(entry)
      if (isIndexed(entry.path)) changed.push(entry)
    }
    if (folder === '' && recursive) {
      this.#isListed = true
      this.#lookedAt = Date.now()
      catalogue.excludedNotes = excluded
      this.#placeholders = listing.entries
        .map(({ path }) => path)
        .filter((path) => isPlaceholder(path, rules))
    }
    this.#forgetMissing(folder, recursive, seen, listing, acceptDeletions)
    return changed
  }

  #forgetMissing(
    folder: VaultPath,
    recursive: boolean,
    seen: ReadonlySet<VaultPath>,
    { unreadable }: Listing,
    acceptDeletions: boolean,
  ): void {
    const { catalogue } = this.#options
    if (folder === '' && recursive)
      this.#unlisted = new Map(unreadable.map(({ path, reason }) => [path, reason]))
    else for (const { path, reason } of unreadable) this.#unlisted.set(path, reason)
    const couldLook = (path: VaultPath) =>
      !unreadable.some((u) => u.path === path || path.startsWith(`${u.path}/`) || u.path === '')
    const under = catalogue.below(folder)
    const inScope = (path: VaultPath) =>
      (recursive || folderOf(path) === folder) &&
      !seen.has(path) &&
      !this.#touched.has(path) &&
      couldLook(path)
    const files = under.files.filter((f) => inScope(f.path)).map((f) => f.path)
    const folders = under.folders.filter((f) => inScope(f.path)).map((f) => f.path)
    if (!recursive)
      for (const below of folders.map((gone) => catalogue.below(gone))) {
        files.push(...below.files.map((f) => f.path))
        folders.push(...below.folders.map((f) => f.path))
      }
    const before = this.#suspects
    const isWhole = folder === '' && recursive
    this.#suspects = isWhole ? new Set() : new Set([...before].filter((path) => !seen.has(path)))
    this.#forget(files, folders, { before, isEmptied: isWhole && seen.size === 0, acceptDeletions })
  }

  /**
   * Takes files as gone, unless they are more than 50 and a tenth of the vault and were not missed by the look `before`;
   * an empty vault never counts as emptied.
   */
  #forget(
    files: readonly VaultPath[],
    folders: readonly VaultPath[],
    { before = this.#suspects, isEmptied = false, acceptDeletions = false } = {},
  ): void {
    const most = Math.max(50, this.#options.catalogue.fileCount / 10)
    const isSuspicious = isEmptied || !files.every((f) => before.has(f))
    if (files.length <= most || acceptDeletions || !isSuspicious) {
      this.#drop(files, folders)
      return
    }
    log.warn(`${files.length} files are missing at once; they are kept until a second look`)
    this.#suspects = new Set([...this.#suspects, ...files])
  }

  #drop(files: readonly VaultPath[], folders: readonly VaultPath[]): void {
    const { catalogue, index, onChange } = this.#options
    for (const path of files) {
      this.#reader.forget(path)
      catalogue.removeFile(path)
      index.remove(path)
    }
    for (const folder of folders) catalogue.removeFolder(folder)
    if (files.length > 0) onChange(files)
  }
}
