import { readFile } from 'node:fs/promises'
import { log } from '../logger.ts'
import { decodeStore, encodeStore, VectorStore } from '../vector/store.ts'
import { replaceFile } from './replace_file.ts'
import { decodeSections, encodeSections } from './snapshot_format.ts'

/**
 * Version of the file of vectors; what notes and words are may change without making them anew.
 * - 2: first form
 */
const VECTORS_VERSION = 2

/** The vectors that an earlier run has left; null where there are none. A damaged file is said and made anew. */
export async function loadVectors(file: string): Promise<VectorStore | null> {
  let bytes: Uint8Array
  try {
    bytes = await readFile(file)
  } catch {
    return null
  }
  try {
    const [table, vectors] = decodeSections(bytes, VECTORS_VERSION) as [Uint8Array, Uint8Array]
    const store = decodeStore(table, vectors)
    if (store === null) throw new Error('its table and its vectors do not belong together')
    return store
  } catch (error) {
    log.warn(`the vectors in ${file} are not used: ${(error as Error).message}; they are made anew`)
    return null
  }
}

/** Never fails: what cannot be written is made again after the next start. @returns did it work? */
export async function saveVectors(file: string, store: VectorStore): Promise<boolean> {
  try {
    const [table, vectors] = encodeStore(store)
    await replaceFile(file, encodeSections([[table], [vectors]], VECTORS_VERSION))
    return true
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? error
    log.warn(`the vectors could not be written (${why}); they are made again after the next start`)
    return false
  }
}

/**
 * What of older vectors can be used with a model: all where it is the same; where only the rules of cutting are other
 * ones, every note answers as it was until it is cut again, and equal pieces keep their vectors; nothing of another model.
 */
export function adopt(
  stored: VectorStore | null,
  { space, identity, dimensions }: { space: string; identity: string; dimensions: number },
): VectorStore {
  if (stored?.identity === identity && stored.dimensions === dimensions) return stored
  const store = new VectorStore(identity, dimensions)
  if (stored === null) return store
  if (stored.dimensions !== dimensions || !stored.identity.startsWith(`${space}#`)) {
    log.info('the embedding model is another one: vectors are made anew, words answer meanwhile')
    return store
  }
  // No revision of a note is empty: each is looked at again.
  for (const note of stored.notes()) store.set({ ...note, revision: '' })
  return store
}
