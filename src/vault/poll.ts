import { revisionOf } from '../note/revision.ts'
import type { Entry, Storage } from '../storage/storage.ts'
import type { Catalogue } from './catalogue.ts'
import type { Sync } from './sync.ts'

/** How often a vault whose changes nobody reports is looked at. */
export interface PollTimes {
  /** Milliseconds between looks at names, sizes and times; null: only until the first look has succeeded. */
  readonly everyMs: number | null
  /** Milliseconds between comparisons of all contents, null: never. */
  readonly verifyEveryMs: number | null
}

/** A look that failed is repeated after this long (ms), then after twice that, and so on up to the usual time. */
const RETRY_MS = 2000
const LONGEST_RETRY_MS = 60_000

/** Looks at a remote vault from time to time; one look at a time. @returns what ends it */
export function startPolling(sync: Sync, { everyMs, verifyEveryMs }: PollTimes): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let verifiedAt = performance.now()
  let failures = 0
  let isStopped = false
  const look = async () => {
    const isDue = verifyEveryMs !== null && performance.now() - verifiedAt >= verifyEveryMs
    await (isDue ? sync.verify() : sync.look())
    failures = sync.status.lastError === null ? 0 : failures + 1
    if (isDue && failures === 0) verifiedAt = performance.now()
    plan()
  }
  const plan = () => {
    const usual = everyMs ?? Number.POSITIVE_INFINITY
    const retry = Math.min(RETRY_MS * 2 ** Math.max(0, failures - 1), LONGEST_RETRY_MS)
    const wait = failures > 0 ? Math.min(retry, usual) : usual
    if (isStopped || wait === Number.POSITIVE_INFINITY) return
    timer = setTimeout(() => void look(), wait)
    timer.unref()
  }
  if (sync.status.lastError !== null) failures = 1
  plan()
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}

/** Contents compared at once; the connection bounds its requests itself. */
const AT_ONCE = 8

/** Of files whose size and time say nothing new, those that hold something else than is known. */
export async function changedContents(
  storage: Storage,
  catalogue: Catalogue,
  entries: readonly Entry[],
): Promise<Entry[]> {
  const changed: Entry[] = []
  const queue = entries.values()
  const worker = async () => {
    for (const entry of queue) {
      const known = catalogue.get(entry.path)?.revision
      // What cannot be read now is looked at the next time; that it cannot be read is no change.
      const bytes = await storage.read(entry.path).catch(() => null)
      if (bytes !== null && catalogue.get(entry.path)?.revision === known && revisionOf(bytes) !== known)
        changed.push(entry)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return changed
}
