import { join } from 'node:path'
import { VaultError } from '../errors.ts'
import type { Disk } from '../storage/disk.ts'
import { ensureDataFolder } from '../storage/make_folders.ts'
import { type Address, readLog, type StoredChange, type StoredEntry, writeLine } from './history_entry.ts'
import {
  findSegments,
  logFile,
  openAppender,
  type Packed,
  packFile,
  readSegment,
  removeFile,
  removeSegment,
  type SegmentName,
  segmentSize,
} from './history_segment.ts'

export interface HistoryWriterOptions {
  readonly folder: string
  readonly disk: Disk
  readonly maxBytes: number
  readonly maxAgeMs: number
  readonly now: () => number
}

/** The segment that grows, as far as we have read it. */
interface Current {
  readonly name: SegmentName
  logSize: number
  /** Time of its first entry. */
  since: number
  readonly known: Map<string, Address>
}

const DAY_MS = 86_400_000
/** A log is read whole for a listing. */
const MAX_LOG = 1024 * 1024
const MAX_SEGMENT = 16 * 1024 * 1024

/** Appends to the newest segment and begins new ones. Every call wants the lock of the history to be held. */
export class HistoryWriter {
  readonly #folder: string
  readonly #disk: Disk
  readonly #maxBytes: number
  readonly #maxAgeMs: number
  readonly #now: () => number
  #current: Current | null = null

  constructor(options: HistoryWriterOptions) {
    this.#folder = options.folder
    this.#disk = options.disk
    this.#maxBytes = options.maxBytes
    this.#maxAgeMs = options.maxAgeMs
    this.#now = options.now
  }

  /** Forgets what is known of the newest segment: it was written anew. */
  forget(): void {
    this.#current = null
  }

  async markFailed(id: string): Promise<void> {
    const { name } = await this.#segment(0)
    const log = await openAppender(this.#disk, this.#folder, logFile(name))
    try {
      await log.append(writeLine({ failed: id }))
    } finally {
      await log.drop()
    }
  }

  /** @returns what makes the entry durable, to be called outside of the lock */
  async append(entry: StoredEntry, packed: ReadonlyMap<string, Packed>) {
    const needed = [...packed.values()].reduce((sum, p) => sum + p.packed.length, 0)
    if (needed > this.#maxBytes) throw this.#tooLarge(needed)
    const current = await this.#segment(needed)
    const packOut = await openAppender(this.#disk, this.#folder, packFile(current.name))
    const logOut = await openAppender(this.#disk, this.#folder, logFile(current.name)).catch(
      async (error) => {
        await packOut.drop()
        throw error
      },
    )
    try {
      const chunks: Uint8Array[] = []
      const added = new Map<string, Address>()
      let at = packOut.size
      for (const [revision, { packed: bytes, zstd }] of packed) {
        if (current.known.has(revision)) continue
        added.set(revision, [at, bytes.length, zstd])
        chunks.push(bytes)
        at += bytes.length
      }
      if (chunks.length > 0) await packOut.append(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
      const addressOf = (revision: string | null) =>
        revision === null ? undefined : (added.get(revision) ?? current.known.get(revision))
      const changes = entry.changes.map((change): StoredChange => {
        const [beforeAt, afterAt] = [addressOf(change.before), addressOf(change.after)]
        return { ...change, ...(beforeAt && { beforeAt }), ...(afterAt && { afterAt }) }
      })
      const line = writeLine({ ...entry, changes })
      await logOut.append(line)
      for (const [revision, address] of added) current.known.set(revision, address)
      current.logSize = logOut.size + Buffer.byteLength(line)
      if (logOut.size === 0) await this.prune()
      return async () => {
        await Promise.all([packOut.finish(), logOut.finish()])
      }
    } catch (error) {
      this.#current = null
      await Promise.all([packOut.drop(), logOut.drop()])
      throw error
    }
  }

  /** The segment to append to, read as far as it has grown; a new one where the old would become too large or too old. */
  async #segment(needed: number): Promise<Current> {
    await ensureDataFolder(this.#disk, this.#folder)
    const last = (await findSegments(this.#disk, this.#folder)).segments.at(-1)
    if (last !== undefined) {
      const current = await this.#follow(last)
      const size = await segmentSize(this.#disk, this.#folder, last)
      const full = size + needed > Math.min(MAX_SEGMENT, this.#maxBytes / 8) || current.logSize > MAX_LOG
      if (size === 0 || (!full && this.#now() - current.since < DAY_MS)) return current
    }
    this.#current = {
      name: { number: (last?.number ?? 0) + 1, generation: 0 },
      logSize: 0,
      since: this.#now(),
      known: new Map(),
    }
    return this.#current
  }

  async #follow(name: SegmentName): Promise<Current> {
    const mine = this.#current
    const isMine = mine?.name.number === name.number && mine.name.generation === name.generation
    const current = isMine
      ? mine
      : { name, logSize: 0, since: this.#now(), known: new Map<string, Address>() }
    const { size } = await this.#disk.promises.stat(join(this.#folder, logFile(name)))
    if (size > current.logSize) {
      const handle = await this.#disk.promises.open(join(this.#folder, logFile(name)), 'r')
      try {
        const grown = new Uint8Array(size - current.logSize)
        await handle.read(grown, 0, grown.length, current.logSize)
        const { entries } = readLog(new TextDecoder().decode(grown))
        if (current.logSize === 0 && entries[0] !== undefined) current.since = entries[0].time
        for (const { before, after, beforeAt, afterAt } of entries.flatMap((e) => e.changes)) {
          if (before !== null && beforeAt) current.known.set(before, beforeAt)
          if (after !== null && afterAt) current.known.set(after, afterAt)
        }
        current.logSize = size
      } finally {
        await handle.close()
      }
    }
    this.#current = current
    return current
  }

  /** Drops what is older or more than the bounds allow, and what interrupted work has left; never the newest segment. */
  async prune(): Promise<void> {
    const { segments, litter } = await findSegments(this.#disk, this.#folder)
    for (const file of litter) await removeFile(this.#disk, join(this.#folder, file))
    const sizes = await Promise.all(segments.map((s) => segmentSize(this.#disk, this.#folder, s)))
    let total = sizes.reduce((sum, s) => sum + s, 0)
    for (const [index, name] of segments.slice(0, -1).entries()) {
      if (total <= this.#maxBytes) {
        const newest = (await readSegment(this.#disk, this.#folder, name)).entries.at(-1)
        if (newest !== undefined && newest.time >= this.#now() - this.#maxAgeMs) break
      }
      await removeSegment(this.#disk, this.#folder, name)
      total -= sizes[index]!
    }
  }

  #tooLarge(needed: number): VaultError {
    return new VaultError(
      'too_large',
      `The change needs ${needed} bytes of history, more than the ${this.#maxBytes} that the history may hold.`,
      { hint: 'Raise the bound on the history in the settings, or set it to 0 to keep none.' },
    )
  }
}
