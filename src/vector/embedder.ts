/**
 * Turns texts into vectors. Every vector has length 1, so that a dot product is the cosine.
 * A driver gives the same vector for the same text as long as its identity is the same.
 */
export interface Embedder {
  /** What makes its vectors comparable: backend, model and weights, dimension, prefixes, endpoint. Part of every cache key. */
  readonly space: string
  /** The space and what else decides what is embedded: window, tokenizer, rules of cutting. */
  readonly identity: string
  /** Texts that are best handed over at once: a question waits for no more than these. */
  readonly batch: number
  readonly dimensions: number
  /** Tokens that one text may have, special ones included. */
  readonly maxTokens: number
  /** Does the model understand the language of this text? Vectors of one that it does not would only do harm. */
  speaks(text: string): boolean
  /** Tokens of each text, special ones included; never fewer than the model will count. */
  countTokens(texts: readonly string[]): Promise<number[]>
  /** @throws VaultError `unavailable`, `timeout`, `bad_argument` (a text over the window) */
  embedDocuments(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>
  embedQuery(text: string, signal: AbortSignal): Promise<Float32Array>
  close(): Promise<void>
}

/** Scales a vector to length 1, in place; a vector of zeros stays. */
export function normalise(vector: Float32Array): Float32Array {
  let sum = 0
  for (const x of vector) sum += x * x
  if (sum === 0) return vector
  const factor = 1 / Math.sqrt(sum)
  for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] as number) * factor
  return vector
}
