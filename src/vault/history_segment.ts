import { join } from 'node:path'
import { type Disk, errnoOf, syncFolder } from '../storage/disk.ts'
import { type Address, type LogLine, readLog, type StoredEntry, writeLine } from './history_entry.ts'

/** Name of a segment: its number counts up; its generation too, when it is written anew without something. */
export interface SegmentName {
  readonly number: number
  readonly generation: number
}

const PATTERN = /^(\d{8})\.(\d+)\.log$/

/** The segments of a folder, oldest first, each in its newest generation; and the files that no segment needs. */
export async function findSegments(
  disk: Disk,
  folder: string,
): Promise<{ segments: SegmentName[]; litter: string[] }> {
  let names: string[]
  try {
    names = await disk.promises.readdir(folder)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return { segments: [], litter: [] }
    throw error
  }
  const newest = new Map<number, SegmentName>()
  for (const name of names) {
    const match = PATTERN.exec(name)
    if (match === null) continue
    const found = { number: Number(match[1]), generation: Number(match[2]) }
    if ((newest.get(found.number)?.generation ?? -1) < found.generation) newest.set(found.number, found)
  }
  const segments = [...newest.values()].sort((a, b) => a.number - b.number)
  const needed = new Set(segments.flatMap((s) => [logFile(s), packFile(s)]))
  return {
    segments,
    litter: names.filter((n) => /^\d{8}\.\d+\.(log|pack|log\.new)$/.test(n) && !needed.has(n)),
  }
}

export function logFile({ number, generation }: SegmentName): string {
  return `${String(number).padStart(8, '0')}.${generation}.log`
}

export function packFile({ number, generation }: SegmentName): string {
  return `${String(number).padStart(8, '0')}.${generation}.pack`
}

/** Bytes of both files of a segment. */
export async function segmentSize(disk: Disk, folder: string, name: SegmentName): Promise<number> {
  let size = 0
  for (const file of [logFile(name), packFile(name)]) size += await fileSize(disk, join(folder, file))
  return size
}

async function fileSize(disk: Disk, path: string): Promise<number> {
  try {
    return (await disk.promises.stat(path)).size
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return 0
    throw error
  }
}

/** Every sound entry of a segment, oldest first, those that were not carried out too. */
export async function readSegment(
  disk: Disk,
  folder: string,
  name: SegmentName,
): Promise<{ entries: StoredEntry[]; failed: string[] }> {
  const handle = await openOrNull(disk, join(folder, logFile(name)))
  if (handle === null) return { entries: [], failed: [] }
  try {
    return readLog(await handle.readFile('utf8'))
  } finally {
    await handle.close()
  }
}

/** Bytes out of a segment's pack, or null where they are not whole any more. */
export async function readPacked(
  disk: Disk,
  folder: string,
  name: SegmentName,
  [offset, length, zstd]: Address,
): Promise<Uint8Array | null> {
  const handle = await openOrNull(disk, join(folder, packFile(name)))
  if (handle === null) return null
  try {
    const bytes = new Uint8Array(length)
    for (let at = 0; at < length; ) {
      const { bytesRead } = await handle.read(bytes, at, length - at, offset + at)
      if (bytesRead === 0) return null
      at += bytesRead
    }
    return zstd === 1 ? await Bun.zstdDecompress(bytes) : bytes
  } catch (error) {
    if (errnoOf(error) !== '') throw error
    return null
  } finally {
    await handle.close()
  }
}

/** Bytes as they lie in a pack. */
export interface Packed {
  readonly packed: Uint8Array
  readonly zstd: 0 | 1
}

/** Shrinks bytes for a pack; what does not get smaller stays as it is. */
export async function pack(bytes: Uint8Array): Promise<Packed> {
  const packed = bytes.length > 65_536 ? await Bun.zstdCompress(bytes) : Bun.zstdCompressSync(bytes)
  return packed.length < bytes.length ? { packed, zstd: 1 } : { packed: bytes, zstd: 0 }
}

/** A file of a segment, open for appending. */
export interface Appender {
  /** Bytes that were in it before. */
  readonly size: number
  append(bytes: Uint8Array | string): Promise<void>
  /** Makes what was appended durable, and closes. */
  finish(): Promise<void>
  /** Closes without that. */
  drop(): Promise<void>
}

export async function openAppender(disk: Disk, folder: string, file: string): Promise<Appender> {
  const handle = await disk.promises.open(join(folder, file), 'a', 0o600)
  let size: number
  try {
    size = (await handle.stat()).size
  } catch (error) {
    await handle.close()
    throw error
  }
  return {
    size,
    append: async (bytes) => {
      await handle.appendFile(bytes)
    },
    finish: async () => {
      try {
        await handle.sync()
      } finally {
        await handle.close()
      }
      // A file that was made just now is durable only with its name.
      if (size === 0) await syncFolder(disk, folder)
    },
    drop: () => handle.close(),
  }
}

/** Writes a segment anew in its next generation with these lines and the bytes that they name. */
export async function rewriteSegment(
  disk: Disk,
  folder: string,
  { old, entries, failed }: { old: SegmentName; entries: readonly StoredEntry[]; failed: readonly string[] },
): Promise<void> {
  const name = { number: old.number, generation: old.generation + 1 }
  const packOut = await openAppender(disk, folder, packFile(name))
  const lines: LogLine[] = failed.map((id) => ({ failed: id }))
  let at = packOut.size
  try {
    const moved = new Map<string, Address | undefined>()
    const move = async (address: Address | undefined): Promise<Address | undefined> => {
      if (address === undefined) return undefined
      const key = address.join()
      if (!moved.has(key)) {
        const bytes = await readPacked(disk, folder, old, [address[0], address[1], 0])
        moved.set(key, bytes === null ? undefined : [at, bytes.length, address[2]])
        if (bytes !== null) {
          await packOut.append(bytes)
          at += bytes.length
        }
      }
      return moved.get(key)
    }
    for (const entry of entries) {
      const changes = []
      for (const { beforeAt, afterAt, ...change } of entry.changes) {
        const [b, a] = [await move(beforeAt), await move(afterAt)]
        changes.push({ ...change, ...(b && { beforeAt: b }), ...(a && { afterAt: a }) })
      }
      lines.push({ ...entry, changes })
    }
  } catch (error) {
    await packOut.drop()
    throw error
  }
  await packOut.finish()
  // The log under its own name is what makes the new generation count, so it comes last and at once.
  const temp = `${logFile(name)}.new`
  await removeFile(disk, join(folder, temp))
  const logOut = await openAppender(disk, folder, temp)
  await logOut.append(lines.map(writeLine).join(''))
  await logOut.finish()
  await disk.promises.rename(join(folder, temp), join(folder, logFile(name)))
  await removeSegment(disk, folder, old)
}

/** The log goes first: a pack without one counts for nothing. */
export async function removeSegment(disk: Disk, folder: string, name: SegmentName): Promise<void> {
  for (const file of [logFile(name), packFile(name)]) await removeFile(disk, join(folder, file))
  await syncFolder(disk, folder)
}

export async function removeFile(disk: Disk, path: string): Promise<void> {
  try {
    await disk.promises.unlink(path)
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error
  }
}

async function openOrNull(disk: Disk, path: string) {
  try {
    return await disk.promises.open(path, 'r')
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null
    throw error
  }
}
