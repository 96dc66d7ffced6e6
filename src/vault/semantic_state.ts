import type { SemanticIndex, SemanticStatus } from './semantic.ts'

/** What `vault_info` tells of search by meaning. */
export type EmbeddingsState = {
  readonly source: string
  readonly availability: 'available' | 'disabled'
  readonly model?: string
  /** How vectors are compared: all of them, or along a graph. */
  readonly search?: 'exact' | 'hnsw'
  readonly status?: SemanticStatus
  /** What the owner can do for notes that no vector stands for. */
  readonly hint?: string
}

/** The state of search by meaning; looking at it opens no model. */
export function embeddingsOf(semantic: SemanticIndex | null): EmbeddingsState {
  if (semantic === null) return { source: 'none', availability: 'disabled' }
  const { source, model, comparison, hint, status } = semantic
  return {
    source,
    availability: 'available',
    ...(model === null ? {} : { model }),
    search: comparison,
    status,
    ...(hint === undefined ? {} : { hint }),
  }
}
