import { VaultError } from '../errors.ts'
import { log } from '../logger.ts'
import type { LockFiles } from '../vault/lock_files.ts'
import type { Embedder } from '../vector/embedder.ts'
import { type AcquireOptions, acquire, acquirePrebuilt, type Phase } from './acquire.ts'
import type { Corpus } from './corpus.ts'
import { embedCorpus } from './embedding.ts'
import { openFolder } from './folder.ts'
import type { Limits } from './limits.ts'
import type { Shelf } from './shelf.ts'
import { identityOf } from './source.ts'

export interface Progress {
  readonly corpus: string
  readonly phase: Phase
  /** Bytes that are fetched, pages that are read, chunks that are embedded. */
  readonly done: number
  readonly total?: number
}

/** What the one reindex is doing. */
export interface ReindexState {
  readonly in_progress: boolean
  /** Corpora of the reindex that runs. */
  readonly reindexing: readonly string[]
  readonly started_at?: string
  readonly progress?: Progress
}

export interface ReindexerOptions {
  readonly limits: Limits
  readonly signal: AbortSignal
  /** Between processes, one for each corpus. */
  readonly locks: LockFiles
  /** Opens the model, which may depend on what a corpus is about that is on no shelf yet. Null: words alone. */
  readonly model: ((about?: Corpus) => Promise<Embedder>) | null
  /** The model where it is open already. */
  readonly openedModel: () => Embedder | null
}

interface Job {
  readonly shelf: Shelf
  readonly folders: readonly string[]
  /** Whatever is there, look at the source again. */
  readonly anew: boolean
}

/** Waits (ms) before a failing model is asked again; after the last it is left to the next reindex or start. */
const MODEL_PATIENCE_MS = [1000, 5000, 30_000]
/** A first index is kept so often (ms) while its vectors are made. */
const SAVE_EVERY_MS = 60_000

/** Makes corpora in the background, one reindex at a time. A corpus is replaced when its next one is whole. */
export class Reindexer {
  readonly #options: ReindexerOptions
  #running: Promise<void> | null = null
  #names: readonly string[] = []
  #startedAt = ''
  #progress: Progress | null = null

  constructor(options: ReindexerOptions) {
    this.#options = options
  }

  get state(): ReindexState {
    if (this.#running === null) return { in_progress: false, reindexing: [] }
    return {
      in_progress: true,
      reindexing: this.#names,
      started_at: this.#startedAt,
      ...(this.#progress === null ? {} : { progress: this.#progress }),
    }
  }

  /** @throws VaultError `not_ready` while another one runs, here or in another process */
  begin(jobs: readonly Omit<Job, 'anew'>[]): ReindexState {
    if (this.#running !== null) throw busy(this.state)
    const taken: string[] = []
    try {
      for (const { shelf } of jobs) taken.push(this.#take(shelf))
    } catch (error) {
      for (const lock of taken) this.#options.locks.release(lock)
      throw error
    }
    this.#run(
      jobs.map((job) => ({ ...job, anew: true })),
      taken,
    )
    return this.state
  }

  /** Makes what is missing, unless a reindex runs anyway. Never fails. */
  async complete(shelves: readonly Shelf[]): Promise<void> {
    if (this.#running !== null) return
    const wanted = await Promise.all(shelves.map((shelf) => this.#isIncomplete(shelf).catch(() => true)))
    if (this.#running !== null || this.#options.signal.aborted) return
    const jobs: Job[] = []
    const taken: string[] = []
    for (const [i, shelf] of shelves.entries()) {
      if (!wanted[i]) continue
      try {
        taken.push(this.#take(shelf))
        const folders = shelf.corpus?.facts.folders ?? shelf.source.folders
        jobs.push({ shelf, folders, anew: false })
      } catch (error) {
        log.info(`the corpus ${shelf.source.name} is left to another process: ${(error as Error).message}`)
      }
    }
    if (jobs.length > 0) this.#run(jobs, taken)
  }

  async settled(): Promise<void> {
    await this.#running
  }

  /** An archive is fetched again only when somebody asks; a folder is looked at, which costs nothing. */
  async #isIncomplete({ source, corpus }: Shelf): Promise<boolean> {
    if (corpus === null) return true
    const { vectors, fragments, facts } = corpus
    if (this.#options.model !== null && (vectors?.noteCount ?? 0) < fragments.size) return true
    if (this.#options.model !== null && vectors !== null) {
      const embedder = this.#options.openedModel()
      if (embedder !== null && embedder.identity !== vectors.identity) return true
    }
    if (source.place.kind !== 'folder') return false
    const { mark } = await openFolder(source.place.path, {
      folders: facts.folders,
      limits: this.#options.limits,
      label: source.name,
    })
    return mark !== facts.mark
  }

  #take({ source }: Shelf): string {
    const { locks } = this.#options
    let holder: ReturnType<LockFiles['take']> = null
    try {
      holder = locks.take(source.name)
    } catch (error) {
      // Where no lock can be made nothing can be kept either: what is made serves this process alone.
      log.warn(`the corpus ${source.name} cannot be locked (${(error as NodeJS.ErrnoException).code})`)
    }
    if (holder === null) return source.name
    throw busy(
      { in_progress: true, reindexing: [source.name] },
      holder === 'unknown' ? undefined : holder.pid,
    )
  }

  #run(jobs: readonly Job[], locks: readonly string[]): void {
    this.#names = jobs.map(({ shelf }) => shelf.source.name)
    this.#startedAt = new Date().toISOString()
    this.#progress = null
    const work = async () => {
      for (const job of jobs) await this.#perform(job)
    }
    this.#running = work().finally(() => {
      for (const lock of locks) this.#options.locks.release(lock)
      this.#running = null
      this.#progress = null
    })
  }

  async #perform(job: Job): Promise<void> {
    const { shelf } = job
    const { signal } = this.#options
    if (signal.aborted) return
    shelf.lastError = null
    const { name, place } = shelf.source
    this.#progress = { corpus: name, phase: place.kind === 'folder' ? 'reading' : 'fetching', done: 0 }
    try {
      await shelf.removeLeftovers()
      await this.#make(job)
      const { size, pageCount } = (shelf.corpus as Corpus).fragments
      log.info(`the corpus ${shelf.source.name} is ready: ${size} chunks of ${pageCount} pages`)
    } catch (error) {
      if (signal.aborted) return
      shelf.lastError =
        error instanceof VaultError ? `${error.message} ${error.hint}` : 'Something went wrong inside.'
      if (error instanceof VaultError)
        log.warn(`the corpus ${shelf.source.name} was not indexed: ${error.message}`)
      else log.error(`the corpus ${shelf.source.name} was not indexed`, error)
    }
  }

  async #make(job: Job): Promise<void> {
    const { shelf, folders, anew } = job
    const options = this.#acquireOptions(shelf, folders)
    if (shelf.corpus === null && (await this.#takePrebuilt(shelf, options))) return
    const isLookedAt = anew || shelf.corpus === null || shelf.source.place.kind === 'folder'
    const next = isLookedAt ? await acquire(shelf, options) : null
    const corpus = next ?? (shelf.corpus as Corpus)
    // The first one answers by its words at once; a later one takes over when it is as good as the old one.
    const isShown = shelf.corpus === null || next === null
    if (shelf.corpus === null) await shelf.put(corpus)
    const trouble = await this.#embed(corpus, shelf, { isShown, report: options.report })
    if (!isShown || corpus.vectors !== null) await shelf.put(corpus)
    if (trouble !== null) throw trouble
  }

  #acquireOptions(shelf: Shelf, folders: readonly string[]): AcquireOptions {
    const { limits, signal } = this.#options
    const report: AcquireOptions['report'] = (phase, done, total) => {
      this.#progress = { corpus: shelf.source.name, phase, done, ...(total === undefined ? {} : { total }) }
    }
    return { folders, limits, signal, report }
  }

  /** @returns whether there is one that can be used; why not is logged, and the source is read instead */
  async #takePrebuilt(shelf: Shelf, options: AcquireOptions): Promise<boolean> {
    const { name, prebuilt } = shelf.source
    if (
      prebuilt === null ||
      identityOf({ ...shelf.source, folders: options.folders }) !== identityOf(shelf.source)
    )
      return false
    try {
      await shelf.put(await acquirePrebuilt(shelf, prebuilt, this.#options.model, options))
      log.info(`the corpus ${name} was taken from its prebuilt index`)
      return true
    } catch (error) {
      if (this.#options.signal.aborted) throw error
      log.warn(`the prebuilt index of ${name} is not used: ${(error as Error).message}; its source is read`)
      return false
    }
  }

  /** @returns why not every chunk could be embedded, or null; those found by words alone do no harm */
  async #embed(
    corpus: Corpus,
    shelf: Shelf,
    { isShown, report }: { isShown: boolean; report: AcquireOptions['report'] },
  ): Promise<VaultError | null> {
    const { model, signal } = this.#options
    if (model === null) return null
    let savedAt = Date.now()
    const progress = async (done: number) => {
      report('embedding', done, corpus.fragments.size)
      if (!isShown || Date.now() - savedAt < SAVE_EVERY_MS) return
      savedAt = Date.now()
      await shelf.save()
    }
    const known = shelf.vectorsToReuse
    for (let attempt = 0; ; attempt++) {
      try {
        await progress(corpus.vectors?.noteCount ?? 0)
        const refused = await embedCorpus(corpus, { embedder: await model(), known, signal, progress })
        if (refused > 0) log.info(`${refused} chunks of ${shelf.source.name} are found by their words alone`)
        return null
      } catch (error) {
        if (signal.aborted && isShown) await shelf.save()
        if (signal.aborted || !(error instanceof VaultError)) throw error
        const wait = MODEL_PATIENCE_MS[attempt]
        if (wait === undefined || error.code === 'not_configured') return error
        await pause(wait, signal)
      }
    }
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    timer.unref()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

function busy(state: ReindexState, pid?: number): VaultError {
  const who = pid === undefined ? '' : ` in another process (${pid})`
  return new VaultError(
    'not_ready',
    `A reindex of ${state.reindexing.join(', ')} is running already${who}.`,
    {
      hint: 'docs_status tells how far it is.',
      details: { retryable: true, ...state },
    },
  )
}
