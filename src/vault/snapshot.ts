import { readFile } from 'node:fs/promises'
import { TextIndex } from '../index/text_index.ts'
import { log } from '../logger.ts'
import type { Catalogue, FileRecord } from './catalogue.ts'
import { replaceFile } from './replace_file.ts'
import { decodeSections, encodeSections, SnapshotRefused } from './snapshot_format.ts'

/**
 * What the reading of notes gives. Raise it with every change of what notes are understood to say:
 * snapshots of another number are built anew.
 * - 1: first form
 */
const READING_VERSION = 1

type Row = [
  path: string,
  size: number,
  mtimeMs: number,
  ctimeMs: number,
  revision: string | null,
  start: number,
  end: number,
]

interface Table {
  readonly reading: number
  /** @see TextIndex.languages */
  readonly languages?: number | null
  readonly files: readonly Row[]
}

/**
 * Puts a snapshot into catalogue and index.
 * @param languages those that the index must have been built with
 * @returns the index, or null where there is none or it is refused (logged by name and reason; nothing else is touched)
 */
export async function loadSnapshot(
  file: string,
  catalogue: Catalogue,
  languages: number | null,
): Promise<TextIndex | null> {
  let bytes: Uint8Array
  try {
    bytes = await readFile(file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT') log.warn(`the snapshot ${file} cannot be read (${code}); the index is built anew`)
    return null
  }
  try {
    const [table, facts, index] = decodeSections(bytes) as [Uint8Array, Uint8Array, Uint8Array]
    const {
      reading,
      languages: builtWith = null,
      files,
    } = JSON.parse(new TextDecoder().decode(table)) as Table
    if (reading !== READING_VERSION)
      throw new SnapshotRefused(`notes were read by version ${reading}, not ${READING_VERSION}`)
    if (builtWith !== languages) throw new SnapshotRefused('its words were stemmed for other languages')
    const decoded = TextIndex.decode(index, languages)
    for (const [path, size, mtimeMs, ctimeMs, revision, start, end] of files) {
      catalogue.restore(
        { path, size, mtimeMs, ctimeMs, revision },
        start === end ? null : facts.subarray(start, end),
      )
    }
    return decoded
  } catch (error) {
    log.warn(`the snapshot ${file} is refused: ${(error as Error).message}; the index is built anew`)
    return null
  }
}

/** The main thread pauses after this long (ms). */
const SLICE_MS = 8

/** What is to be written: taken in one moment, so that rows and index belong together. Its parts never change. */
export interface SnapshotContent {
  readonly files: readonly FileRecord[]
  readonly indexParts: readonly Uint8Array[]
  /** @see TextIndex.languages */
  readonly languages: number | null
}

/** Writes a snapshot, atomically. Answers calls meanwhile. */
export async function saveSnapshot(
  file: string,
  { files, indexParts, languages }: SnapshotContent,
): Promise<void> {
  const rows: Row[] = []
  const facts: Uint8Array[] = []
  let at = 0
  let since = performance.now()
  for (const record of files) {
    const encoded = record.isRead ? record.encodedFacts() : null
    const length = encoded?.length ?? 0
    rows.push([record.path, record.size, record.mtimeMs, record.ctimeMs, record.revision, at, at + length])
    if (encoded !== null) facts.push(encoded)
    at += length
    if (performance.now() - since > SLICE_MS) {
      await new Promise((resolve) => setImmediate(resolve))
      since = performance.now()
    }
  }
  const table = new TextEncoder().encode(
    JSON.stringify({ reading: READING_VERSION, languages, files: rows } satisfies Table),
  )
  const sections = [[table], [Buffer.concat(facts)], [Buffer.concat(indexParts)]]
  await replaceFile(file, encodeSections(sections))
}
