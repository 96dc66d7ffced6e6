import { VaultError } from '../errors.ts'
import { log } from '../logger.ts'
import { isNotePath, type VaultPath } from '../note/path.ts'
import type { Embedder } from '../vector/embedder.ts'
import type { VectorStore } from '../vector/store.ts'
import { Question } from './question.ts'
import { embedTexts } from './semantic_embed.ts'
import { adopt, loadVectors, saveVectors } from './semantic_file.ts'
import { GraphKeeper } from './semantic_graph.ts'
import { type CutNote, cutNote, foreignShare } from './semantic_note.ts'
import type { Vault } from './vault.ts'

export type SemanticPhase = 'warming' | 'ready' | 'degraded'

export interface SemanticStatus {
  readonly phase: SemanticPhase
  /** Can a question be answered now? */
  readonly queryable: boolean
  readonly indexed_notes: number
  readonly total_notes: number
  readonly pending_notes: number
  /** Notes in languages that the model does not speak: they are found by their words. */
  readonly unspoken_notes?: number
  readonly last_error?: string
}

/** What the choice of a model depends on. */
export interface VaultLanguages {
  /** Share of notes that an English model does not understand, 0 to 1. */
  readonly foreign: number
  /** Identity of the vectors that are there, or null. */
  readonly current: string | null
}

export interface SemanticOptions {
  /** Opens the model when there is something to embed or to ask. @throws VaultError */
  readonly open: (languages: VaultLanguages, signal: AbortSignal) => Promise<Embedder>
  /** Where the vectors are kept. */
  readonly file: string
  /** Stores of more vectors than this are searched along a graph, where the library for it is there. */
  readonly graphFrom: number
  /** Notes taken between two looks at what is wanted now, at most; fewer where they have many chunks. */
  readonly notesAtOnce: number
  /** Where vectors come from, for people. */
  readonly source: 'local' | 'api' | 'hash'
  /** Embedding begins this long (ms) after the words are searchable. */
  readonly startAfterMs: number
  /** What to do where the model does not speak the language of many notes. */
  readonly advice?: string | undefined
}

/** Waits after a failure (ms), the last one again and again. */
const BACKOFF_MS = [1000, 5000, 30_000, 120_000]
/** A note that could not be read is tried again after this long (ms). */
const READ_AGAIN_MS = 30_000
/** A line about progress at most this often (ms). */
const SAY_EVERY_MS = 30_000
/** Vectors are written this long (ms) after the last of them is made, and so often while there is more to do. */
const SAVE_AFTER_MS = 2000
const SAVE_WHILE_WORKING_MS = 60_000
/** Few vectors are written more often: that costs little, and a server is often ended soon after its first start. */
const FEW_CHUNKS = 2000
const SAVE_FEW_MS = 5000

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
  /** Those that are being embedded. */
  #inHand: readonly VaultPath[] = []
  /** Notes that have no vectors for a reason that only a change of theirs can mend. */
  readonly #refused = new Map<VaultPath, string>()
  /** Vectors that were made before a failure, so that they are not asked for again. */
  readonly #made = new Map<string, Float32Array>()
  readonly #graph: GraphKeeper
  #store: VectorStore | null = null
  #embedder: Promise<Embedder> | null = null
  #opened: Embedder | null = null
  #lastError: string | null = null
  #failures = 0
  #running: Promise<void> | null = null
  #wake: (() => void) | null = null
  #saveTimer: ReturnType<typeof setTimeout> | undefined
  #savedAt = Number.NEGATIVE_INFINITY
  #saidAt = Date.now()
  #started = false
  #trusted = false

  constructor(vault: Vault, options: SemanticOptions) {
    this.#vault = vault
    this.#options = options
    this.source = options.source
    this.#graph = new GraphKeeper({ file: `${options.file}.hnsw`, from: options.graphFrom })
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
    if (this.#started || this.#abort.signal.aborted) return
    this.#started = true
    this.#want(this.#vault.catalogue.notes().map((f) => f.path))
    this.#run()
  }

  get status(): SemanticStatus {
    const total = this.#vault.catalogue.noteCount
    const indexed = this.#store?.noteCount ?? 0
    const unspoken = this.#store?.bareCount ?? 0
    const pending = this.#started ? this.#unfinished() : Math.max(0, total - indexed)
    const error = this.#lastError ?? [...this.#refused.values()][0]
    return {
      phase: error !== undefined ? 'degraded' : pending > 0 || !this.#started ? 'warming' : 'ready',
      queryable: this.#store !== null && (indexed > 0 || (this.#started && pending === 0)),
      indexed_notes: indexed,
      total_notes: total,
      pending_notes: pending,
      ...(unspoken === 0 ? {} : { unspoken_notes: unspoken }),
      ...(error === undefined ? {} : { last_error: error }),
    }
  }

  #unfinished(): number {
    return this.#pending.size + this.#inHand.filter((path) => !this.#pending.has(path)).length
  }

  /** What the owner can do for notes whose language the model does not speak. */
  get hint(): string | undefined {
    const { unspoken_notes: unspoken = 0, total_notes: total } = this.status
    const { advice } = this.#options
    if (unspoken === 0 || advice === undefined) return undefined
    return `${unspoken} of ${total} notes are in languages that the model does not speak; they are found by their words. ${advice}`
  }

  /** The space of the vectors: model and what belongs to it; null as long as none was opened. */
  get model(): string | null {
    return this.#opened?.space ?? null
  }

  /** How vectors are compared now. */
  get comparison(): 'exact' | 'hnsw' {
    return this.#store?.comparison ?? 'exact'
  }

  /**
   * A question, ready to be compared with what is embedded by now; of a note that changed since, with its older text.
   * @returns null where the model does not speak the question's language
   * @throws VaultError `not_ready` (try again soon), `unavailable`, `bad_argument` (a question over the model's window)
   */
  async ask(question: string): Promise<Question | null> {
    this.begin()
    const embedder = await this.#model()
    if (!embedder.speaks(question)) return null
    if (!this.status.queryable) throw this.notReady()
    await requireShort(question, embedder)
    const vector = await embedder.embedQuery(question, this.#abort.signal)
    return new Question(this.#store as VectorStore, vector)
  }

  /** Can this note be judged by its meaning? */
  has(path: VaultPath): boolean {
    return (this.#store?.get(path)?.chunks.length ?? 0) > 0
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

  /** Resolves when everything that is wanted now is embedded, or cannot be. */
  async settled(): Promise<void> {
    this.begin()
    await this.#running
  }

  async close(): Promise<void> {
    this.#abort.abort()
    this.#wake?.()
    if (this.#saveTimer !== undefined) await this.#save()
    await this.#graph.close()
    // A model that is still being opened is not waited for; it ends with the process.
    await this.#opened?.close()
  }

  #model(): Promise<Embedder> {
    this.#embedder ??= this.#open().catch((error) => {
      this.#embedder = null
      throw error
    })
    return this.#embedder
  }

  async #open(): Promise<Embedder> {
    const stored = await loadVectors(this.#options.file)
    const foreign = await foreignShare(this.#vault)
    const languages = { foreign, current: stored?.identity ?? null }
    const embedder = await this.#options.open(languages, this.#abort.signal)
    this.#opened = embedder
    const store = adopt(stored, embedder)
    for (const { path } of [...store.notes()]) if (this.#vault.file(path) === undefined) store.remove(path)
    this.#store = store
    await this.#graph.follow(store)
    return embedder
  }

  #want(paths: readonly VaultPath[]): void {
    if (!this.#started) return
    for (const path of paths) {
      this.#refused.delete(path)
      if (isNotePath(path)) this.#pending.add(path)
    }
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
        await this.#embedSome(await this.#model())
        this.#failures = 0
        this.#lastError = null
      } catch (error) {
        if (this.#abort.signal.aborted) return
        await this.#backOff(error)
      }
    }
    if (!this.#abort.signal.aborted) this.#saveIn(this.#pause())
  }

  /** All vectors are written at once: of many, not after each note that somebody is writing. */
  #pause(): number {
    const isFew = (this.#store?.chunkCount ?? 0) < FEW_CHUNKS
    const rest = this.#savedAt + SAVE_WHILE_WORKING_MS - performance.now()
    return isFew ? SAVE_AFTER_MS : Math.max(SAVE_AFTER_MS, rest)
  }

  async #backOff(error: unknown): Promise<void> {
    this.#lastError = error instanceof Error ? error.message : String(error)
    const asked = error instanceof VaultError ? Number(error.details.retry_after_ms ?? 0) : 0
    const wait = Math.max(BACKOFF_MS[Math.min(this.#failures++, BACKOFF_MS.length - 1)] as number, asked)
    log.warn(`embedding failed, next try in ${Math.round(wait / 1000)} s: ${this.#lastError}`)
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, wait)
      timer.unref()
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#wake = null
  }

  /** Takes some notes from those wanted; what changes again meanwhile is wanted again, and the newest text wins. */
  async #embedSome(embedder: Embedder): Promise<void> {
    const paths: VaultPath[] = []
    const store = this.#store as VectorStore
    this.#inHand = paths
    try {
      const cut: CutNote[] = []
      for (let chunks = 0; chunks < embedder.batch * 2 && paths.length < this.#options.notesAtOnce; ) {
        const path = this.#pending.values().next().value
        if (path === undefined) break
        paths.push(path)
        this.#pending.delete(path)
        const note = await this.#cut(embedder, path)
        if (note) cut.push(note)
        chunks += note?.chunks.length ?? 0
      }
      const refused = await embedTexts(cut, embedder, {
        known: (id) => store.vectorOf(id),
        made: this.#made,
        signal: this.#abort.signal,
        trusted: this.#trusted,
      })
      for (const [path, why] of refused) this.#refused.set(path as VaultPath, why)
      for (const note of cut) if (!refused.has(note.path)) this.#keep(note, store)
    } catch (error) {
      for (const path of paths) this.#pending.add(path)
      throw error
    } finally {
      this.#inHand = []
    }
    if (this.#made.size > 0) this.#trusted = true
    this.#made.clear()
    void this.#graph.follow(store)
    this.#say()
    this.#saveIn(store.chunkCount < FEW_CHUNKS ? SAVE_FEW_MS : SAVE_WHILE_WORKING_MS)
  }

  #keep({ path, revision, chunks }: CutNote, store: VectorStore): void {
    // Written again while this was computed: that text is wanted already.
    if (this.#pending.has(path) || this.#vault.file(path) === undefined) return
    const vectors = new Float32Array(chunks.length * store.dimensions)
    for (const [i, { id }] of chunks.entries())
      vectors.set((this.#made.get(id) ?? store.vectorOf(id)) as Float32Array, i * store.dimensions)
    store.set({ path, revision, chunks: chunks.map(({ text: _, ...rest }) => rest), vectors })
  }

  async #cut(embedder: Embedder, path: VaultPath): Promise<CutNote | null> {
    const store = this.#store as VectorStore
    if (this.#vault.file(path) === undefined) {
      store.remove(path)
      return null
    }
    try {
      return await cutNote(this.#vault, embedder, { path, known: store.get(path)?.revision })
    } catch (error) {
      if (!(error instanceof VaultError)) throw error
      if (error.code === 'not_found') store.remove(path)
      else this.#refuse(path, error)
      return null
    }
  }

  /** The vectors of its older text stay; one that cannot be read now is tried again. */
  #refuse(path: VaultPath, error: VaultError): void {
    this.#refused.set(path, error.message)
    if (error.code === 'too_large') return
    setTimeout(() => this.#want([path]), READ_AGAIN_MS).unref()
  }

  #say(): void {
    if (Date.now() - this.#saidAt < SAY_EVERY_MS) return
    this.#saidAt = Date.now()
    const { indexed_notes, total_notes, pending_notes } = this.status
    log.info(`search by meaning: ${indexed_notes} of ${total_notes} notes, ${pending_notes} to do`)
  }

  #saveIn(ms: number): void {
    if (ms === SAVE_AFTER_MS) clearTimeout(this.#saveTimer)
    else if (this.#saveTimer !== undefined) return
    this.#saveTimer = setTimeout(() => void this.#save(), ms)
    this.#saveTimer.unref()
  }

  async #save(): Promise<void> {
    clearTimeout(this.#saveTimer)
    this.#saveTimer = undefined
    if (this.#store === null || this.#store.noteCount === 0) return
    this.#savedAt = performance.now()
    await saveVectors(this.#options.file, this.#store)
    await this.#graph.save()
  }
}

/** A question is never cut off in silence. @throws VaultError `bad_argument` */
async function requireShort(query: string, embedder: Embedder): Promise<void> {
  if (Buffer.byteLength(query) + 2 <= embedder.maxTokens) return
  const [tokens = 0] = await embedder.countTokens([query])
  if (tokens <= embedder.maxTokens) return
  throw new VaultError(
    'bad_argument',
    `The question has ${tokens} tokens; the model reads ${embedder.maxTokens}.`,
    { hint: 'Ask with fewer words.' },
  )
}
