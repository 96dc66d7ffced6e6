import { join } from 'node:path'
import { VaultError } from '../errors.ts'
import type { VaultPath } from '../note/path.ts'
import { revisionOf } from '../note/revision.ts'
import { type Disk, nodeDisk } from '../storage/disk.ts'
import { storageError } from '../storage/failure.ts'
import { changesOf, type HistoryEntry, publicEntry, type StoredEntry } from './history_entry.ts'
import {
  findSegments,
  type Packed,
  pack,
  readPacked,
  readSegment,
  removeFile,
  removeSegment,
  rewriteSegment,
  type SegmentName,
  segmentSize,
} from './history_segment.ts'
import { HistoryWriter } from './history_writer.ts'
import type { Locks } from './lock.ts'

export interface HistoryOptions {
  /** A folder of its own, made with mode 0700 when first needed. */
  readonly folder: string
  readonly locks: Locks
  readonly disk?: Disk
  /** Bound on what is kept, in bytes on disk (500 MB); 0 keeps nothing. */
  readonly maxBytes?: number
  /** Bound on the age of what is kept, in milliseconds (90 days). */
  readonly maxAgeMs?: number
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

/** An operation as it is handed in; the revisions in `changes` name the bytes that come with it. */
export type NewEntry = Omit<HistoryEntry, 'id' | 'time'>

/** What a reference to something kept stands for. */
export interface Found {
  readonly entry: HistoryEntry
  /** The full revision, where the reference named one; null where it named the whole operation. */
  readonly revision: string | null
}

const DAY_MS = 86_400_000
const LOCK = 'The history of this vault'

/**
 * What was done to the notes of a vault, and the bytes they had before and after: a bounded store in the data folder.
 *
 * It is a row of segments. A segment is a log (a line of JSON an operation) and a pack (the bytes, one after the
 * other, each content once a segment); a line says where in the pack of its segment its bytes lie. Both files only
 * grow, the log after the pack, so whatever a killed process leaves torn is never pointed at. Old segments are
 * dropped whole, never the newest; a purge writes a segment anew in its next generation.
 */
export class History {
  readonly #folder: string
  readonly #disk: Disk
  readonly #locks: Locks
  readonly #maxBytes: number
  readonly #maxAgeMs: number
  readonly #now: () => number
  readonly #writer: HistoryWriter

  constructor(options: HistoryOptions) {
    this.#folder = options.folder
    this.#disk = options.disk ?? nodeDisk
    this.#locks = options.locks
    this.#maxBytes = options.maxBytes ?? 500 * 1024 * 1024
    this.#maxAgeMs = options.maxAgeMs ?? 90 * DAY_MS
    this.#now = options.now ?? Date.now
    this.#writer = new HistoryWriter({
      folder: this.#folder,
      disk: this.#disk,
      maxBytes: this.#maxBytes,
      maxAgeMs: this.#maxAgeMs,
      now: this.#now,
    })
  }

  /**
   * Keeps an operation, durably, before it is carried out.
   * @param contents bytes by revision
   * @returns its id; `''` where nothing is kept
   * @throws VaultError `too_large` when the operation alone exceeds the bound, `disk_full`, `unavailable`, `timeout`
   */
  async record(entry: NewEntry, contents: ReadonlyMap<string, Uint8Array>): Promise<string> {
    if (this.#maxBytes === 0) return ''
    const packed = new Map<string, Packed>()
    for (const [revision, bytes] of contents) packed.set(revision, await pack(bytes))
    const time = this.#now()
    const id = `${time.toString(36)}-${crypto.getRandomValues(new Uint8Array(4)).toHex()}`
    return this.#guarded(async () => {
      const finish = await this.#locks.hold([LOCK], () => this.#writer.append({ ...entry, id, time }, packed))
      await finish()
      return id
    })
  }

  /** Notes that an operation was not carried out after all: it is listed no more. Its bytes stay readable. */
  async markFailed(id: string): Promise<void> {
    if (id === '') return
    await this.#guarded(() => this.#locks.hold([LOCK], () => this.#writer.markFailed(id)))
  }

  /** Operations, newest first: all, or those that touched a note under its present name and the names it had before. */
  async list({ path, limit = 50 }: { path?: VaultPath; limit?: number } = {}): Promise<HistoryEntry[]> {
    const names = path === undefined ? null : new Set([path])
    const found: HistoryEntry[] = []
    for await (const { entry } of this.#entries()) {
      if (names !== null && changesOf(entry.changes, names).length === 0) continue
      found.push(publicEntry(entry))
      if (found.length >= limit) break
    }
    return found
  }

  /**
   * What a reference means: the id of an operation, or a revision (or the first eight or more digits of one).
   * @throws VaultError `not_found`, `ambiguous`
   */
  async find(reference: string): Promise<Found> {
    const matches = new Map<string, Found>()
    const prefix = /^[0-9a-f]{8,64}$/i.test(reference) ? reference.toLowerCase() : null
    for await (const { entry } of this.#entries({ all: true })) {
      if (entry.id === reference) return { entry: publicEntry(entry), revision: null }
      if (prefix === null) continue
      for (const revision of entry.changes.flatMap((c) => [c.before, c.after])) {
        if (revision?.startsWith(prefix) && !matches.has(revision)) {
          matches.set(revision, { entry: publicEntry(entry), revision })
        }
      }
    }
    const [first, second] = matches.values()
    if (first === undefined) throw notKept(reference)
    if (second !== undefined) {
      throw new VaultError('ambiguous', `${reference} begins more than one revision.`, {
        hint: 'Give more digits.',
        details: { candidates: [...matches.keys()].slice(0, 5) },
      })
    }
    return first
  }

  /** The bytes of a revision, or null where they are not kept. */
  async bytesOf(revision: string): Promise<Uint8Array | null> {
    for await (const { entry, segment } of this.#entries({ all: true })) {
      for (const change of entry.changes) {
        const at =
          change.before === revision
            ? change.beforeAt
            : change.after === revision
              ? change.afterAt
              : undefined
        const bytes = at && (await readable(readPacked(this.#disk, this.#folder, segment, at)))
        if (bytes && revisionOf(bytes) === revision) return bytes
      }
    }
    return null
  }

  /** Forgets a note for good, under its present name and the names it had before. @returns how many operations named it */
  async purge(path: VaultPath): Promise<number> {
    return this.#guarded(() =>
      this.#locks.hold([LOCK], async () => {
        const { segments } = await findSegments(this.#disk, this.#folder)
        const names = new Set([path])
        let purged = 0
        for (const name of segments.reverse()) {
          const { entries, failed } = await readSegment(this.#disk, this.#folder, name)
          const kept: StoredEntry[] = []
          let touched = false
          for (const entry of entries.reverse()) {
            const gone = new Set(changesOf(entry.changes, names))
            if (gone.size > 0) touched = true
            if (gone.size > 0 && !failed.includes(entry.id)) purged++
            const changes = entry.changes.filter((c) => !gone.has(c))
            if (changes.length > 0 || gone.size === 0) kept.unshift({ ...entry, changes })
          }
          if (touched) await rewriteSegment(this.#disk, this.#folder, { old: name, entries: kept, failed })
        }
        this.#writer.forget()
        return purged
      }),
    )
  }

  /** Drops what is older or more than the bounds allow, and what interrupted work has left. Never the newest segment. */
  async prune(): Promise<void> {
    await this.#guarded(() => this.#locks.hold([LOCK], () => this.#writer.prune()))
  }

  /** Forgets everything. */
  async clear(): Promise<void> {
    await this.#guarded(() =>
      this.#locks.hold([LOCK], async () => {
        const { segments, litter } = await findSegments(this.#disk, this.#folder)
        for (const file of litter) await removeFile(this.#disk, join(this.#folder, file))
        for (const name of segments) await removeSegment(this.#disk, this.#folder, name)
        this.#writer.forget()
      }),
    )
  }

  /** What is kept: bytes on disk, operations, and the time of the oldest (milliseconds since 1970), null where there is none. */
  async size(): Promise<{ bytes: number; entries: number; oldest: number | null }> {
    let entries = 0
    let oldest: number | null = null
    for await (const { entry } of this.#entries()) {
      entries++
      oldest = entry.time
    }
    let bytes = 0
    for (const name of (await findSegments(this.#disk, this.#folder)).segments) {
      bytes += await segmentSize(this.#disk, this.#folder, name)
    }
    return { bytes, entries, oldest }
  }

  async *#entries({ all = false } = {}): AsyncGenerator<{ entry: StoredEntry; segment: SegmentName }> {
    const failed = new Set<string>()
    const since = this.#now() - this.#maxAgeMs
    let isNewest = true
    const { segments } = await readable(findSegments(this.#disk, this.#folder))
    for (const segment of segments.reverse()) {
      const read = await readable(readSegment(this.#disk, this.#folder, segment))
      for (const id of read.failed) failed.add(id)
      for (const entry of read.entries.reverse()) {
        if (!all && failed.has(entry.id)) continue
        if (!isNewest && entry.time < since) continue
        isNewest = false
        yield { entry, segment }
      }
    }
  }

  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (cause) {
      if (cause instanceof VaultError) throw cause
      const { code } = storageError(cause, LOCK, 'write')
      throw new VaultError(
        code === 'disk_full' ? code : 'unavailable',
        'The history cannot be written, so nothing was changed.',
        {
          hint: 'Make room in the data folder and see that it is writable, or name another one with OBSIDIAN_MCP_DATA.',
          cause,
        },
      )
    }
  }
}

/** @throws VaultError `unavailable` */
async function readable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (cause) {
    throw new VaultError('unavailable', 'The history cannot be read.', {
      hint: 'See that this user may read the data folder, or name another one with OBSIDIAN_MCP_DATA.',
      cause,
    })
  }
}

function notKept(reference: string): VaultError {
  return new VaultError('not_found', `The history holds nothing under ${JSON.stringify(reference)}.`, {
    hint: 'The action list of history shows what is kept: use an id or a revision from there.',
  })
}
