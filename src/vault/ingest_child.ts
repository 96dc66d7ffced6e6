import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { SegmentBuilder } from '../index/segment_writer.ts'
import { encodeFrame } from './frames.ts'
import type { IngestFailure } from './ingest.ts'
import { type Ingested, ingestNote, MAX_INDEXED_BYTES, oversizedNote } from './ingest_note.ts'

/** One line of the parent: notes to read below `root`, or with their bytes in base64. */
export interface IngestRequest {
  readonly root: string | null
  readonly notes: readonly { readonly path: string; readonly mtimeMs?: number; readonly base64?: string }[]
  /** The last request of a run of requests: what is still unsent is sent. */
  readonly flush: boolean
  /** @see TextIndex.languages */
  readonly languages: number | null
}

/**
 * Tokens read since the last segment after which the next is made. The first one comes soon, so that the newest notes
 * answer within a second; later ones are large, since each counts and stems its words anew (4 million are about 20
 * million letters).
 */
const SEGMENT_TOKENS = [50_000, 1_000_000, 4_000_000]

/**
 * The indexing child: reads notes, answers what the catalogue keeps and finished segments, and ends with its input.
 * A process of its own, so that its memory goes back whole and the server never waits for it.
 */
export async function runIngestChild(): Promise<void> {
  // The server is gone: nobody needs the rest.
  process.stdout.on('error', () => process.exit(0))
  let builder: SegmentBuilder | null = null
  let waiting = 0
  let segments = 0
  for await (const line of console) {
    if (line === '') continue
    const request = JSON.parse(line) as IngestRequest
    builder ??= new SegmentBuilder({ languages: request.languages })
    const notes: Ingested[] = []
    const failures: IngestFailure[] = []
    for (const note of request.notes) {
      try {
        const { ingested, document } = readOne(request.root, note)
        notes.push(ingested)
        builder.add(document)
        waiting++
      } catch (error) {
        failures.push({ path: note.path, code: (error as NodeJS.ErrnoException).code ?? 'unavailable' })
      }
    }
    const enough = SEGMENT_TOKENS[Math.min(segments, SEGMENT_TOKENS.length - 1)] as number
    const finish = waiting > 0 && (request.flush || builder.tokens > enough)
    const segment = finish ? builder.finish() : new Uint8Array(0)
    if (finish) {
      waiting = 0
      segments++
    }
    await send(encodeFrame({ notes, failures }, segment))
  }
}

function readOne(root: string | null, note: IngestRequest['notes'][number]) {
  if (root === null) return ingestNote(note.path, Buffer.from(note.base64 ?? '', 'base64'), note.mtimeMs ?? 0)
  const file = openSync(join(root, note.path), 'r')
  try {
    const { size, mtimeMs } = fstatSync(file)
    if (size > MAX_INDEXED_BYTES) return oversizedNote({ path: note.path, size, mtimeMs })
    return ingestNote(note.path, readWhole(file, size), mtimeMs)
  } finally {
    closeSync(file)
  }
}

function readWhole(file: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  let at = 0
  while (at < size) {
    const got = readSync(file, bytes, at, size - at, at)
    if (got === 0) break
    at += got
  }
  return at === size ? bytes : bytes.subarray(0, at)
}

async function send(parts: Uint8Array[]): Promise<void> {
  for (const part of parts) {
    if (part.length > 0 && !process.stdout.write(part)) {
      await new Promise<void>((resolve) => process.stdout.once('drain', () => resolve()))
    }
  }
}
