import { cpus } from 'node:os'
import type { LocalModel } from './local_models.ts'

/** What the server sends. */
export interface EmbedRequest {
  readonly id: number
  readonly kind: 'embed' | 'count'
  readonly texts: readonly string[]
}

export type EmbedReply =
  | { readonly id: number; readonly vectors: Float32Array }
  | { readonly id: number; readonly counts: readonly number[] }
  | { readonly id: number; readonly error: string }

/** Texts of one run of the model: more would cost memory, fewer time. */
export const BATCH = 8

/**
 * The embedding child: holds the model and answers over the channel to its parent, in order. A process of its own,
 * since half a gigabyte would stay with the server otherwise; it ends with its parent.
 */
export async function runEmbedChild(folder: string, model: LocalModel): Promise<void> {
  const { env, pipeline } = await import('@huggingface/transformers')
  env.localModelPath = folder
  env.allowRemoteModels = false
  env.allowLocalModels = true
  const extract = await pipeline('feature-extraction', model.name, {
    dtype: 'q8',
    session_options: { intraOpNumThreads: Math.max(1, Math.min(2, cpus().length)) },
  })
  const encode = (text: string): number => (extract.tokenizer.encode(text) as number[]).length
  const embed = async (texts: readonly string[]): Promise<Float32Array> => {
    const out = new Float32Array(texts.length * model.dimensions)
    // Texts of similar length share a run: the shorter ones are padded to the longest.
    const order = texts.map((text, at) => ({ text, at })).sort((a, b) => a.text.length - b.text.length)
    for (let i = 0; i < order.length; i += BATCH) {
      const batch = order.slice(i, i + BATCH)
      const { data } = await extract(
        batch.map((b) => b.text),
        { pooling: model.pooling, normalize: true },
      )
      for (const [row, { at }] of batch.entries()) {
        out.set(
          (data as Float32Array).subarray(row * model.dimensions, (row + 1) * model.dimensions),
          at * model.dimensions,
        )
      }
    }
    return out
  }
  let queue: Promise<void> = Promise.resolve()
  process.on('message', (request: EmbedRequest) => {
    queue = queue.then(async () => {
      try {
        const reply: EmbedReply =
          request.kind === 'count'
            ? { id: request.id, counts: request.texts.map(encode) }
            : { id: request.id, vectors: await embed(request.texts) }
        process.send?.(reply)
      } catch (error) {
        process.send?.({ id: request.id, error: (error as Error).message } satisfies EmbedReply)
      }
    })
  })
  process.on('disconnect', () => process.exit(0))
  process.send?.({ id: 0, counts: [] } satisfies EmbedReply)
}
