import { VaultError } from '../../src/errors.ts'
import type { Storage } from '../../src/storage/storage.ts'

/** When the nth changing call fails, and how. */
export interface Fault {
  /** From 1; calls before it work. 0: none fails. */
  readonly at: number
  /**
   * - `before`: the call does nothing and fails (disk full)
   * - `after`: the call does its work and fails all the same (an answer that never came)
   * - `dead`: the call does nothing and never answers, nor do later ones (a process that was killed)
   * - `dead_after`: the call does its work, then as `dead`
   */
  readonly kind: 'before' | 'after' | 'dead' | 'dead_after'
}

export interface FaultyStorage extends Storage {
  /** How many changing calls there were. */
  calls(): number
  /** Resolves when the storage has died. */
  readonly died: Promise<void>
}

/** A storage whose nth changing call fails. */
export function faultyStorage(storage: Storage, { at, kind }: Fault): FaultyStorage {
  let calls = 0
  const death = Promise.withResolvers<void>()
  let dead = false
  const fail = () =>
    new VaultError(kind === 'before' ? 'disk_full' : 'unavailable', 'It failed.', { hint: '' })
  const alive = async <T>(work: () => Promise<T>): Promise<T> => {
    return dead ? new Promise<never>(() => {}) : work()
  }
  const changing = <T>(work: () => Promise<T>): Promise<T> =>
    alive(async () => {
      if (++calls !== at) return work()
      dead = kind === 'dead' || kind === 'dead_after'
      if (kind === 'after' || kind === 'dead_after') await work()
      if (!dead) throw fail()
      death.resolve()
      return new Promise<never>(() => {})
    })
  return {
    kind: storage.kind,
    id: storage.id,
    calls: () => calls,
    died: death.promise,
    list: (folder, options) => alive(() => storage.list(folder, options)),
    stat: (path) => alive(() => storage.stat(path)),
    read: (path, options) => alive(() => storage.read(path, options)),
    write: (path, bytes, options) => changing(() => storage.write(path, bytes, options)),
    rename: (from, to) => changing(() => storage.rename(from, to)),
    remove: (path) => changing(() => storage.remove(path)),
    makeFolder: (path) => changing(() => storage.makeFolder(path)),
    removeEmptyFolder: (path) => alive(() => storage.removeEmptyFolder(path)),
    sweep: (age) => alive(() => storage.sweep(age)),
    close: () => storage.close(),
  }
}
