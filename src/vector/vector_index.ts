import type { TextRange } from '../note/note.ts'

/** A chunk as it is kept: without its text. */
export interface StoredChunk {
  /** Hash of what was embedded and of the model: equal ids have equal vectors. */
  readonly id: string
  readonly scope: 'note' | 'passage'
  readonly range: TextRange
  readonly headingPath: readonly string[]
  readonly section: TextRange | null
}

export interface StoredNote {
  readonly path: string
  /** Of the bytes that the chunks were cut from. */
  readonly revision: string
  readonly chunks: readonly StoredChunk[]
  /** The chunks' vectors end to end, each of length 1. */
  readonly vectors: Float32Array
}

export interface NearestOptions {
  /** Notes, at most. */
  readonly most: number
  /** Which notes count at all; applied before the nearest are chosen. */
  readonly filter?: ((path: string) => boolean) | undefined
}

/**
 * Finds the notes whose vectors lie nearest to a question. Every index passes test/vector/vector_index.test.ts.
 * It holds the notes that it is given, not copies of them: a note changes by dropping it and adding another.
 */
export interface VectorIndex {
  /** How vectors are compared now: each of them, or along a graph that leads to near ones. */
  readonly kind: 'exact' | 'hnsw'
  add(note: StoredNote): void
  /** Takes out a note that was added: the same object. */
  drop(note: StoredNote): void
  /**
   * The notes with the nearest vectors, nearest first, ties by path; all of them where there are no more than `most`.
   * Notes without vectors are never among them.
   * @param query of length 1
   */
  nearest(query: Float32Array, options: NearestOptions): NearNote[]
}

export interface NearNote {
  readonly note: StoredNote
  /** Cosine of its nearest vector, −1 to 1. */
  readonly best: number
}

/** The scalar product of a question and the vector that begins there: the cosine, since both are of length 1. */
export function dot(vectors: Float32Array, from: number, query: Float32Array): number {
  let a = 0
  let b = 0
  const n = query.length
  let i = 0
  for (; i + 1 < n; i += 2) {
    a += (vectors[from + i] as number) * (query[i] as number)
    b += (vectors[from + i + 1] as number) * (query[i + 1] as number)
  }
  return i < n ? a + b + (vectors[from + i] as number) * (query[i] as number) : a + b
}

/** Measures notes and puts the nearest first; ties by path, so that an answer is the same every time. */
export function ranked(notes: Iterable<StoredNote>, query: Float32Array, most: number): NearNote[] {
  const near: NearNote[] = []
  for (const note of notes) near.push({ note, best: bestOf(note, query) })
  near.sort((a, b) => b.best - a.best || (a.note.path < b.note.path ? -1 : 1))
  return near.slice(0, most)
}

function bestOf({ vectors }: StoredNote, query: Float32Array): number {
  let best = -Infinity
  for (let at = 0; at < vectors.length; at += query.length) best = Math.max(best, dot(vectors, at, query))
  return best
}
