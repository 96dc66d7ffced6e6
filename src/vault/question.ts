import { normalise } from '../vector/embedder.ts'
import type { VectorHit, VectorStore } from '../vector/store.ts'

/** A question as a vector, over the vectors of a vault. */
export class Question {
  readonly #store: VectorStore
  readonly #vector: Float32Array

  constructor(store: VectorStore, vector: Float32Array) {
    this.#store = store
    this.#vector = vector
  }

  /** The nearest chunks, best note first; see {@link VectorStore.search}. */
  near(options: Parameters<VectorStore['search']>[1]): VectorHit[] {
    return this.#store.search(this.#vector, options)
  }

  /** The cosine that a note has by chance. */
  get background(): number {
    return this.#store.background(this.#vector)
  }

  /**
   * The same question drawn towards what was found: what lies near a good answer is more probably one too.
   * @param found with how much each is trusted, 0 or more
   * @param weight of all of them beside the question's 1
   * @see Rocchio, Relevance Feedback in Information Retrieval (1971)
   */
  towards(found: readonly { readonly hit: VectorHit; readonly trust: number }[], weight: number): Question {
    const all = found.reduce((sum, { trust }) => sum + trust, 0)
    if (all === 0) return this
    const drawn = this.#vector.slice()
    for (const { hit, trust } of found) {
      const vector = this.#store.vectorOf(hit.chunk.id)
      if (vector === undefined) continue
      for (let i = 0; i < drawn.length; i++)
        drawn[i] = (drawn[i] as number) + (weight * trust * (vector[i] as number)) / all
    }
    return new Question(this.#store, normalise(drawn))
  }
}
