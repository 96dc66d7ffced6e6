import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** Vectors by a hash of what was embedded, so that a collection is embedded once. */
export type VectorCache = Map<string, Float32Array>

/** @param space of the embedder */
export function cacheKey(space: string, kind: 'passage' | 'query', text: string): string {
  return Bun.hash(`${space} ${kind} ${text}`).toString(36)
}

/** A line of JSON with the keys, then all vectors end to end. Empty where the file is not there. */
export function readVectorCache(file: string | undefined): VectorCache {
  if (file === undefined || !existsSync(file)) return new Map()
  const bytes = readFileSync(file)
  const cut = bytes.indexOf(10)
  const { keys, dimensions } = JSON.parse(bytes.subarray(0, cut).toString()) as {
    keys: string[]
    dimensions: number
  }
  const all = new Float32Array(new Uint8Array(bytes.subarray(cut + 1)).buffer)
  return new Map(keys.map((key, i) => [key, all.slice(i * dimensions, (i + 1) * dimensions)]))
}

export function writeVectorCache(file: string | undefined, cache: VectorCache): void {
  if (file === undefined) return
  const dimensions = [...cache.values()][0]?.length ?? 0
  const head = Buffer.from(`${JSON.stringify({ keys: [...cache.keys()], dimensions })}\n`)
  const vectors = [...cache.values()].map((v) => Buffer.from(v.buffer, v.byteOffset, v.byteLength))
  writeFileSync(file, Buffer.concat([head, ...vectors]))
}
