/**
 * The graph library as far as it is used here, a native part that need not be there.
 * Its names are those of Malkov and Yashunin (2016): M links a point has to its neighbours on each level, efConstruction
 * and ef candidates are held while a point is put in and while one is looked for.
 */
interface HnswLibrary {
  readonly HierarchicalNSW: new (space: 'ip', dimensions: number) => NativeGraph
}

interface NativeGraph {
  initIndex(maxElements: number, m: number, efConstruction: number, randomSeed: number): void
  resizeIndex(maxElements: number): void
  addPoint(point: number[], label: number): void
  markDelete(label: number): void
  unmarkDelete(label: number): void
  setEf(ef: number): void
  searchKnn(query: number[], k: number, filter?: (label: number) => boolean): { neighbors: number[] }
  getMaxElements(): number
  getCurrentCount(): number
  writeIndex(file: string): Promise<boolean>
  readIndex(file: string): Promise<boolean>
}

const M = 16
const EF_CONSTRUCTION = 200
/** Candidates that a search holds at least: with fewer, 384 dimensions lose too many of the nearest ten. */
const LEAST_EF = 600
/** Of the points that may be answered, a search holds so many times as many as are asked for. */
const EF_PER_ANSWER = 4
const SEED = 100
/** A full graph grows by this much; growing copies it. */
const GROWTH = 1.25

/** The library; null where it was not built on this machine. */
export async function hnswLibrary(): Promise<HnswLibrary | null> {
  // Not written as a literal: without the package its types are missing too.
  const name: string = 'hnswlib-node'
  try {
    const found = (await import(name)) as HnswLibrary & { default?: HnswLibrary }
    return found.default ?? found
  } catch {
    return null
  }
}

/** What belongs to a graph that was written to a file. */
export interface GraphTable {
  /** The id at each label. */
  readonly ids: readonly string[]
  /** Labels whose points are not answered. */
  readonly dead: readonly number[]
}

/** Points by id in one graph; a point that is taken out stays in it and is stepped over. */
export class HnswGraph {
  readonly #native: NativeGraph
  readonly #labels = new Map<string, number>()
  readonly #ids: string[] = []
  readonly #dead = new Set<number>()

  private constructor(native: NativeGraph) {
    this.#native = native
  }

  /** @param capacity points that it has room for, for now */
  static empty(library: HnswLibrary, dimensions: number, capacity: number): HnswGraph {
    const native = new library.HierarchicalNSW('ip', dimensions)
    native.initIndex(Math.max(1, capacity), M, EF_CONSTRUCTION, SEED)
    return new HnswGraph(native)
  }

  /** @throws Error where the file is none, or does not belong to the table */
  static async read(
    library: HnswLibrary,
    dimensions: number,
    { file, table }: { file: string; table: GraphTable },
  ): Promise<HnswGraph> {
    const native = new library.HierarchicalNSW('ip', dimensions)
    await native.readIndex(file)
    if (native.getCurrentCount() !== table.ids.length)
      throw new Error('graph and table do not belong together')
    const graph = new HnswGraph(native)
    for (const [label, id] of table.ids.entries()) graph.#labels.set(id, label)
    graph.#ids.push(...table.ids)
    for (const label of table.dead) graph.#dead.add(label)
    return graph
  }

  /** Writes the graph; nothing may be put in or taken out meanwhile. */
  async write(file: string): Promise<GraphTable> {
    const table = { ids: [...this.#ids], dead: [...this.#dead] }
    await this.#native.writeIndex(file)
    return table
  }

  /** Points, dead ones too: labels are below it. */
  get size(): number {
    return this.#ids.length
  }

  get live(): number {
    return this.#ids.length - this.#dead.size
  }

  has(id: string): boolean {
    return this.#labels.has(id)
  }

  put(id: string, vector: Float32Array): void {
    const label = this.#ids.length
    const room = this.#native.getMaxElements()
    if (label === room) this.#native.resizeIndex(Math.ceil(room * GROWTH) + 1)
    this.#native.addPoint(Array.from(vector), label)
    this.#labels.set(id, label)
    this.#ids.push(id)
  }

  /** Makes a point that was put in answer, again or as before. @returns its label, which stays its own */
  revive(id: string): number {
    const label = this.#labels.get(id) as number
    if (this.#dead.delete(label)) this.#native.unmarkDelete(label)
    return label
  }

  /** It is not answered any more. */
  kill(label: number): void {
    if (this.#dead.has(label)) return
    this.#native.markDelete(label)
    this.#dead.add(label)
  }

  /** Candidates that a search for `count` points among a share of all would hold. */
  effort(count: number, share: number): number {
    return Math.ceil(Math.max(LEAST_EF, EF_PER_ANSWER * count) / share)
  }

  /** Labels of near points, nearest first: `count` of them, or fewer where the graph leads to no more. */
  near(
    query: Float32Array,
    {
      count,
      share,
      passes,
    }: { count: number; share: number; passes?: ((label: number) => boolean) | undefined },
  ): number[] {
    if (this.live === 0) return []
    this.#native.setEf(this.effort(count, share))
    return this.#native.searchKnn(Array.from(query), Math.min(count, this.live), passes).neighbors
  }
}
