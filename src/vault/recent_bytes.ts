/** Bytes of revisions that went through our hands lately, so that a conflict can show what has changed since. */
export class RecentBytes {
  readonly #maxBytes: number
  #bytes = 0
  readonly #byRevision = new Map<string, Uint8Array>()

  /** @param maxBytes bound on what is held; a single larger file is not held at all */
  constructor(maxBytes = 8 * 1024 * 1024) {
    this.#maxBytes = maxBytes
  }

  put(revision: string, bytes: Uint8Array): void {
    const known = this.#byRevision.get(revision)
    if (known !== undefined) {
      // Latest last: a map keeps the order of insertion.
      this.#byRevision.delete(revision)
      this.#byRevision.set(revision, known)
      return
    }
    if (bytes.length > this.#maxBytes) return
    this.#byRevision.set(revision, bytes)
    this.#bytes += bytes.length
    for (const [oldest, held] of this.#byRevision) {
      if (this.#bytes <= this.#maxBytes) break
      this.#byRevision.delete(oldest)
      this.#bytes -= held.length
    }
  }

  get(revision: string): Uint8Array | null {
    return this.#byRevision.get(revision) ?? null
  }
}
