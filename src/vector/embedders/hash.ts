import { tokenize } from '../../text/tokenize.ts'
import { type Embedder, normalise } from '../embedder.ts'
import { CHUNK_RULES } from '../limits.ts'

const DIMENSIONS = 256

/**
 * Feature hashing: words and their letter triples, each on one of 256 axes. It knows no meaning, only spelling, but
 * needs no model and answers the same everywhere; for tests and for machines without one.
 * @see Weinberger et al., Feature Hashing for Large Scale Multitask Learning (2009)
 */
export function hashEmbedder(): Embedder {
  const space = `hash-${DIMENSIONS}`
  return {
    space,
    identity: `${space}#${CHUNK_RULES}`,
    batch: 256,
    dimensions: DIMENSIONS,
    maxTokens: 8192,
    speaks: () => true,
    countTokens: async (texts) => texts.map((t) => Math.ceil(Buffer.byteLength(t) / 3)),
    embedDocuments: async (texts) => texts.map(embed),
    embedQuery: async (text) => embed(text),
    close: async () => {},
  }
}

function embed(text: string): Float32Array {
  const vector = new Float32Array(DIMENSIONS)
  tokenize(text, (term) => {
    add(vector, term, 1)
    const padded = `^${term}$`
    for (let i = 0; i + 3 <= padded.length; i++) add(vector, padded.slice(i, i + 3), 0.4)
  })
  return normalise(vector)
}

function add(vector: Float32Array, feature: string, weight: number): void {
  const hash = Bun.hash.xxHash32(feature)
  const at = hash % DIMENSIONS
  vector[at] = (vector[at] ?? 0) + (hash & 0x80000000 ? weight : -weight)
}
