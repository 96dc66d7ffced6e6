import { type FSWatcher, watch } from 'node:fs'
import { log } from '../logger.ts'

/** A folder of profiles, looked at for changes as long as the process lives. */
export interface ProfileWatch {
  /** Counts the changes. */
  readonly version: number
  onChange(listener: () => void): () => void
}

/** An editor writes a file in several steps (ms). */
const SETTLED_MS = 100

const known = new Map<string, Watched>()

/** One watch a folder, for however many clients. @param folder absolute; null: nothing ever changes */
export function watchProfiles(folder: string | null): ProfileWatch {
  if (folder === null) return { version: 0, onChange: () => () => {} }
  let found = known.get(folder)
  if (found === undefined) {
    found = new Watched(folder)
    known.set(folder, found)
  }
  return found
}

class Watched implements ProfileWatch {
  version = 0
  readonly #listeners = new Set<() => void>()
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor(folder: string) {
    try {
      const watcher: FSWatcher = watch(folder, { persistent: false }, () => this.#soon())
      watcher.on('error', (error) => log.debug('the profiles are not watched any more', error))
    } catch (error) {
      log.debug('the profiles are not watched', error)
    }
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #soon(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.version++
      for (const listener of this.#listeners) listener()
    }, SETTLED_MS)
    this.#timer.unref()
  }
}
