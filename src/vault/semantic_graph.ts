import { createReadStream } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { log } from '../logger.ts'
import { HnswIndex } from '../vector/hnsw.ts'
import { type GraphTable, HnswGraph, hnswLibrary } from '../vector/hnsw_graph.ts'
import type { VectorStore } from '../vector/store.ts'
import { replaceFile } from './replace_file.ts'
import { decodeSections, encodeSections } from './snapshot_format.ts'

/**
 * Version of the graph's table.
 * - 1: first form
 */
const TABLE_VERSION = 1

/** Up to so many changes are put into a graph again after the next start, which takes less than a second. */
const LOST_AT_MOST = 500

type Library = NonNullable<Awaited<ReturnType<typeof hnswLibrary>>>

interface SavedTable extends GraphTable {
  readonly identity: string
  readonly dimensions: number
  /** xxHash64 of the graph's file, in hex: the library reads what it is given. */
  readonly hash: string
}

/**
 * Gives a store of many vectors a graph to find near ones, where the library for it is there, and keeps the graph in
 * two files: the library's own, and beside it (`.table`) what its points are. Derived data: what does not fit is built anew.
 */
export class GraphKeeper {
  readonly #file: string
  readonly #from: number
  #store: VectorStore | null = null
  #index: HnswIndex | null = null
  #saving: Promise<void> | null = null
  /** The first filling of a graph, and its writing. */
  #building: Promise<void> = Promise.resolve()

  /** @param from stores of more vectors than this get a graph */
  constructor({ file, from }: { file: string; from: number }) {
    this.#file = file
    this.#from = from
  }

  /** To be called whenever a store has grown. Resolves when its graph is there, be it empty: a store answers all along. */
  async follow(store: VectorStore): Promise<void> {
    if (store === this.#store || store.chunkCount <= this.#from) return
    this.#store = store
    this.#index = null
    const library = await hnswLibrary()
    if (library === null) {
      log.info(`${store.chunkCount} vectors are compared one by one: hnswlib-node is not installed`)
      return
    }
    const { dimensions } = store
    const read = (await this.#read(library, store)) ?? undefined
    if (this.#store !== store) return
    const index = new HnswIndex((room) => HnswGraph.empty(library, dimensions, room), { read })
    store.use(index)
    this.#index = index
    this.#building = index.settled().then(() => this.save())
  }

  /** Resolves when the graph holds all that its store held, and is written. */
  async settled(): Promise<void> {
    await this.#building
  }

  /** Writes the graph where it is whole and that is worth while. Never fails: what is not written is built after the next start. */
  async save(): Promise<void> {
    if (this.#index?.busy === false) await this.#saveAsItIs(this.#index)
  }

  /** Leaves off building, and keeps what is built by now: the next start goes on from there. */
  async close(): Promise<void> {
    if (this.#index === null) return
    this.#index.stop()
    await this.#saveAsItIs(this.#index)
  }

  async #saveAsItIs(index: HnswIndex): Promise<void> {
    const enough = Math.max(1, Math.min(LOST_AT_MOST, index.size))
    if (this.#store !== null && index.changes >= enough) {
      this.#saving ??= this.#write(index, this.#store).finally(() => {
        this.#saving = null
      })
    }
    await this.#saving
  }

  async #write(index: HnswIndex, { identity, dimensions }: VectorStore): Promise<void> {
    const temporary = `${this.#file}.${process.pid}.tmp`
    try {
      await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 })
      // The library writes into the file that is there: for its owner alone, as all that is kept of notes.
      await writeFile(temporary, '', { mode: 0o600 })
      const graph = await index.write(temporary)
      const table: SavedTable = { ...graph, identity, dimensions, hash: await hashOf(temporary) }
      // Killed in between, the table's hash tells that this is not its graph.
      await rename(temporary, this.#file)
      const json = new TextEncoder().encode(JSON.stringify(table))
      await replaceFile(this.#tableFile, encodeSections([[json]], TABLE_VERSION))
    } catch (error) {
      // A place where nothing can be written may fail at this too.
      await rm(temporary, { force: true }).catch(() => {})
      const why = (error as NodeJS.ErrnoException).code ?? error
      log.warn(
        `the graph of the vectors could not be written (${why}); it is built again after the next start`,
      )
    }
  }

  /** The graph that an earlier run has left for these vectors, or null. */
  async #read(library: Library, { identity, dimensions }: VectorStore): Promise<HnswGraph | null> {
    let bytes: Uint8Array
    try {
      bytes = await readFile(this.#tableFile)
    } catch {
      return null
    }
    try {
      const [json] = decodeSections(bytes, TABLE_VERSION) as [Uint8Array]
      const table = JSON.parse(new TextDecoder().decode(json)) as SavedTable
      if (table.identity !== identity || table.dimensions !== dimensions) return null
      if (table.hash !== (await hashOf(this.#file))) throw new Error('it does not belong to its table')
      return await HnswGraph.read(library, dimensions, { file: this.#file, table })
    } catch (error) {
      log.warn(`the graph ${this.#file} is not used: ${(error as Error).message}; it is built anew`)
      return null
    }
  }

  get #tableFile(): string {
    return `${this.#file}.table`
  }
}

async function hashOf(file: string): Promise<string> {
  let hash = 0n
  for await (const part of createReadStream(file, { highWaterMark: 1 << 20 }))
    hash = Bun.hash.xxHash64(part as Uint8Array, hash)
  return hash.toString(16)
}
