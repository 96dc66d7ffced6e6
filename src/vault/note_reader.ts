import { buildSegment } from '../index/segment_writer.ts'
import type { TextIndex } from '../index/text_index.ts'
import { log } from '../logger.ts'
import { kindOf } from '../note/kinds.ts'
import type { IndexDocument } from '../note/note.ts'
import { extensionOf, type VaultPath } from '../note/path.ts'
import type { Entry, Storage } from '../storage/storage.ts'
import type { Catalogue } from './catalogue.ts'
import { type IngestBatch, ingestInChildren } from './ingest.ts'
import { ingestNote, MAX_INDEXED_BYTES, nameOnly, oversizedNote } from './ingest_note.ts'
import { readAhead } from './read_ahead.ts'

export interface ReaderOptions {
  readonly storage: Storage
  /** The absolute folder of a local vault, else null. */
  readonly root: string | null
  readonly catalogue: Catalogue
  readonly index: TextIndex
  /** Told after each batch of files that were read. */
  readonly onRead: (paths: readonly VaultPath[]) => void
  /** Told of files that turned out to be gone. */
  readonly onGone: (path: VaultPath) => void
}

/** Up to this many notes (and bytes) are read here, in slices; more go to indexing children. */
const INLINE_NOTES = 400
const INLINE_BYTES = 4 * 1024 * 1024
/** Files behind a network that are read at once. */
const AHEAD = 16
/** Notes that are put into the index at once: more would keep others waiting. */
const TOGETHER = 8
/** Work on the main thread pauses after this long (ms), so that calls are answered meanwhile. */
const SLICE_MS = 8

/** Notes and canvases are read for search and graph; other files are known by name. */
export function isIndexed(path: VaultPath): boolean {
  return kindOf(path) === 'note' || extensionOf(path) === 'canvas'
}

/** Reads files into catalogue and index. What is known of a file that cannot be read stays, and the file is named. */
export class NoteReader {
  /** Files that could not be read, with the reason. */
  readonly unreadable = new Map<VaultPath, string>()
  readonly #options: ReaderOptions
  readonly #abort = new AbortController()
  /** Which reading of a path is the latest: an older one that comes back late is dropped. */
  readonly #readings = new Map<VaultPath, number>()
  #reading = 0

  constructor(options: ReaderOptions) {
    this.#options = options
  }

  /** Reads the given files' text; returns when all of them are searchable. */
  async read(entries: readonly Entry[]): Promise<void> {
    const readable = entries.filter((e) => isIndexed(e.path))
    const bytes = readable.reduce((sum, e) => sum + e.size, 0)
    if (readable.length <= INLINE_NOTES && bytes <= INLINE_BYTES) return this.#readInline(readable)
    try {
      await this.#readInChildren(readable)
    } catch (error) {
      if (this.#abort.signal.aborted) return
      log.error('indexing in child processes failed; the rest is read here', error)
      await this.#readInline(readable.filter((e) => !this.#options.index.has(e.path)))
    }
  }

  /** Readings of this file that are under way no longer count: it was changed or is gone. */
  forget(path: VaultPath): void {
    this.#readings.delete(path)
    this.unreadable.delete(path)
  }

  close(): void {
    this.#abort.abort()
  }

  async #readInline(entries: readonly Entry[]): Promise<void> {
    const { storage, catalogue, onRead } = this.#options
    let since = performance.now()
    const done: VaultPath[] = []
    const readings = new Map<VaultPath, number>()
    const isLatest = (path: VaultPath) => this.#readings.get(path) === readings.get(path)
    let waiting: IndexDocument[] = []
    const takeIn = () => {
      this.#putAll(waiting.filter(({ path }) => isLatest(path)))
      waiting = []
    }
    const read = async (entry: Entry) => {
      readings.set(entry.path, this.#begin(entry.path))
      return entry.size > MAX_INDEXED_BYTES ? null : await storage.read(entry.path)
    }
    for (const { entry, bytes: coming } of readAhead(entries, storage.kind === 'sftp' ? AHEAD : 1, read)) {
      if (this.#abort.signal.aborted) return
      try {
        const bytes = await coming
        if (!isLatest(entry.path)) continue
        const { ingested, document } =
          bytes === null ? oversizedNote(entry) : ingestNote(entry.path, bytes, entry.mtimeMs)
        waiting.push(document)
        if (waiting.length >= TOGETHER) takeIn()
        catalogue.setFacts(ingested)
        this.unreadable.delete(entry.path)
        done.push(entry.path)
      } catch (error) {
        this.#fail(entry.path, error)
      }
      if (performance.now() - since > SLICE_MS) {
        await new Promise((resolve) => setImmediate(resolve))
        since = performance.now()
      }
    }
    takeIn()
    if (done.length > 0) onRead(done)
  }

  /** Several notes in one segment cost half of what a segment for each does. */
  #putAll(documents: readonly IndexDocument[]): void {
    const { index } = this.#options
    const [first] = documents
    if (documents.length > 1) index.addSegment(buildSegment(documents, { languages: index.languages }))
    else if (first !== undefined) index.put(first)
  }

  async #readInChildren(entries: readonly Entry[]): Promise<void> {
    const { storage, root } = this.#options
    // A child on this machine sees the size itself; what is fetched for it is only fetched if it will be read.
    const huge = entries.filter((e) => root === null && e.size > MAX_INDEXED_BYTES)
    if (huge.length > 0) {
      await this.#readInline(huge)
      return this.#readInChildren(entries.filter((e) => e.size <= MAX_INDEXED_BYTES))
    }
    const newestFirst = [...entries].sort((a, b) => dayOf(b) - dayOf(a) || (a.path < b.path ? -1 : 1))
    const readings = new Map(newestFirst.map((e) => [e.path, this.#begin(e.path)]))
    await ingestInChildren({
      storage,
      root: storage.kind === 'local' ? root : null,
      paths: newestFirst,
      signal: this.#abort.signal,
      languages: this.#options.index.languages,
      onBatch: (batch) => this.#takeBatch(batch, readings),
    })
  }

  async #takeBatch(batch: IngestBatch, readings: ReadonlyMap<VaultPath, number>): Promise<void> {
    const { catalogue, index, onRead } = this.#options
    const isLatest = (path: VaultPath) => this.#readings.get(path) === readings.get(path)
    let since = performance.now()
    for (const note of batch.notes) {
      if (isLatest(note.path)) {
        catalogue.setFacts(note)
        this.unreadable.delete(note.path)
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
    onRead(batch.notes.map((n) => n.path))
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
      this.#options.onGone(path)
      return
    }
    this.unreadable.set(path, code)
    const { catalogue, index } = this.#options
    if (catalogue.get(path)?.isRead) return
    const { facts, document } = nameOnly(path, 'unreadable', `The file could not be read (${code}).`)
    const { size = 0, mtimeMs = 0 } = catalogue.get(path) ?? {}
    catalogue.setFacts({ path, revision: '', size, mtimeMs, facts })
    index.put(document)
  }
}

/** Notes of one day are read folder by folder: what stands together shares its words, and each is analysed once. */
function dayOf({ mtimeMs }: Entry): number {
  return Math.floor(mtimeMs / 86_400_000)
}
