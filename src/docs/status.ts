import type { LeftOut } from './page.ts'
import type { ReindexState } from './reindex.ts'
import type { Shelf } from './shelf.ts'
import type { CorpusPlace } from './source.ts'

export interface CorpusStatus {
  readonly name: string
  /** Where it comes from: the address of an archive, or `folder`. */
  readonly source: string
  readonly chunks: number
  readonly pages: number
  /** Chunks that can be found by meaning. */
  readonly embedded: number
  /** The folders that were taken; empty: all. */
  readonly folders: readonly string[]
  readonly indexed_at: string | null
  readonly in_progress: boolean
  readonly last_error: string | null
  /** Files of the source that were not taken, the first of them. */
  readonly left_out: readonly LeftOut[]
  readonly left_out_total: number
}

export interface DocsStatus extends ReindexState {
  readonly chunks: number
  /** The newest of the corpora's errors. */
  readonly last_error: string | null
  readonly corpora: readonly CorpusStatus[]
}

const MOST_LEFT_OUT = 20

/** How many chunks are there, what runs, and what went wrong, in all and for each corpus. */
export function statusOf(shelves: readonly Shelf[], state: ReindexState): DocsStatus {
  const corpora = shelves.map((shelf) => corpusStatus(shelf, state))
  return {
    chunks: corpora.reduce((sum, { chunks }) => sum + chunks, 0),
    ...state,
    last_error: corpora.find(({ last_error }) => last_error !== null)?.last_error ?? null,
    corpora,
  }
}

function corpusStatus({ source, corpus, lastError }: Shelf, state: ReindexState): CorpusStatus {
  const left = corpus?.facts.left ?? []
  return {
    name: source.name,
    source: placeOf(source.place),
    chunks: corpus?.fragments.size ?? 0,
    pages: corpus?.fragments.pageCount ?? 0,
    embedded: corpus?.vectors === null ? 0 : embeddedOf(corpus),
    folders: corpus?.facts.folders ?? source.folders,
    indexed_at: corpus?.facts.indexedAt ?? null,
    in_progress: state.reindexing.includes(source.name),
    last_error: lastError,
    left_out: left.slice(0, MOST_LEFT_OUT),
    left_out_total: left.length,
  }
}

function embeddedOf(corpus: Shelf['corpus']): number {
  const vectors = corpus?.vectors
  return vectors ? vectors.noteCount - vectors.bareCount : 0
}

/** Without what may hold a secret; folders of this machine are nobody's business. */
function placeOf(place: CorpusPlace): string {
  if (place.kind === 'folder') return 'folder'
  const { origin, pathname } = new URL(place.url)
  return origin + pathname
}
