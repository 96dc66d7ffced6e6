import { decodeNote } from '../note/encoding.ts'
import { scanFrontmatter } from '../note/frontmatter.ts'
import { parseNote } from '../note/parse.ts'
import { stemOf, type VaultPath } from '../note/path.ts'
import { revisionOf } from '../note/revision.ts'
import { type Chunk, chunkNote } from '../vector/chunk.ts'
import type { Embedder } from '../vector/embedder.ts'
import { readsAsEnglish } from '../vector/language_fit.ts'
import { MAX_SOURCE_BYTES } from '../vector/limits.ts'
import type { Vault } from './vault.ts'

/** The model failed, not the note that it was busy with. */
class ModelFailed extends Error {
  override readonly name = 'ModelFailed'

  constructor(cause: Error) {
    super(cause.message, { cause })
  }
}

/** A note that is cut and waits for its vectors. */
export interface CutNote {
  readonly path: VaultPath
  readonly revision: string
  readonly chunks: readonly Chunk[]
}

/**
 * Reads a note and cuts it into what is embedded; into nothing where the model does not speak its language, since no
 * vector is better than one that knows nothing of it.
 * @param known the revision whose vectors are there
 * @returns null where that is the note's revision still
 * @throws VaultError `not_found`, `unavailable`, `too_large`: the note's own fault; ModelFailed
 */
export async function cutNote(
  vault: Vault,
  embedder: Embedder,
  { path, known }: { path: VaultPath; known: string | undefined },
): Promise<CutNote | null> {
  const file = vault.file(path)
  if (known !== undefined && file?.revision === known) return null
  const storage = vault.storage.background ?? vault.storage
  const bytes = await storage.read(path, { maxBytes: MAX_SOURCE_BYTES })
  const revision = revisionOf(bytes)
  if (revision === known) return null
  const { text } = decodeNote(bytes)
  const { headings, frontmatter } = parseNote(text)
  const { bodyStart } = frontmatter
  if (!embedder.speaks(text.slice(bodyStart))) return { path, revision, chunks: [] }
  const chunks = await chunkNote(
    { path, text, title: stemOf(path), aliases: file?.facts?.aliases ?? [], bodyStart, headings },
    {
      maxTokens: embedder.maxTokens,
      countTokens: (texts) =>
        embedder.countTokens(texts).catch((error) => Promise.reject(new ModelFailed(error))),
      identity: embedder.space,
    },
  )
  return { path, revision, chunks }
}

/** Notes and bytes of each that tell the languages of a vault. */
const SAMPLE_NOTES = 120

/** The share of notes that an English model does not understand, 0 to 1, from some that are spread over the vault. */
export async function foreignShare(vault: Vault): Promise<number> {
  const notes = vault.catalogue.notes()
  const step = Math.max(1, Math.floor(notes.length / SAMPLE_NOTES))
  let read = 0
  let foreign = 0
  for (let i = 0; i < notes.length; i += step) {
    const path = notes[i]?.path as VaultPath
    const text = await vault.read(path, MAX_SOURCE_BYTES).then(
      (note) => note.text,
      () => '',
    )
    if (text.trim() === '') continue
    read++
    if (!readsAsEnglish(text.slice(scanFrontmatter(text).bodyStart))) foreign++
  }
  return read === 0 ? 0 : foreign / read
}
