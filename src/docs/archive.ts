import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { VaultError } from '../errors.ts'
import { decodeNote } from '../note/encoding.ts'
import { noPages, tooLarge } from './folder.ts'
import type { Limits } from './limits.ts'
import { type LeftOut, type Page, type PageStream, pageFilter, topFolders } from './page.ts'

export interface ArchiveOptions {
  readonly folders: readonly string[]
  readonly limits: Limits
  /** How messages name it. */
  readonly source: string
  readonly signal: AbortSignal
}

/**
 * Looks into a ZIP archive. Its list of files, which stands at its end, decides: it alone says what is a link, and the
 * folders are chosen by it before any file is unpacked. One folder around everything, as GitHub makes it, is no part of
 * the paths. Nothing is ever written to disk under a name of the archive; one that holds a name which leads out of it
 * is no honest archive and is refused as a whole.
 * @throws VaultError `unavailable` for what is no sound archive, `too_large`, `not_found` without a page
 */
export async function openArchive(file: string, options: ArchiveOptions): Promise<PageStream> {
  const zip = await openPromise(file, { autoClose: false }).catch((cause) => {
    throw unsound(options.source, (cause as Error).message, cause)
  })
  try {
    const left: LeftOut[] = []
    const files = await list(zip, options, left)
    if (files.length === 0) throw new Error('it holds no file')
    const isPage = pageFilter(options.folders)
    const pages = distinct(
      files.filter(({ path }) => isPage(path)),
      left,
    )
    if (pages.length === 0)
      throw noPages(options.source, options.folders, topFolders(files.map((f) => f.path)))
    return {
      count: pages.length,
      left,
      pages: () => read(zip, pages, options, left),
      close: async () => zip.close(),
    }
  } catch (error) {
    zip.close()
    throw error instanceof VaultError ? error : unsound(options.source, (error as Error).message, error)
  }
}

interface Listed {
  readonly path: string
  readonly entry: Entry
}

async function list(zip: ZipFile, { limits, source }: ArchiveOptions, left: LeftOut[]): Promise<Listed[]> {
  const entries: Entry[] = []
  for await (const entry of zip.eachEntry()) {
    if (entries.length >= limits.entries)
      throw new VaultError('too_large', `${source} holds more than ${limits.entries} files.`, {
        hint: 'It is no manual; check the address.',
      })
    entries.push(entry)
  }
  const names = entries.map((entry) => entry.fileName)
  const around = commonFolder(names)
  return entries.flatMap((entry) => {
    const path = entry.fileName.slice(around.length)
    if (path === '' || path.endsWith('/')) return []
    const reason = faultOf(entry)
    if (reason === null) return [{ path, entry }]
    left.push({ path, reason })
    return []
  })
}

/** `name-main/` where every file lies below it, else nothing. */
function commonFolder(names: readonly string[]): string {
  const [first = ''] = names
  const folder = first.slice(0, first.indexOf('/') + 1)
  return folder !== '' && names.every((name) => name.startsWith(folder)) ? folder : ''
}

const FILE_TYPE = 0o170000
const REGULAR = 0o100000
const STORED = 0
const DEFLATED = 8

/** Why a file of the archive is not taken; null where it is. */
function faultOf(entry: Entry): string | null {
  const type = (entry.externalFileAttributes >>> 16) & FILE_TYPE
  if (type !== 0 && type !== REGULAR) return 'it is a link or no ordinary file'
  if (entry.isEncrypted()) return 'it is encrypted'
  if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED)
    return `it is packed by method ${entry.compressionMethod}`
  if (/[\u0000-\u001f\u007f]/.test(entry.fileName)) return 'its name holds control characters'
  return null
}

function distinct(files: readonly Listed[], left: LeftOut[]): Listed[] {
  const seen = new Set<string>()
  return files.filter(({ path }) => {
    if (!seen.has(path)) return seen.add(path)
    left.push({ path, reason: 'its name is there twice' })
    return false
  })
}

async function* read(
  zip: ZipFile,
  files: readonly Listed[],
  { limits, source, signal }: ArchiveOptions,
  left: LeftOut[],
): AsyncGenerator<Page> {
  let total = 0
  for (const { path, entry } of files) {
    signal.throwIfAborted()
    const { uncompressedSize: size, compressedSize: packed } = entry
    if (size > limits.ratioFrom && size > limits.ratio * packed) throw bomb(source, path, limits)
    if (size > limits.entryBytes) {
      left.push({ path, reason: `it has ${size} bytes, more than ${limits.entryBytes}` })
      continue
    }
    total += size
    if (total > limits.totalBytes) throw tooLarge(source, limits)
    const bytes = await unpack(zip, entry).catch((cause) => {
      throw unsound(source, `${JSON.stringify(path)}: ${(cause as Error).message}`, cause)
    })
    yield { path, text: decodeNote(bytes).text }
  }
}

/** The package holds a file to its stated size; its checksum is left to us. */
async function unpack(zip: ZipFile, entry: Entry): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const part of await zip.openReadStreamPromise(entry)) parts.push(part as Uint8Array)
  const bytes = Buffer.concat(parts)
  if (Bun.hash.crc32(bytes) !== entry.crc32) throw new Error('its checksum is wrong')
  return bytes
}

function bomb(source: string, path: string, { ratio }: Limits): VaultError {
  return new VaultError(
    'too_large',
    `${source}: ${JSON.stringify(path)} unpacks to more than ${ratio} times its size, as only a bomb does.`,
    { hint: 'Do not use this archive.' },
  )
}

function unsound(source: string, why: string, cause: unknown): VaultError {
  return new VaultError('unavailable', `${source} is no sound ZIP archive (${why}).`, {
    hint: 'Check the address; it must give a ZIP file of Markdown pages.',
    cause,
  })
}
