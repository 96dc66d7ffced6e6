import { readdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { log } from '../logger.ts'
import type { VectorStore } from '../vector/store.ts'
import type { Corpus } from './corpus.ts'
import { loadCorpus, saveCorpus } from './corpus_file.ts'
import { type CorpusSource, identityOf } from './source.ts'

/** The place of one corpus: where it comes from, its file, and what of it is there now. */
export class Shelf {
  readonly source: CorpusSource
  readonly file: string
  /** What questions are answered from; null before the first reading. Replaced as a whole. */
  corpus: Corpus | null = null
  lastError: string | null = null
  /** Vectors of a corpus that is not the right one any more, for texts that it has in common with the next. */
  #older: VectorStore | null = null
  #seen = ''

  constructor(source: CorpusSource, folder: string) {
    this.source = source
    this.file = join(folder, `${source.name}.knap`)
  }

  get vectorsToReuse(): VectorStore | null {
    return this.corpus?.vectors ?? this.#older
  }

  /** Takes what lies in the file, where that is another one than was seen: also what another process has put there. */
  async refresh(): Promise<void> {
    const signature = await signatureOf(this.file)
    if (signature === this.#seen) return
    this.#seen = signature
    if (signature === '') return
    try {
      const corpus = await loadCorpus(this.file)
      if (corpus === null) return
      if (corpus.facts.configured === identityOf(this.source)) this.corpus = corpus
      else this.#older = corpus.vectors
    } catch (error) {
      log.warn(
        `the index of the corpus ${this.source.name} is not used: ${(error as Error).message}; it is made anew`,
      )
    }
  }

  /** Puts a corpus in the place of the one that was there, for questions at once and for later starts. */
  async put(corpus: Corpus): Promise<void> {
    this.corpus = corpus
    await this.save()
  }

  /** Removes what processes that were killed have left beside the file. For the holder of the corpus's lock alone. */
  async removeLeftovers(): Promise<void> {
    const folder = dirname(this.file)
    const names = await readdir(folder).catch(() => [])
    const left = names.filter(
      (name) => name.startsWith(`${basename(this.file)}.`) && /\.(part|tmp)$/.test(name),
    )
    await Promise.all(left.map((name) => rm(join(folder, name), { force: true }).catch(() => {})))
  }

  /** Never fails: what cannot be written is made again after the next start. */
  async save(): Promise<void> {
    if (this.corpus === null) return
    try {
      await saveCorpus(this.file, this.corpus)
      this.#seen = await signatureOf(this.file)
    } catch (error) {
      const why = (error as NodeJS.ErrnoException).code ?? (error as Error).message
      log.warn(`the index of the corpus ${this.source.name} could not be written (${why})`)
    }
  }
}

async function signatureOf(file: string): Promise<string> {
  return await stat(file).then(
    ({ mtimeMs, size, ino }) => `${mtimeMs} ${size} ${ino}`,
    () => '',
  )
}
