import { ExactIndex } from './exact.ts'
import {
  dot,
  type NearestOptions,
  type StoredChunk,
  type StoredNote,
  type VectorIndex,
} from './vector_index.ts'

export interface VectorHit {
  readonly path: string
  readonly revision: string
  readonly chunk: StoredChunk
  /** −1 to 1. */
  readonly cosine: number
  /** Of the note's nearest vector, that of the whole note included: what it is ranked by. */
  readonly best: number
}

/** The vectors of a vault's notes, of one model. Which notes are near is up to its index: see {@link VectorStore.use}. */
export class VectorStore {
  readonly identity: string
  readonly dimensions: number
  readonly #notes = new Map<string, StoredNote>()
  #index: VectorIndex = new ExactIndex()
  /** Sum of the vectors of all notes; a note's vectors that lie far from their mean are what a question is about. */
  readonly #sum: Float64Array
  #chunks = 0
  /** Where a chunk's vector lies, so that an unchanged one is never made again. */
  readonly #byId = new Map<string, Owned>()
  /** Vectors whose last owner is gone, oldest first: a note that is moved or restored need not be embedded again. */
  readonly #spare = new Map<string, Float32Array>()

  constructor(identity: string, dimensions: number) {
    this.identity = identity
    this.dimensions = dimensions
    this.#sum = new Float64Array(dimensions)
  }

  get noteCount(): number {
    return this.#notes.size
  }

  get chunkCount(): number {
    return this.#chunks
  }

  /** How vectors are compared now. */
  get comparison(): VectorIndex['kind'] {
    return this.#index.kind
  }

  /** Lets another index find what is near; it is given all notes, and every change from now on. */
  use(index: VectorIndex): void {
    for (const note of this.#notes.values()) index.add(note)
    this.#index = index
  }

  /** The mean cosine of a question and all chunks: what a note has that has nothing to do with it. */
  background(query: Float32Array): number {
    if (this.#chunks === 0) return 0
    return this.#sum.reduce((total, x, i) => total + x * (query[i] as number), 0) / this.#chunks
  }

  /** Notes without any chunk. */
  get bareCount(): number {
    let n = 0
    for (const note of this.#notes.values()) if (note.chunks.length === 0) n++
    return n
  }

  notes(): IterableIterator<StoredNote> {
    return this.#notes.values()
  }

  get(path: string): StoredNote | undefined {
    return this.#notes.get(path)
  }

  set(note: StoredNote): void {
    const before = this.#notes.get(note.path)
    this.#notes.set(note.path, note)
    for (const [i, { id }] of note.chunks.entries()) {
      const vector = note.vectors.subarray(i * this.dimensions, (i + 1) * this.dimensions)
      this.#byId.set(id, { vector, owners: (this.#byId.get(id)?.owners ?? 0) + 1 })
      this.#spare.delete(id)
    }
    if (before) this.#release(before)
    this.#count(note, 1)
    this.#index.add(note)
  }

  /** Its vectors stay known for a while. */
  remove(path: string): void {
    const before = this.#notes.get(path)
    this.#notes.delete(path)
    if (before) this.#release(before)
  }

  vectorOf(chunkId: string): Float32Array | undefined {
    return this.#byId.get(chunkId)?.vector ?? this.#spare.get(chunkId)
  }

  #count({ chunks, vectors }: StoredNote, sign: 1 | -1): void {
    this.#chunks += sign * chunks.length
    const { dimensions } = this
    for (let i = 0; i < vectors.length; i++) this.#sum[i % dimensions]! += sign * (vectors[i] as number)
  }

  #release(note: StoredNote): void {
    const { chunks } = note
    this.#count(note, -1)
    this.#index.drop(note)
    for (const { id } of chunks) {
      const owned = this.#byId.get(id)
      if (owned === undefined) continue
      if (--owned.owners > 0) continue
      this.#byId.delete(id)
      // A copy: the stretch that it lies in belongs to a whole note.
      this.#spare.set(id, owned.vector.slice())
    }
    for (const id of this.#spare.keys()) {
      if (this.#spare.size <= MOST_SPARE) break
      this.#spare.delete(id)
    }
  }

  /**
   * The nearest chunks, those of the best note first, ties by path.
   * @param query of length 1
   * @param options at most `most` notes; of each its best chunks, at most `perNote`
   */
  search(query: Float32Array, { perNote, ...options }: NearestOptions & { perNote: number }): VectorHit[] {
    return this.#index.nearest(query, options).flatMap(({ note, best }) =>
      topOf(note, query, perNote).map(({ at, cosine }) => ({
        path: note.path,
        revision: note.revision,
        chunk: note.chunks[at] as StoredChunk,
        cosine,
        best,
      })),
    )
  }
}

interface Owned {
  readonly vector: Float32Array
  owners: number
}

/** Vectors without an owner that are kept. */
const MOST_SPARE = 4096

/** The best chunks of one note. The piece for the whole of a long note makes it found, but its passages are the place. */
function topOf({ vectors, chunks }: StoredNote, query: Float32Array, most: number) {
  const scored: { at: number; cosine: number }[] = []
  for (let at = 0; at < chunks.length; at++)
    scored.push({ at, cosine: dot(vectors, at * query.length, query) })
  scored.sort((a, b) => b.cosine - a.cosine || a.at - b.at)
  const passages = scored.filter(({ at }) => chunks[at]?.scope === 'passage')
  return (passages.length > 0 ? passages : scored).slice(0, most)
}

interface Table {
  readonly identity: string
  readonly dimensions: number
  readonly notes: readonly {
    readonly path: string
    readonly revision: string
    readonly chunks: readonly StoredChunk[]
  }[]
}

/** The store as two stretches of bytes: its table (JSON) and all vectors end to end. */
export function encodeStore(store: VectorStore): [Uint8Array, Uint8Array] {
  const notes = [...store.notes()]
  const table: Table = {
    identity: store.identity,
    dimensions: store.dimensions,
    notes: notes.map(({ path, revision, chunks }) => ({ path, revision, chunks })),
  }
  const all = new Float32Array(notes.reduce((n, note) => n + note.vectors.length, 0))
  let at = 0
  for (const { vectors } of notes) {
    all.set(vectors, at)
    at += vectors.length
  }
  return [new TextEncoder().encode(JSON.stringify(table)), new Uint8Array(all.buffer)]
}

/** @returns null where table and vectors do not belong together */
export function decodeStore(tableBytes: Uint8Array, vectorBytes: Uint8Array): VectorStore | null {
  const { identity, dimensions, notes } = JSON.parse(new TextDecoder().decode(tableBytes)) as Table
  const all = floatsOf(vectorBytes)
  const store = new VectorStore(identity, dimensions)
  let at = 0
  for (const { path, revision, chunks } of notes) {
    const length = chunks.length * dimensions
    if (at + length > all.length) return null
    store.set({ path, revision, chunks, vectors: all.subarray(at, at + length) })
    at += length
  }
  return at === all.length ? store : null
}

/** The numbers where they lie, or a copy where they lie between two places for numbers. */
function floatsOf(bytes: Uint8Array): Float32Array {
  const count = Math.floor(bytes.length / 4)
  if (bytes.byteOffset % 4 === 0) return new Float32Array(bytes.buffer, bytes.byteOffset, count)
  return new Float32Array(new Uint8Array(bytes).buffer, 0, count)
}
