import { rm } from 'node:fs/promises'
import type { Embedder } from '../vector/embedder.ts'
import { openArchive } from './archive.ts'
import { type Corpus, readCorpus } from './corpus.ts'
import { CORPUS_MAGIC, loadCorpus } from './corpus_file.ts'
import { download, type Validators } from './download.ts'
import { openFolder } from './folder.ts'
import type { Limits } from './limits.ts'
import type { PageStream } from './page.ts'
import type { Shelf } from './shelf.ts'
import { type CorpusSource, identityOf } from './source.ts'

export type Phase = 'fetching' | 'reading' | 'embedding'

/** @param done bytes of a download, pages that are read, fragments that are embedded */
export type Report = (phase: Phase, done: number, total?: number) => void

export interface AcquireOptions {
  readonly folders: readonly string[]
  readonly limits: Limits
  readonly signal: AbortSignal
  readonly report: Report
}

const ZIP_MAGIC = new TextEncoder().encode('PK')

/**
 * Reads the source of a shelf anew.
 * @returns a corpus without vectors, or null where the source is still what the shelf holds
 * @throws VaultError what is wrong with the source
 */
export async function acquire(shelf: Shelf, options: AcquireOptions): Promise<Corpus | null> {
  const { source, corpus } = shelf
  const { folders } = options
  const isSame =
    corpus !== null &&
    identityOf({ ...source, folders: corpus.facts.folders }) === identityOf({ ...source, folders })
  options.report('fetching', 0)
  const opened =
    source.place.kind === 'folder'
      ? await openFolderOf(source.place.path, isSame ? corpus.facts.mark : null, source, options)
      : await openZip(source.place.url, isSame ? corpus.facts.validators : null, shelf, options)
  if (opened === null) return null
  const { stream, mark, validators } = opened
  try {
    const progress = (pages: number) => options.report('reading', pages, stream.count)
    const read = await readCorpus(stream, {
      signal: options.signal,
      progress,
      most: options.limits.fragments,
    })
    const facts = {
      name: source.name,
      configured: identityOf(source),
      folders,
      indexedAt: new Date().toISOString(),
      mark,
      validators,
      left: stream.left,
    }
    return { facts, ...read, vectors: null }
  } finally {
    await stream.close()
  }
}

interface Opened {
  readonly stream: PageStream
  readonly mark: string | null
  readonly validators: Validators | null
}

async function openFolderOf(
  path: string,
  known: string | null,
  { name }: CorpusSource,
  { folders, limits }: AcquireOptions,
): Promise<Opened | null> {
  const stream = await openFolder(path, { folders, limits, label: `The folder of ${JSON.stringify(name)}` })
  return stream.mark === known ? null : { stream, mark: stream.mark, validators: null }
}

async function openZip(
  url: string,
  known: Validators | null,
  shelf: Shelf,
  { folders, limits, signal, report }: AcquireOptions,
): Promise<Opened | null> {
  const into = temporaryFile(shelf)
  const validators = await download(url, {
    into,
    limits,
    signal,
    begins: ZIP_MAGIC,
    kind: 'ZIP archive',
    progress: (bytes) => report('fetching', bytes),
    ...(known === null ? {} : { known }),
  })
  if (validators === null) return null
  try {
    const source = `The archive of ${JSON.stringify(shelf.source.name)}`
    const stream = await openArchive(into, { folders, limits, signal, source })
    const close = async () => {
      await stream.close()
      await rm(into, { force: true })
    }
    return { stream: { ...stream, close }, mark: null, validators }
  } catch (error) {
    await rm(into, { force: true })
    throw error
  }
}

function temporaryFile({ file }: Shelf): string {
  return `${file}.${process.pid}.${crypto.getRandomValues(new Uint8Array(4)).toHex()}.part`
}

/**
 * Takes a corpus that somebody has made before (`knap docs export`), vectors included.
 * @param model opens the model whose vectors it must hold; null where there is none, and only its words count
 * @throws Error why it cannot be used
 */
export async function acquirePrebuilt(
  shelf: Shelf,
  address: string,
  model: ((about: Corpus) => Promise<Embedder>) | null,
  { limits, signal, report }: AcquireOptions,
): Promise<Corpus> {
  const { source } = shelf
  const place = address.replaceAll('{corpus}', source.name)
  const isRemote = /^https?:\/\//i.test(place)
  const into = isRemote ? temporaryFile(shelf) : place
  report('fetching', 0)
  try {
    if (isRemote) {
      const progress = (bytes: number) => report('fetching', bytes)
      await download(place, { into, limits, signal, begins: CORPUS_MAGIC, kind: 'prebuilt index', progress })
    }
    const corpus = await loadCorpus(into)
    if (corpus === null) throw new Error('there is no such file')
    requireFitting(corpus, source)
    if (model !== null) requireVectors(corpus, await model(corpus))
    const configured = identityOf(source)
    const { facts } = corpus
    const validators = facts.configured === configured ? facts.validators : null
    return {
      ...corpus,
      facts: { ...facts, configured, validators },
      vectors: model === null ? null : corpus.vectors,
    }
  } finally {
    if (isRemote) await rm(into, { force: true })
  }
}

function requireFitting({ facts }: Corpus, source: CorpusSource): void {
  if (facts.name !== source.name) throw new Error(`it holds the corpus ${JSON.stringify(facts.name)}`)
  if (identityOf({ ...source, folders: facts.folders }) !== identityOf(source))
    throw new Error(`it holds other folders: ${facts.folders.join(', ') || 'all'}`)
}

function requireVectors({ vectors }: Corpus, { identity }: Embedder): void {
  if (vectors?.identity === identity) return
  throw new Error(`its vectors are of ${vectors === null ? 'no model' : 'another model'}`)
}
