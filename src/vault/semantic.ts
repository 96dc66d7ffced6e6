import { readFile } from 'node:fs/promises'
import { VaultError } from '../errors.ts'
import { log } from '../logger.ts'
import { decodeNote } from '../note/encoding.ts'
import { parseNote } from '../note/parse.ts'
import { isNotePath, stemOf, type VaultPath } from '../note/path.ts'
import { revisionOf } from '../note/revision.ts'
import { type Chunk, chunkNote } from '../vector/chunk.ts'
import type { Embedder } from '../vector/embedder.ts'
import { MAX_SOURCE_BYTES } from '../vector/limits.ts'
import { decodeStore, encodeStore, type VectorHit, VectorStore } from '../vector/store.ts'
import { replaceFile } from './replace_file.ts'
import { decodeSections, encodeSections } from './snapshot_format.ts'
import type { Vault } from './vault.ts'

export type SemanticPhase = 'warming' | 'ready' | 'degraded'

export interface SemanticStatus {
  readonly phase: SemanticPhase
  /** Can a question be answered now? */
  readonly queryable: boolean
  readonly indexed_notes: number
  readonly total_notes: number
  readonly pending_notes: number
  readonly last_error?: string
}

export interface SemanticOptions {
  /** Opens the model when there is something to embed or to ask. @throws VaultError */
  readonly open: (signal: AbortSignal) => Promise<Embedder>
  /** Where the vectors are kept. */
  readonly file: string
  /** Where vectors come from, for people. */
  readonly source: 'local' | 'api' | 'hash'
  /** Embedding begins this long (ms) after the words are searchable. */
  readonly startAfterMs: number
}

/** Waits after a failure (ms), the last one again and again. */
const BACKOFF_MS = [1000, 5000, 30_000, 120_000]
/** Notes embedded between two looks at what is wanted now. */
const NOTES_AT_ONCE = 8
/** A line about progress at most this often (ms). */
const SAY_EVERY_MS = 30_000
/** Vectors are written this long (ms) after they changed. */
const SAVE_AFTER_MS = 5000

/**
 * The meaning of a vault's notes: embeds new and changed ones in the background and answers questions from what is
 * there. Searching words, reading and writing never wait for it.
 */
export class SemanticIndex {
  readonly source: SemanticOptions['source']
  readonly #vault: Vault
  readonly #options: SemanticOptions
  readonly #abort = new AbortController()
  readonly #pending = new Set<VaultPath>()
  /** Notes that have no vectors for a reason that only a change of theirs can mend. */
  readonly #refused = new Map<VaultPath, string>()
  #store: VectorStore | null = null
  #embedder: Promise<Embedder> | null = null
  #opened: Embedder | null = null
  #lastError: string | null = null
  #failures = 0
  #running: Promise<void> | null = null
  #wake: (() => void) | null = null
  #saveTimer: ReturnType<typeof setTimeout> | undefined
  #saidAt = 0
  #started = false

  constructor(vault: Vault, options: SemanticOptions) {
    this.#vault = vault
    this.#options = options
    this.source = options.source
  }

  /** Begins when the words are searchable, and a while later: a server that is asked one question needs no model. */
  start(): void {
    this.#vault.onChange((paths) => this.#want(paths))
    const timer = setTimeout(() => {
      void this.#vault.built().then(() => this.begin())
    }, this.#options.startAfterMs)
    timer.unref()
  }

  /** Begins now: somebody asked. */
  begin(): void {
    if (this.#started) return
    this.#started = true
    this.#want(this.#vault.catalogue.notes().map((f) => f.path))
    this.#run()
  }

  get status(): SemanticStatus {
    const total = this.#vault.catalogue.noteCount
    const indexed = this.#store?.noteCount ?? 0
    const pending = this.#started ? this.#pending.size : Math.max(0, total - indexed)
    const phase: SemanticPhase =
      this.#lastError !== null || this.#refused.size > 0
        ? 'degraded'
        : pending > 0 || !this.#started
          ? 'warming'
          : 'ready'
    const error = this.#lastError ?? [...this.#refused.values()][0]
    return {
      phase,
      queryable: this.#store !== null && (indexed > 0 || (this.#started && pending === 0)),
      indexed_notes: indexed,
      total_notes: total,
      pending_notes: pending,
      ...(error === undefined ? {} : { last_error: error }),
    }
  }

  /** The model, opened. */
  async embedder(): Promise<Embedder> {
    this.#embedder ??= this.#open()
    return await this.#embedder
  }

  /**
   * The nearest chunks of what is embedded by now; of a note that changed since, by its older text.
   * @returns null where the model does not speak the question's language
   * @throws VaultError `not_ready` (try again soon), `unavailable`
   */
  async search(
    query: string,
    options: { most: number; perNote: number; filter?: (path: string) => boolean },
  ): Promise<VectorHit[] | null> {
    this.begin()
    const embedder = await this.embedder()
    if (!embedder.speaks(query)) return null
    const vector = await embedder.embedQuery(query, this.#abort.signal)
    if (!this.status.queryable) throw this.notReady()
    return this.#store?.search(vector, options) ?? []
  }

  has(path: VaultPath): boolean {
    return this.#store?.get(path) !== undefined
  }

  notReady(): VaultError {
    const { indexed_notes, total_notes, last_error } = this.status
    return new VaultError(
      'not_ready',
      `Search by meaning is still being prepared (${indexed_notes} of ${total_notes} notes)${last_error ? `: ${last_error}` : ''}.`,
      {
        hint: 'Try again in a few seconds; search_text answers now.',
        details: { retryable: true, ...this.status },
      },
    )
  }

  async close(): Promise<void> {
    this.#abort.abort()
    clearTimeout(this.#saveTimer)
    this.#wake?.()
    if (this.#saveTimer !== undefined) await this.#save()
    // A model that is still being opened is not waited for; it ends with the process.
    await this.#opened?.close()
  }

  async #open(): Promise<Embedder> {
    try {
      const embedder = await this.#options.open(this.#abort.signal)
      this.#opened = embedder
      this.#store ??= (await this.#load(embedder)) ?? new VectorStore(embedder.identity, embedder.dimensions)
      return embedder
    } catch (error) {
      this.#embedder = null
      throw error
    }
  }

  #want(paths: readonly VaultPath[]): void {
    if (!this.#started) return
    for (const path of paths) {
      this.#refused.delete(path)
      if (isNotePath(path)) this.#pending.add(path)
    }
    this.#wake?.()
    this.#run()
  }

  #run(): void {
    this.#running ??= this.#work().finally(() => {
      this.#running = null
    })
  }

  async #work(): Promise<void> {
    while (this.#pending.size > 0 && !this.#abort.signal.aborted) {
      try {
        const embedder = await this.embedder()
        await this.#embedSome(embedder)
        this.#failures = 0
        this.#lastError = null
      } catch (error) {
        if (this.#abort.signal.aborted) return
        this.#lastError = error instanceof Error ? error.message : String(error)
        const wait = BACKOFF_MS[Math.min(this.#failures++, BACKOFF_MS.length - 1)] as number
        log.warn(`embedding failed, next try in ${wait / 1000} s: ${this.#lastError}`)
        await this.#sleep(wait)
      }
    }
    if (!this.#abort.signal.aborted) this.#saveSoon()
  }

  async #sleep(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      timer.unref()
      this.#wake = () => {
        if (!this.#abort.signal.aborted) return
        clearTimeout(timer)
        resolve()
      }
    })
    this.#wake = null
  }

  /** Takes some notes from those wanted; what changes again meanwhile is wanted again, and the newest text wins. */
  async #embedSome(embedder: Embedder): Promise<void> {
    const paths = [...this.#pending].slice(0, NOTES_AT_ONCE)
    const prepared: Prepared[] = []
    for (const path of paths) {
      this.#pending.delete(path)
      const note = await this.#prepare(embedder, path)
      if (note) prepared.push(note)
    }
    const store = this.#store as VectorStore
    const missing = new Map<string, string>()
    for (const { chunks } of prepared) {
      for (const { id, text } of chunks) if (!store.vectorOf(id)) missing.set(id, text)
    }
    let made: Float32Array[]
    try {
      made =
        missing.size === 0 ? [] : await embedder.embedDocuments([...missing.values()], this.#abort.signal)
    } catch (error) {
      for (const path of paths) this.#pending.add(path)
      throw error
    }
    const fresh = new Map([...missing.keys()].map((id, i) => [id, made[i] as Float32Array]))
    for (const { path, revision, chunks } of prepared) {
      // Written again while this was computed: that text is wanted already.
      if (this.#pending.has(path) || this.#vault.file(path) === undefined) continue
      const vectors = new Float32Array(chunks.length * embedder.dimensions)
      for (const [i, { id }] of chunks.entries())
        vectors.set(fresh.get(id) ?? (store.vectorOf(id) as Float32Array), i * embedder.dimensions)
      store.set({ path, revision, chunks: chunks.map(({ text: _, ...rest }) => rest), vectors })
    }
    this.#say()
    this.#saveSoon()
  }

  async #prepare(embedder: Embedder, path: VaultPath): Promise<Prepared | null> {
    const store = this.#store as VectorStore
    if (this.#vault.file(path) === undefined) {
      store.remove(path)
      return null
    }
    try {
      const bytes = await this.#vault.storage.read(path, { maxBytes: MAX_SOURCE_BYTES })
      const revision = revisionOf(bytes)
      if (store.get(path)?.revision === revision) return null
      const { text } = decodeNote(bytes)
      const parsed = parseNote(text)
      const { bodyStart } = parsed.frontmatter
      const aliases = this.#vault.file(path)?.facts?.aliases ?? []
      // No vector at all is better than one of a language that the model does not know.
      if (!embedder.speaks(text.slice(bodyStart))) {
        store.set({ path, revision, chunks: [], vectors: new Float32Array(0) })
        return null
      }
      const chunks = await chunkNote(
        { path, text, title: stemOf(path), aliases, bodyStart, headings: parsed.headings },
        {
          maxTokens: embedder.maxTokens,
          countTokens: (texts) => embedder.countTokens(texts),
          identity: embedder.identity,
        },
      )
      return { path, revision, chunks }
    } catch (error) {
      if (!(error instanceof VaultError)) throw error
      if (error.code === 'not_found') store.remove(path)
      else if (error.code === 'too_large') this.#refused.set(path, error.message)
      else throw error
      return null
    }
  }

  #say(): void {
    if (Date.now() - this.#saidAt < SAY_EVERY_MS) return
    this.#saidAt = Date.now()
    const { indexed_notes, total_notes, pending_notes } = this.status
    log.info(`search by meaning: ${indexed_notes} of ${total_notes} notes, ${pending_notes} to do`)
  }

  #saveSoon(): void {
    if (this.#saveTimer !== undefined) return
    this.#saveTimer = setTimeout(() => {
      this.#saveTimer = undefined
      void this.#save()
    }, SAVE_AFTER_MS)
    this.#saveTimer.unref()
  }

  async #save(): Promise<void> {
    if (this.#store === null || this.#store.noteCount === 0) return
    try {
      const [table, vectors] = encodeStore(this.#store)
      await replaceFile(this.#options.file, encodeSections([[table], [vectors]]))
    } catch (error) {
      log.warn(
        `the vectors could not be written (${(error as NodeJS.ErrnoException).code ?? error}); they are made again after the next start`,
      )
    }
  }

  /** What an earlier run has left, if it is of this model; a damaged file is said and made anew. */
  async #load(embedder: Embedder): Promise<VectorStore | null> {
    let bytes: Uint8Array
    try {
      bytes = await readFile(this.#options.file)
    } catch {
      return null
    }
    try {
      const [table, vectors] = decodeSections(bytes) as [Uint8Array, Uint8Array]
      const store = decodeStore(table, vectors)
      if (store === null) throw new Error('its table and its vectors do not belong together')
      if (store.identity !== embedder.identity) throw new Error('it is of another model')
      for (const { path } of [...store.notes()]) if (this.#vault.file(path) === undefined) store.remove(path)
      return store
    } catch (error) {
      log.warn(
        `the vectors in ${this.#options.file} are not used: ${(error as Error).message}; they are made anew`,
      )
      return null
    }
  }
}

interface Prepared {
  readonly path: VaultPath
  readonly revision: string
  readonly chunks: readonly Chunk[]
}
