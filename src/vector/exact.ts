import {
  type NearestOptions,
  type NearNote,
  ranked,
  type StoredNote,
  type VectorIndex,
} from './vector_index.ts'

/** Compares a question with every vector: right by construction, and a few milliseconds for tens of thousands of them. */
export class ExactIndex implements VectorIndex {
  readonly kind = 'exact'
  readonly #notes = new Set<StoredNote>()

  add(note: StoredNote): void {
    if (note.chunks.length > 0) this.#notes.add(note)
  }

  drop(note: StoredNote): void {
    this.#notes.delete(note)
  }

  nearest(query: Float32Array, { most, filter }: NearestOptions): NearNote[] {
    const passing = filter ? [...this.#notes].filter(({ path }) => filter(path)) : this.#notes
    return ranked(passing, query, most)
  }
}
