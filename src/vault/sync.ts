import type { TextIndex } from '../index/text_index.ts'
import { log } from '../logger.ts'
import { kindOf } from '../note/kinds.ts'
import { extensionOf, folderOf, type VaultPath } from '../note/path.ts'
import type { Entry, Listing, Storage } from '../storage/storage.ts'
import type { Catalogue } from './catalogue.ts'
import { type IngestBatch, ingestInChildren } from './ingest.ts'
import { ingestNote, nameOnly } from './ingest_note.ts'
import type { Rules, Verdict } from './rules.ts'

export type SyncPhase = 'scanning' | 'building' | 'ready'

export interface SyncStatus {
  readonly phase: SyncPhase
  /** Notes whose text is searchable. */
  readonly indexed: number
  readonly total: number
  readonly lastError: string | null
  /** Files that could not be read, with the reason: they are kept as last known. */
  readonly unreadable: ReadonlyMap<VaultPath, string>
  /** Files that vanished in a suspicious number and wait for a second look. */
  readonly awaitingConfirmation: number
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

/** Up to this many notes (and bytes) are read here, in slices; more go to indexing children. */
const INLINE_NOTES = 400
const INLINE_BYTES = 4 * 1024 * 1024
/** Work on the main thread pauses after this long (ms), so that calls are answered meanwhile. */
const SLICE_MS = 8

/** Keeps catalogue and index equal to the files, from full scans and from hints. Nothing here changes a file. */
export class Sync {
  readonly #options: SyncOptions
  readonly #unreadable = new Map<VaultPath, string>()
  /** Which reading of a path is the latest: an older one that comes back late is dropped. */
  readonly #readings = new Map<VaultPath, number>()
  readonly #abort = new AbortController()
  #reading = 0
  #phase: SyncPhase = 'scanning'
  #lastError: string | null = null
  #suspects: ReadonlySet<VaultPath> = new Set()
  #queue: Promise<void> = Promise.resolve()

  constructor(options: SyncOptions) {
    this.#options = options
  }

  get status(): SyncStatus {
    const { readCount, noteCount } = this.#options.catalogue
    return {
      phase: this.#phase,
      indexed: readCount,
      total: noteCount,
      lastError: this.#lastError,
      unreadable: this.#unreadable,
      awaitingConfirmation: this.#suspects.size,
    }
  }

  /** Lists the whole vault and puts every name into the catalogue; what the notes say follows in {@link readChanged}. */
  async scan(): Promise<Entry[]> {
    const listing = await this.#list('', true)
    const changed = this.#compare('', listing, true)
    if (this.#phase === 'scanning') this.#phase = 'building'
    return changed
  }

  /** Reads the given files' text into catalogue and index. */
  async readChanged(entries: readonly Entry[]): Promise<void> {
    const readable = entries.filter((e) => isIndexed(e.path))
    const bytes = readable.reduce((sum, e) => sum + e.size, 0)
    try {
      if (readable.length <= INLINE_NOTES && bytes <= INLINE_BYTES) await this.#readInline(readable)
      else await this.#readInChildren(readable)
      this.#lastError = null
    } catch (error) {
      if (this.#abort.signal.aborted) return
      this.#lastError = error instanceof Error ? error.message : String(error)
      log.error('indexing in child processes failed; the rest is read here', error)
      await this.#readInline(readable.filter((e) => !this.#options.index.has(e.path)))
      this.#lastError = null
    } finally {
      if (this.#phase === 'building') this.#phase = 'ready'
    }
  }

  /** A full pass, after those under way. @param acceptDeletions take files as gone however many they are */
  fullPass(acceptDeletions = false): Promise<void> {
    return this.#enqueue(async () => {
      const listing = await this.#list('', true)
      await this.readChanged(this.#compare('', listing, true, acceptDeletions))
      if (this.#suspects.size > 0) {
        // Seen missing twice in a row, with the folder readable both times: gone.
        const again = await this.#list('', true)
        await this.readChanged(this.#compare('', again, true, acceptDeletions))
      }
    })
  }

  /** Reads every file that is there anew. */
  rereadAll(): Promise<void> {
    return this.#enqueue(async () => {
      const listing = await this.#list('', true)
      this.#compare('', listing, true)
      const files = listing.entries.filter(
        (e) => e.kind === 'file' && this.#options.catalogue.get(e.path) !== undefined,
      )
      await this.readChanged(files)
    })
  }

  /** Looks again at the given folders (`deep`: with all below them). */
  lookAgain(folders: ReadonlySet<VaultPath>, deep: ReadonlySet<VaultPath>): Promise<void> {
    if (folders.size + deep.size > 200) return this.fullPass()
    return this.#enqueue(async () => {
      const changed = new Map<VaultPath, Entry>()
      for (const folder of deep)
        for (const e of await this.#lookAtFolder(folder, true)) changed.set(e.path, e)
      for (const folder of folders) {
        if (deep.has(folder)) continue
        for (const e of await this.#lookAtFolder(folder, false)) changed.set(e.path, e)
      }
      await this.readChanged([...changed.values()])
    })
  }

  /** A change of our own: catalogue and index take it at once. `bytes` null: the file is gone. */
  applyOwn(path: VaultPath, bytes: Uint8Array | null, entry: Entry | null): void {
    const { catalogue, index, rules } = this.#options
    this.#readings.delete(path)
    if (bytes === null || entry === null || rules.verdict(path) !== 'visible') {
      catalogue.removeFile(path)
      index.remove(path)
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
    this.#abort.abort()
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    const run = this.#queue.then(async () => {
      if (this.#abort.signal.aborted) return
      try {
        await work()
      } catch (error) {
        this.#lastError = error instanceof Error ? error.message : String(error)
        log.error('looking at the vault failed; what is known stays', error)
      }
    })
    this.#queue = run
    return run
  }

  async #lookAtFolder(folder: VaultPath, recursive: boolean): Promise<Entry[]> {
    const { catalogue, storage, rules } = this.#options
    if (rules.verdict(folder, { folder: true }) !== 'visible') return []
    const there = folder === '' ? true : (await storage.stat(folder)) !== null
    if (!there) {
      const { files } = catalogue.below(folder)
      this.#drop(
        files.map((f) => f.path),
        [folder, ...[...catalogue.below(folder).folders].map((f) => f.path)],
      )
      return []
    }
    return this.#compare(folder, await this.#list(folder, recursive), recursive)
  }

  async #list(folder: VaultPath, recursive: boolean): Promise<Listing> {
    const { rules } = this.#options
    return await this.#options.storage.list(folder, {
      recursive,
      enter: (f) =>
        rules.verdict(f, { folder: true }) !== 'hidden' && rules.verdict(f, { folder: true }) !== 'denied',
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
      if (entry.kind === 'folder') {
        catalogue.putFolder(entry)
        continue
      }
      const before = catalogue.get(entry.path)
      const same = before !== undefined && before.size === entry.size && before.mtimeMs === entry.mtimeMs
      if (same && (before.isRead || !isIndexed(entry.path))) continue
      catalogue.putFile(entry)
      if (isIndexed(entry.path)) changed.push(entry)
    }
    if (folder === '' && recursive) catalogue.excludedNotes = excluded
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
    for (const { path, reason } of unreadable) this.#unreadable.set(path, reason)
    const couldLook = (path: VaultPath) =>
      !unreadable.some((u) => u.path === path || path.startsWith(`${u.path}/`) || u.path === '')
    const under = catalogue.below(folder)
    const inScope = (path: VaultPath) =>
      (recursive || folderOf(path) === folder) && !seen.has(path) && couldLook(path)
    const files = under.files.filter((f) => inScope(f.path)).map((f) => f.path)
    const folders = under.folders.filter((f) => inScope(f.path)).map((f) => f.path)
    if (this.#isSuspicious(files, seen, acceptDeletions)) {
      log.warn(`${files.length} files are missing at once; they are kept until a second look`)
      this.#suspects = new Set(files)
      return
    }
    this.#suspects = new Set()
    if (!recursive) for (const gone of folders) files.push(...catalogue.below(gone).files.map((f) => f.path))
    this.#drop(files, folders)
  }

  /** More than 50 files and a tenth of the vault, seen missing for the first time; an empty vault never counts as emptied. */
  #isSuspicious(
    files: readonly VaultPath[],
    seen: ReadonlySet<VaultPath>,
    acceptDeletions: boolean,
  ): boolean {
    if (acceptDeletions || files.length === 0) return false
    const all = this.#options.catalogue.fileCount
    if (files.length <= Math.max(50, all / 10)) return false
    if (seen.size === 0) return true
    return !files.every((f) => this.#suspects.has(f))
  }

  #drop(files: readonly VaultPath[], folders: readonly VaultPath[]): void {
    const { catalogue, index, onChange } = this.#options
    for (const path of files) {
      this.#readings.delete(path)
      this.#unreadable.delete(path)
      catalogue.removeFile(path)
      index.remove(path)
    }
    for (const folder of folders) catalogue.removeFolder(folder)
    if (files.length > 0) onChange(files)
  }

  async #readInline(entries: readonly Entry[]): Promise<void> {
    const { storage, catalogue, index, onChange } = this.#options
    let since = performance.now()
    const done: VaultPath[] = []
    for (const entry of entries) {
      if (this.#abort.signal.aborted) return
      const reading = this.#begin(entry.path)
      try {
        const bytes = entry.size > MAX_READ_BYTES ? null : await storage.read(entry.path)
        if (this.#readings.get(entry.path) !== reading) continue
        const { ingested, document } =
          bytes === null ? oversized(entry) : ingestNote(entry.path, bytes, entry.mtimeMs)
        index.put(document)
        catalogue.setFacts(ingested)
        this.#unreadable.delete(entry.path)
        done.push(entry.path)
      } catch (error) {
        this.#fail(entry.path, error)
      }
      if (performance.now() - since > SLICE_MS) {
        await new Promise((resolve) => setImmediate(resolve))
        since = performance.now()
      }
    }
    if (done.length > 0) onChange(done)
  }

  async #readInChildren(entries: readonly Entry[]): Promise<void> {
    const { storage, root } = this.#options
    const newestFirst = [...entries].sort((a, b) => b.mtimeMs - a.mtimeMs)
    const readings = new Map(newestFirst.map((e) => [e.path, this.#begin(e.path)]))
    await ingestInChildren({
      storage,
      root: storage.kind === 'local' ? root : null,
      paths: newestFirst,
      signal: this.#abort.signal,
      onBatch: (batch) => this.#takeBatch(batch, readings),
    })
  }

  async #takeBatch(batch: IngestBatch, readings: ReadonlyMap<VaultPath, number>): Promise<void> {
    const { catalogue, index, onChange } = this.#options
    const isLatest = (path: VaultPath) => this.#readings.get(path) === readings.get(path)
    let since = performance.now()
    for (const note of batch.notes) {
      if (isLatest(note.path)) {
        catalogue.setFacts(note)
        this.#unreadable.delete(note.path)
      }
      if (performance.now() - since > SLICE_MS) {
        await new Promise((resolve) => setImmediate(resolve))
        since = performance.now()
      }
    }
    for (const { path, code } of batch.failures) if (isLatest(path)) this.#fail(path, { code })
    if (batch.segment) {
      index.addSegment(batch.segment)
      await this.#overtakeStale([...readings.keys()].filter((path) => !isLatest(path)))
    }
    onChange(batch.notes.map((n) => n.path))
  }

  /** Notes that changed while a child read them: its segment may have brought their old text back. */
  async #overtakeStale(paths: readonly VaultPath[]): Promise<void> {
    const { catalogue, index } = this.#options
    const again: Entry[] = []
    for (const path of paths) {
      const file = catalogue.get(path)
      if (file === undefined) index.remove(path)
      else again.push({ path, kind: 'file', size: file.size, mtimeMs: file.mtimeMs, ctimeMs: file.ctimeMs })
    }
    await this.#readInline(again)
  }

  #begin(path: VaultPath): number {
    const reading = ++this.#reading
    this.#readings.set(path, reading)
    return reading
  }

  /** Gone between listing and reading is gone; everything else keeps what was known. */
  #fail(path: VaultPath, error: unknown): void {
    const code = (error as { code?: string }).code ?? 'unavailable'
    if (code === 'not_found' || code === 'ENOENT') {
      this.#drop([path], [])
      return
    }
    this.#unreadable.set(path, code)
    const { catalogue, index } = this.#options
    if (catalogue.get(path)?.isRead) return
    const { facts, document } = nameOnly(path, 'unreadable', `The file could not be read (${code}).`)
    const { size = 0, mtimeMs = 0 } = catalogue.get(path) ?? {}
    catalogue.setFacts({ path, revision: '', size, mtimeMs, facts })
    index.put(document)
  }
}

/** A link is judged by its own name and by what it really is. */
function verdictOf(rules: Rules, { path, link, kind }: Entry): Verdict {
  const folder = kind === 'folder'
  const own = rules.verdict(path, { folder })
  return own !== 'visible' || link === undefined ? own : rules.verdict(link, { folder })
}

const MAX_READ_BYTES = 16 * 1024 * 1024

function oversized(entry: Entry) {
  const { facts, document } = nameOnly(
    entry.path,
    'too_large',
    `It is larger than ${MAX_READ_BYTES} bytes: only its name is searchable.`,
  )
  return {
    ingested: { path: entry.path, revision: '', size: entry.size, mtimeMs: entry.mtimeMs, facts },
    document,
  }
}

/** Notes and canvases are read for search and graph; other files are known by name. */
export function isIndexed(path: VaultPath): boolean {
  return kindOf(path) === 'note' || extensionOf(path) === 'canvas'
}
