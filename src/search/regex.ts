import type { VaultPath } from '../note/path.ts'
import { type Literal, type Need, requiredLiterals } from './regex_literals.ts'
import type { NoteMatches } from './regex_match.ts'
import { checkedPattern } from './regex_pattern.ts'
import { createRegexThread, type RegexThread } from './regex_thread.ts'

export interface RegexQuery {
  /** RE2 syntax, at most 1000 bytes; `(?i)`, `(?m)`, `(?s)` work inside. */
  readonly pattern: string
  /** Letters of `ims`, put in front of the pattern. */
  readonly flags?: string | undefined
  /** Sorted; the answer is in their order. */
  readonly paths: Iterable<VaultPath>
  /** The file's bytes, or null where it is gone or cannot be read (it is passed over and counted). */
  readonly read: (path: VaultPath) => Promise<Uint8Array | null>
  /** Characters on each side of a match; default 100. */
  readonly contextLength?: number
  /** Notes in the answer; default 20. */
  readonly maxResults?: number
  /** Matches of one note in the answer; default 20. */
  readonly maxMatches?: number
  /** After this time the answer is what was found until then; default 20 s. */
  readonly timeoutMs?: number
}

export interface RegexHit extends NoteMatches {
  readonly path: VaultPath
}

export interface RegexResult {
  readonly results: readonly RegexHit[]
  /** There is more: another note matches, or not every note was looked at. */
  readonly truncated: boolean
  /** Why `truncated`: enough notes, an answer that is large enough, or no time left. */
  readonly stopped: 'max_results' | 'size' | 'time' | null
  /** Notes that were looked at; those that cannot match by their texts count too. */
  readonly searched: number
  readonly unreadable: readonly VaultPath[]
}

export interface RegexSearcher {
  /** @throws VaultError `bad_argument` for a pattern or flag that is none, `timeout` for one note that takes too long */
  search(query: RegexQuery): Promise<RegexResult>
  close(): void
}

/** Searches run one after the other in batches, in a thread of their own: other callers are answered meanwhile. */
export function createRegexSearcher(thread: RegexThread = createRegexThread()): RegexSearcher {
  return { search: (query) => search(thread, query), close: () => thread.close() }
}

/** Files read at once, and bytes sent to the thread at once: small enough to stop early, large enough to be cheap. */
const BATCH_FILES = 128
const BATCH_BYTES = 1024 * 1024

/** UTF-16 units of matches and contexts in one answer. */
const MAX_ANSWER = 1024 * 1024

async function search(thread: RegexThread, query: RegexQuery): Promise<RegexResult> {
  const { contextLength = 100, maxResults = 20, maxMatches = 20, timeoutMs = 20_000 } = query
  const pattern = await checkedPattern(query.pattern, query.flags)
  const deadline = performance.now() + timeoutMs
  const results: RegexHit[] = []
  const unreadable: VaultPath[] = []
  let [searched, size] = [0, 0]
  let stopped: RegexResult['stopped'] = null
  for await (const batch of batches(query, requiredLiterals(pattern))) {
    const most = maxResults + 1 - results.length
    const options = { contextLength, maxMatches }
    const files = batch.files.map(({ bytes }) => bytes)
    const left = Math.max(1, deadline - performance.now())
    const hits =
      files.length === 0 ? [] : await thread.run({ pattern, files, most, options }, left + GRACE_MS)
    searched += batch.searched
    unreadable.push(...batch.unreadable)
    for (const [index, found] of hits) {
      const path = batch.files[index]?.path
      if (path === undefined) continue
      if (results.length === maxResults) stopped = 'max_results'
      else if (size > MAX_ANSWER) stopped = 'size'
      if (stopped !== null) break
      results.push({ path, ...found })
      size += found.matches.reduce((sum, { text, context }) => sum + text.length + context.length, 0)
    }
    if (stopped === null && performance.now() > deadline) stopped = 'time'
    if (stopped !== null) break
  }
  return { results, truncated: stopped !== null, stopped, searched, unreadable }
}

/** What a single batch may take beyond the deadline before its thread is given up. */
const GRACE_MS = 5000

interface Batch {
  readonly files: readonly { readonly path: VaultPath; readonly bytes: Uint8Array<ArrayBuffer> }[]
  readonly unreadable: readonly VaultPath[]
  readonly searched: number
}

/** The files that may match; the next batch is read while the thread works on this one. */
async function* batches(query: RegexQuery, needs: readonly Need[]): AsyncGenerator<Batch> {
  const mayMatch = byteFilter(needs)
  const groups = inGroups(query.paths, BATCH_FILES)[Symbol.iterator]()
  const next = () => {
    const group = groups.next()
    return group.done === true ? null : readGroup(query, group.value, mayMatch)
  }
  let reading = next()
  while (reading !== null) {
    const group = await reading
    reading = next()
    // A rejection while the consumer works must not count as unhandled; awaiting it throws all the same.
    reading?.catch(() => {})
    yield* bySize(group)
  }
}

async function readGroup(
  { read }: RegexQuery,
  paths: readonly VaultPath[],
  mayMatch: (bytes: Uint8Array) => boolean,
): Promise<Batch> {
  const all = await Promise.all(paths.map(async (path) => ({ path, bytes: await read(path) })))
  const files: { path: VaultPath; bytes: Uint8Array<ArrayBuffer> }[] = []
  const unreadable: VaultPath[] = []
  for (const { path, bytes } of all) {
    if (bytes === null) unreadable.push(path)
    else if (mayMatch(bytes)) files.push({ path, bytes: ownBytes(bytes) })
  }
  return { files, unreadable, searched: paths.length }
}

/** The buffer moves to another thread, so it must hold these bytes alone. */
function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes
  if (buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength) return new Uint8Array(buffer)
  return new Uint8Array(bytes)
}

function* bySize(group: Batch): Generator<Batch> {
  let files: Batch['files'][number][] = []
  let bytes = 0
  for (const file of group.files) {
    files.push(file)
    bytes += file.bytes.byteLength
    if (bytes < BATCH_BYTES) continue
    yield { files, unreadable: [], searched: 0 }
    files = []
    bytes = 0
  }
  yield { ...group, files }
}

function* inGroups<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let group: T[] = []
  for (const item of items) {
    group.push(item)
    if (group.length < size) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}

/** A look at the raw bytes for texts whose case counts: no decoding, and most files end here. */
function byteFilter(needs: readonly Need[]): (bytes: Uint8Array) => boolean {
  const plain = needs
    .filter((need) => need.every((literal) => !literal.fold))
    .map((need) => need.map(({ text }: Literal) => Buffer.from(text)))
    .sort((a, b) => shortest(b) - shortest(a))
  return (bytes) => {
    const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    return plain.every((need) => need.some((text) => view.includes(text)))
  }
}

function shortest(texts: readonly Uint8Array[]): number {
  return Math.min(...texts.map((text) => text.length))
}
