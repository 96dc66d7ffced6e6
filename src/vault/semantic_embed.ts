import { VaultError } from '../errors.ts'
import type { Embedder } from '../vector/embedder.ts'
import type { CutNote } from './semantic_note.ts'

export interface EmbedTarget {
  /** A vector that is there already. */
  readonly known: (id: string) => Float32Array | undefined
  /** Takes each new vector, by the id of its chunk, as soon as it is there. */
  readonly made: Map<string, Float32Array>
  readonly signal: AbortSignal
  /** The model has taken texts before: what it refuses is the text's fault. */
  readonly trusted: boolean
}

/**
 * Makes the vectors that these notes still need, each distinct text once, in small portions: a question waits for one
 * portion only. Where the model refuses a text for good, its note is found and the others go on.
 * @returns why, by path, for notes whose text the model refuses
 * @throws VaultError what has failed for the moment, or for all of them alike
 */
export async function embedTexts(
  notes: readonly CutNote[],
  embedder: Embedder,
  target: EmbedTarget,
): Promise<Map<string, string>> {
  const refused = new Map<string, string>()
  try {
    await embedAll(notes, embedder, target)
    return refused
  } catch (error) {
    if (!isRefusal(error) || (notes.length < 2 && !target.trusted)) throw error
  }
  let last: unknown
  for (const note of notes) {
    try {
      await embedAll([note], embedder, target)
    } catch (error) {
      if (!isRefusal(error)) throw error
      last = error
      refused.set(note.path, (error as VaultError).message)
    }
  }
  // A service that takes nothing at all is wrongly set up; that is no fault of the notes.
  if (refused.size === notes.length && !target.trusted) throw last
  return refused
}

async function embedAll(
  notes: readonly CutNote[],
  embedder: Embedder,
  { known, made, signal }: EmbedTarget,
): Promise<void> {
  const missing = new Map<string, string>()
  for (const { chunks } of notes)
    for (const { id, text } of chunks) if (!made.has(id) && known(id) === undefined) missing.set(id, text)
  // Texts of one length cost least together.
  const texts = [...missing].sort(([, a], [, b]) => a.length - b.length)
  for (let i = 0; i < texts.length; i += embedder.batch) {
    const portion = texts.slice(i, i + embedder.batch)
    const vectors = await embedder.embedDocuments(
      portion.map(([, text]) => text),
      signal,
    )
    for (const [at, [id]] of portion.entries()) made.set(id, vectors[at] as Float32Array)
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof VaultError && (error.code === 'bad_argument' || error.code === 'too_large')
}
