import type { VaultPath } from '../note/path.ts'
import type { Vault } from '../vault/vault.ts'

/** What clients are told of a vault. */
export interface NewsListener {
  /** These files were written, made or removed. */
  readonly changed: (paths: readonly VaultPath[]) => void
  /** Other files are there than before. */
  readonly listChanged: () => void
}

/** Several changes in a row are one piece of news about the list (ms). */
const GATHER_MS = 200

const known = new WeakMap<Vault, VaultNews>()

/** Follows a vault for as many clients as want it, with one look at each change. */
export function followVault(vault: Vault, listener: NewsListener): () => void {
  let news = known.get(vault)
  if (news === undefined) {
    news = new VaultNews(vault)
    known.set(vault, news)
  }
  return news.add(listener)
}

class VaultNews {
  readonly #vault: Vault
  readonly #listeners = new Set<NewsListener>()
  #stop: (() => void) | null = null
  #count = 0
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor(vault: Vault) {
    this.#vault = vault
  }

  add(listener: NewsListener): () => void {
    this.#listeners.add(listener)
    if (this.#stop === null) {
      this.#count = this.#vault.catalogue.fileCount
      this.#stop = this.#vault.onChange((paths) => this.#take(paths))
    }
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      this.#stop?.()
      this.#stop = null
    }
  }

  #take(paths: readonly VaultPath[]): void {
    const { catalogue, isBuilt } = this.#vault
    const before = this.#count
    this.#count = catalogue.fileCount
    // What is only being read for the first time has not changed.
    if (!isBuilt) return
    for (const listener of this.#listeners) listener.changed(paths)
    // A rename takes one away and adds one: the count stays.
    if (before === this.#count && paths.every((path) => catalogue.get(path) !== undefined)) return
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      for (const listener of this.#listeners) listener.listChanged()
    }, GATHER_MS)
    this.#timer.unref()
  }
}
