import type { VaultPath } from '../note/path.ts'
import type { Storage } from '../storage/storage.ts'
import { readAppSettings } from './app_settings.ts'

/** The setting is read again when it was read longer ago than this (ms). */
const FRESH_MS = 5000

/**
 * The application's own "excluded files": such notes stay findable and linked, and stand lower in searches, as there.
 * Reading the setting never fails a search: what cannot be read excludes nothing.
 */
export class AppExcluded {
  readonly #storage: Storage
  #test: ((path: VaultPath) => boolean) | undefined
  #readAt = Number.NEGATIVE_INFINITY

  constructor(storage: Storage) {
    this.#storage = storage
  }

  /** @returns undefined where nothing is excluded */
  async test(): Promise<((path: VaultPath) => boolean) | undefined> {
    if (performance.now() - this.#readAt < FRESH_MS) return this.#test
    this.#readAt = performance.now()
    const reading = this.#read()
    // No search waits for another machine: what was known last counts until the answer is there.
    if (this.#storage.kind !== 'sftp') await reading
    return this.#test
  }

  async #read(): Promise<void> {
    try {
      this.#test = await compileIgnoreFilters((await readAppSettings(this.#storage)).userIgnoreFilters)
    } catch {
      if (this.#storage.kind !== 'sftp') this.#test = undefined
    }
  }
}

/**
 * @param filters beginnings of paths, and regular expressions between slashes; one that cannot be read excludes nothing
 */
export async function compileIgnoreFilters(
  filters: readonly string[],
): Promise<((path: VaultPath) => boolean) | undefined> {
  const tests = (await Promise.all(filters.map(compile))).filter((test) => test !== null)
  return tests.length === 0 ? undefined : (path) => tests.some((test) => test(path))
}

async function compile(filter: string): Promise<((path: VaultPath) => boolean) | null> {
  const pattern = /^\/(.+)\/$/.exec(filter)?.[1]
  if (pattern === undefined) return (path) => path.startsWith(filter)
  const { RE2JS } = await import('re2js')
  try {
    const regex = RE2JS.compile(pattern)
    return (path) => regex.matcher(path).find()
  } catch {
    return null
  }
}
