import type { Entry } from '../storage/storage.ts'

export interface ReadAhead {
  readonly entry: Entry
  /** Settles with the bytes, or null where they were not asked for. */
  readonly bytes: Promise<Uint8Array | null>
}

/**
 * Files one after the other, the next ones being read already: behind a network each of them would wait for its way
 * there and back.
 * @param window how many are read at once, from 1
 */
export function* readAhead(
  entries: readonly Entry[],
  window: number,
  read: (entry: Entry) => Promise<Uint8Array | null>,
): Generator<ReadAhead> {
  const ahead: ReadAhead[] = []
  let next = 0
  while (next < entries.length || ahead.length > 0) {
    while (next < entries.length && ahead.length < window) {
      const entry = entries[next++]!
      const bytes = read(entry)
      // A failure is heard of when its turn comes.
      bytes.catch(() => {})
      ahead.push({ entry, bytes })
    }
    yield ahead.shift()!
  }
}
