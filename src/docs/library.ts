import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { VaultError } from '../errors.ts'
import { log } from '../logger.ts'
import { NO_WORD } from '../search/describe.ts'
import { meaningOf } from '../search/meaning.ts'
import { didYouMean, nearest } from '../text/nearest.ts'
import { LockFiles } from '../vault/lock_files.ts'
import type { VaultLanguages } from '../vault/semantic.ts'
import type { Embedder } from '../vector/embedder.ts'
import { readsAsEnglish } from '../vector/language_fit.ts'
import type { Corpus } from './corpus.ts'
import { saveCorpus } from './corpus_file.ts'
import { LIMITS, type Limits } from './limits.ts'
import { Reindexer, type ReindexState } from './reindex.ts'
import { type DocsHit, type DocsQuery, searchCorpora } from './search.ts'
import { Shelf } from './shelf.ts'
import type { CorpusSource } from './source.ts'
import { type DocsStatus, statusOf } from './status.ts'

export interface LibraryOptions {
  /** Each with a name of its own. */
  readonly corpora: readonly CorpusSource[]
  /** Where the indexes lie. */
  readonly folder: string
  /** Opens the embedding model; null: words alone. @throws VaultError */
  readonly openModel: ((languages: VaultLanguages, signal: AbortSignal) => Promise<Embedder>) | null
  readonly limits?: Limits | undefined
}

export interface ReindexRequest {
  /** Corpora by name, each with the folders to take; null: those of the settings. */
  readonly corpora: ReadonlyMap<string, readonly string[] | null>
}

export interface SearchOptions {
  readonly limit: number
  /** Default all. */
  readonly corpus?: string | undefined
  readonly way?: DocsQuery['way']
}

export interface DocsAnswer {
  readonly hits: readonly DocsHit[]
  /** Meaning was asked too. */
  readonly byMeaning: boolean
  readonly notice?: string | undefined
}

/** A lock without a sign of life for so long (ms) counts as left behind. */
const STALE_MS = 15_000
/** Fragments that tell the languages of the corpora. */
const SAMPLE = 120

/** The manuals beside the vaults: read-only, in memory, made again in the background when somebody asks for it. */
export class Library {
  readonly #shelves: readonly Shelf[]
  readonly #options: LibraryOptions
  readonly #abort = new AbortController()
  readonly #locks: LockFiles
  readonly #reindexer: Reindexer
  #model: Promise<Embedder> | null = null
  #opened: Embedder | null = null

  private constructor(options: LibraryOptions) {
    this.#options = options
    this.#shelves = options.corpora.map((source) => new Shelf(source, options.folder))
    const locks = join(options.folder, 'locks')
    makeFolder(locks)
    this.#locks = new LockFiles(locks, STALE_MS)
    this.#reindexer = new Reindexer({
      limits: options.limits ?? LIMITS,
      signal: this.#abort.signal,
      locks: this.#locks,
      model: options.openModel === null ? null : (about) => this.#embedder(about),
      openedModel: () => this.#opened,
    })
  }

  /** Loads what earlier runs have left. Fetches nothing. */
  static async open(options: LibraryOptions): Promise<Library> {
    const library = new Library(options)
    await Promise.all(library.#shelves.map((shelf) => shelf.refresh()))
    return library
  }

  get names(): string[] {
    return this.#shelves.map(({ source }) => source.name)
  }

  /**
   * Begins to make in the background what is missing: corpora that are not there, changed folders, vectors.
   * @returns when it has begun, or nothing is missing
   */
  start(): Promise<void> {
    return this.#reindexer.complete(this.#shelves)
  }

  /**
   * Begins to read sources anew, in the background.
   * @throws VaultError `not_ready` while a reindex runs, with its state; `bad_argument` for an unknown corpus
   */
  reindex({ corpora }: ReindexRequest): ReindexState {
    const jobs = [...corpora].map(([name, folders]) => {
      const shelf = this.#shelf(name)
      return { shelf, folders: folders ?? shelf.source.folders }
    })
    return this.#reindexer.begin(jobs)
  }

  /** Resolves when no reindex runs. */
  settled(): Promise<void> {
    return this.#reindexer.settled()
  }

  /**
   * Searches one corpus, or all of them.
   * @throws VaultError `not_ready` where nothing is indexed yet, `bad_argument` for an unknown corpus
   */
  async search(query: string, { limit, corpus, way }: SearchOptions): Promise<DocsAnswer> {
    const meant = corpus === undefined ? this.#shelves : [this.#shelf(corpus)]
    if (!meaningOf(query).hasWords) return { hits: [], byMeaning: false, notice: NO_WORD }
    await Promise.all(meant.map((shelf) => shelf.refresh()))
    const there = meant.flatMap((shelf) => shelf.corpus ?? [])
    if (there.length === 0) throw this.#notReady(meant)
    const { vector, identity, notice } = await this.#vectorOf(query, there)
    const missing = meant.filter((shelf) => shelf.corpus === null).map(({ source }) => source.name)
    const notices = [notice, missing.length > 0 ? `Not indexed yet: ${missing.join(', ')}.` : undefined]
    const hits = searchCorpora(there, { query, limit, vector, identity, way })
    return {
      hits,
      byMeaning: vector !== null,
      notice: notices.filter((n) => n !== undefined).join(' ') || undefined,
    }
  }

  /** @param corpus one alone; default all. @throws VaultError `bad_argument` for an unknown one */
  async status(corpus?: string): Promise<DocsStatus> {
    const meant = corpus === undefined ? this.#shelves : [this.#shelf(corpus)]
    await Promise.all(meant.map((shelf) => shelf.refresh()))
    return statusOf(meant, this.#reindexer.state)
  }

  /** Writes a corpus with its vectors as one file. @throws VaultError `not_ready`, `bad_argument`, `unavailable` */
  async export(name: string, file: string): Promise<Corpus> {
    const shelf = this.#shelf(name)
    if (shelf.corpus === null) throw this.#notReady([shelf])
    try {
      await saveCorpus(file, shelf.corpus)
    } catch (cause) {
      const why = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message
      throw new VaultError('unavailable', `${file} cannot be written (${why}).`, {
        hint: 'Name a file in a folder that can be written.',
        cause,
      })
    }
    return shelf.corpus
  }

  async close(): Promise<void> {
    this.#abort.abort()
    await this.#reindexer.settled()
    this.#locks.close()
    await this.#opened?.close()
  }

  #shelf(name: string): Shelf {
    const found = this.#shelves.find(({ source }) => source.name.toLowerCase() === name.toLowerCase())
    if (found !== undefined) return found
    const near = didYouMean(nearest(name, this.names, 1)).trim()
    throw new VaultError('bad_argument', `There is no corpus ${JSON.stringify(name)}.`, {
      hint: near || `Corpora: ${this.names.join(', ')}.`,
    })
  }

  /** The question as a vector; without, words alone answer and it is said why. */
  async #vectorOf(
    query: string,
    corpora: readonly Corpus[],
  ): Promise<{ vector: Float32Array | null; identity: string | null; notice?: string | undefined }> {
    const none = { vector: null, identity: null }
    if (this.#options.openModel === null) return none
    if (corpora.every(({ vectors }) => vectors === null || vectors.chunkCount === 0))
      return { ...none, notice: 'No vectors yet: these are keyword hits.' }
    try {
      const embedder = await this.#embedder()
      // A model of another kind than the one that made them: they are made anew, words answer meanwhile.
      if (corpora.some(({ vectors }) => vectors?.identity !== embedder.identity)) void this.start()
      if (!embedder.speaks(query))
        return {
          ...none,
          notice: 'The model does not speak the language of the query: these are keyword hits.',
        }
      const vector = await embedder.embedQuery(query, this.#abort.signal)
      return { vector, identity: embedder.identity }
    } catch (error) {
      if (!(error instanceof VaultError)) log.error('the manuals could not be searched by meaning', error)
      const why = error instanceof VaultError ? error.message : 'Search by meaning failed.'
      return { ...none, notice: `${why} These are keyword hits.` }
    }
  }

  #embedder(about?: Corpus): Promise<Embedder> {
    this.#model ??= this.#open(about).catch((error) => {
      this.#model = null
      throw error
    })
    return this.#model
  }

  async #open(about: Corpus | undefined): Promise<Embedder> {
    const { openModel } = this.#options
    const corpora = [...this.#shelves.map((shelf) => shelf.corpus), about].filter((corpus) => corpus != null)
    const current = corpora.find(({ vectors }) => vectors !== null)?.vectors?.identity ?? null
    const model = await openModel?.({ foreign: foreignShare(corpora), current }, this.#abort.signal)
    if (model === undefined) throw new Error('there is no model to open')
    this.#opened = model
    return model
  }

  #notReady(meant: readonly Shelf[]): VaultError {
    const { in_progress, progress } = this.#reindexer.state
    const error = meant.map((shelf) => shelf.lastError).find((e) => e !== null)
    const names = meant.map(({ source }) => source.name).join(', ')
    return new VaultError(
      'not_ready',
      in_progress
        ? `The documentation (${names}) is being indexed.`
        : `The documentation (${names}) is not indexed${error ? `: ${error}` : '.'}`,
      {
        hint: in_progress
          ? 'docs_status tells how far it is; try again then.'
          : 'docs_reindex makes the index.',
        details: { retryable: in_progress, in_progress, ...(progress ? { progress } : {}) },
      },
    )
  }
}

/** A place that cannot be written keeps nobody from searching what is there. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    log.warn(
      `the folder for indexes of documentation cannot be made (${(error as NodeJS.ErrnoException).code})`,
    )
  }
}

function foreignShare(corpora: readonly Corpus[]): number {
  const count = corpora.reduce((sum, { fragments }) => sum + fragments.size, 0)
  const step = Math.max(1, Math.floor(count / SAMPLE))
  let at = 0
  let read = 0
  let foreign = 0
  for (const { fragments } of corpora) {
    for (const { text } of fragments.all()) {
      if (at++ % step !== 0) continue
      read++
      if (!readsAsEnglish(text)) foreign++
    }
  }
  return read === 0 ? 0 : foreign / read
}
