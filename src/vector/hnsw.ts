import { log } from '../logger.ts'
import { ExactIndex } from './exact.ts'
import type { GraphTable, HnswGraph } from './hnsw_graph.ts'
import {
  type NearestOptions,
  type NearNote,
  ranked,
  type StoredNote,
  type VectorIndex,
} from './vector_index.ts'

const COMPARED = 5000
const MOST_WALKED = 1 / 8
/** Room for more points in a new graph, as a share of those that it is made for. */
const SPARE_ROOM = 0.1
/** Milliseconds that points are put in, and that others then get their turn. */
const SLICE_MS = 5

interface Held {
  readonly note: StoredNote
  /** Of its chunks, in their order. */
  readonly labels: Uint32Array
}

export interface HnswOptions {
  /** A graph from a file; its notes are still to be added, and cost little. */
  readonly read?: HnswGraph | undefined
  /** Up to so many vectors that may be answered, all of them are compared: as fast as the way through the graph. */
  readonly compared?: number | undefined
  /** Where more than this share of all vectors would be looked at, all are compared. */
  readonly mostWalked?: number | undefined
}

/**
 * Finds near notes along a graph: a few thousandths of all vectors are looked at, and hardly one of the nearest is
 * missed. What is added is found at once: it is compared until it has its place in the graph, which it gets bit by bit
 * in between other work.
 */
export class HnswIndex implements VectorIndex {
  readonly #empty: (capacity: number) => HnswGraph
  readonly #compared: number
  readonly #mostWalked: number
  #graph: HnswGraph
  /** Every note: where a filter leaves few, comparing them is faster. */
  readonly #all = new ExactIndex()
  readonly #held = new Map<StoredNote, Held>()
  /** Whose points they are, by label: equal texts of several notes share one. */
  #owners: StoredNote[][] = []
  /** Notes that have no place in the graph yet, and how many chunks they have. */
  readonly #waiting = new Set<StoredNote>()
  #waitingChunks = 0
  readonly #late = new ExactIndex()
  #draining: Promise<void> | null = null
  /** Notes taken out while the graph must not change. */
  #gone: Held[] = []
  #writing = false
  /** A graph from a file may hold points that no note has any more. */
  #unswept: boolean
  #changes = 0
  #stopped = false
  #failed = false

  /** @param empty makes a graph without points: when a third of one is dead, another is begun */
  constructor(
    empty: (capacity: number) => HnswGraph,
    { read, compared = COMPARED, mostWalked = MOST_WALKED }: HnswOptions = {},
  ) {
    this.#empty = empty
    this.#compared = compared
    this.#mostWalked = mostWalked
    this.#graph = read ?? empty(1)
    this.#unswept = read !== undefined
  }

  get kind(): 'exact' | 'hnsw' {
    const early = this.#held.size === 0 || this.#waitingChunks > this.#graph.live / 2
    return early || this.#failed ? 'exact' : 'hnsw'
  }

  /** Are notes on their way into the graph? */
  get busy(): boolean {
    return this.#waiting.size > 0 && !this.#stopped
  }

  /** Points of the graph. */
  get size(): number {
    return this.#graph.size
  }

  /** Points put in or taken out since the graph was written. */
  get changes(): number {
    return this.#changes
  }

  add(note: StoredNote): void {
    if (note.chunks.length === 0) return
    this.#all.add(note)
    this.#waiting.add(note)
    this.#waitingChunks += note.chunks.length
    this.#late.add(note)
    this.#begin()
  }

  drop(note: StoredNote): void {
    this.#all.drop(note)
    if (this.#waiting.delete(note)) {
      this.#waitingChunks -= note.chunks.length
      this.#late.drop(note)
      // Some of its points may be in already.
      this.#unswept = true
      return
    }
    const held = this.#held.get(note)
    if (held === undefined) return
    this.#held.delete(note)
    if (this.#writing) this.#gone.push(held)
    else this.#release(held)
  }

  /** Resolves when every note has its place in the graph. */
  async settled(): Promise<void> {
    while (this.#draining) await this.#draining
  }

  /** Puts no more notes into the graph; they are found as before. */
  stop(): void {
    this.#stopped = true
  }

  nearest(query: Float32Array, options: NearestOptions): NearNote[] {
    const found = this.#walk(query, options)
    if (found === null) return this.#all.nearest(query, options)
    const late = this.#late.nearest(query, options).map(({ note }) => note)
    return ranked(new Set([...found, ...late]), query, options.most)
  }

  /** Writes the graph. What is added meanwhile waits, and is found all the same. */
  async write(file: string): Promise<GraphTable> {
    await this.settled()
    this.#writing = true
    try {
      const table = await this.#graph.write(file)
      this.#changes = 0
      return table
    } finally {
      this.#writing = false
      for (const held of this.#gone.splice(0)) this.#release(held)
    }
  }

  /** Near notes of the graph, no fewer than asked for; null where comparing all is better. */
  #walk(query: Float32Array, { most, filter }: NearestOptions): Set<StoredNote> | null {
    if (this.kind === 'exact') return null
    const passing = filter === undefined ? null : this.#passing(filter)
    const live = this.#graph.live
    const count = passing?.count ?? live
    if (count <= this.#compared) return null
    const share = Math.min(1, count / live)
    const passes = passing === null ? undefined : (label: number) => passing.labels[label] === 1
    for (let k = 2 * most; k <= count; k *= 2) {
      if (this.#graph.effort(k, share) > live * this.#mostWalked) break
      const labels = this.#graph.near(query, { count: k, share, passes })
      const notes = new Set(labels.flatMap((label) => this.#owners[label] ?? []))
      for (const note of notes) {
        // Taken out while the graph is written, or another owner's text.
        if (!this.#held.has(note) || filter?.(note.path) === false) notes.delete(note)
      }
      if (notes.size >= most) return notes
    }
    return null
  }

  /** The labels of the notes that pass (1 at each), and how many vectors that are. */
  #passing(filter: (path: string) => boolean): { labels: Uint8Array; count: number } {
    const marks = new Uint8Array(this.#owners.length)
    let count = 0
    for (const { note, labels } of this.#held.values()) {
      if (!filter(note.path)) continue
      count += labels.length
      for (const label of labels) marks[label] = 1
    }
    return { labels: marks, count }
  }

  #begin(): void {
    this.#draining ??= this.#drain()
      .catch((error) => {
        // No memory, say. Comparing all still answers.
        log.warn(`the graph of the vectors is given up: ${(error as Error).message}`)
        this.#stopped = true
        this.#failed = true
      })
      .finally(() => {
        this.#draining = null
        if (this.busy) this.#begin()
      })
  }

  async #drain(): Promise<void> {
    await pause()
    if (this.#graph.size === 0) this.#graph = this.#empty(Math.ceil(this.#waitingChunks * (1 + SPARE_ROOM)))
    let until = performance.now() + SLICE_MS
    // What is added meanwhile comes at the end of the same round.
    for (const note of this.#waiting) {
      while (this.busy && this.#waiting.has(note)) {
        if (!this.#writing && this.#putSome(note, until)) this.#hold(note)
        if (!this.#writing && performance.now() < until) continue
        await pause()
        until = performance.now() + SLICE_MS
      }
    }
    if (this.#unswept && !this.#writing) this.#sweep()
  }

  /** Puts the note's points in until the time is over. @returns are all of them in? */
  #putSome({ chunks, vectors }: StoredNote, until: number): boolean {
    const dimensions = vectors.length / chunks.length
    for (const [i, { id }] of chunks.entries()) {
      if (this.#graph.has(id)) continue
      if (performance.now() > until) return false
      this.#graph.put(id, vectors.subarray(i * dimensions, (i + 1) * dimensions))
      this.#changes++
    }
    return true
  }

  /** From now on the graph answers for this note. */
  #hold(note: StoredNote): void {
    const { chunks } = note
    const labels = Uint32Array.from(chunks, ({ id }) => this.#graph.revive(id))
    for (const label of labels) {
      const owners = this.#owners[label]
      if (owners === undefined) this.#owners[label] = [note]
      else if (!owners.includes(note)) owners.push(note)
    }
    this.#held.set(note, { note, labels })
    this.#waiting.delete(note)
    this.#waitingChunks -= chunks.length
    this.#late.drop(note)
  }

  #release({ note, labels }: Held): void {
    for (const label of labels) {
      const left = (this.#owners[label] ?? []).filter((owner) => owner !== note)
      this.#owners[label] = left
      if (left.length > 0) continue
      this.#graph.kill(label)
      this.#changes++
    }
    const { size, live } = this.#graph
    if ((size - live) * 3 >= size) this.#renew()
  }

  /** Begins another graph: the dead ones lengthen every way. All notes are compared until they are in it. */
  #renew(): void {
    const notes = [...this.#held.keys()]
    this.#graph = this.#empty(Math.ceil(this.#graph.live * (1 + SPARE_ROOM)))
    this.#owners = []
    this.#held.clear()
    this.#unswept = false
    for (const note of notes) this.add(note)
  }

  #sweep(): void {
    this.#unswept = false
    for (let label = 0; label < this.#graph.size; label++) {
      if ((this.#owners[label]?.length ?? 0) === 0) this.#graph.kill(label)
    }
  }
}

/** Lets everything that waits have its turn. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, SLICE_MS).unref())
}
