import { lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { VaultError } from '../errors.ts'
import { decodeNote } from '../note/encoding.ts'
import type { Limits } from './limits.ts'
import { type LeftOut, type Page, type PageStream, pageFilter, topFolders } from './page.ts'

/** The pages of a folder, and a mark that is another one when a file was added, changed or removed. */
export interface FolderPages extends PageStream {
  readonly mark: string
}

interface Listed {
  readonly path: string
  readonly size: number
  readonly mtimeMs: number
}

/**
 * Looks at a folder of Markdown. Nothing behind a link is read: what lies elsewhere is no part of the manual.
 * @param options `label`: how messages name it; absolute paths are nobody's business
 * @throws VaultError `not_found`, `unavailable`, `too_large`
 */
export async function openFolder(
  root: string,
  options: { readonly folders: readonly string[]; readonly limits: Limits; readonly label: string },
): Promise<FolderPages> {
  const { folders, limits, label } = options
  const isPage = pageFilter(folders)
  const left: LeftOut[] = []
  const listed = await list(root, label, limits, left)
  const files = listed.filter(({ path }) => isPage(path))
  if (files.length === 0) throw noPages(label, folders, topFolders(listed.map((f) => f.path)))
  return {
    count: files.length,
    left,
    mark: markOf(files),
    pages: () => read(root, files, options, left),
    close: async () => {},
  }
}

async function list(root: string, label: string, limits: Limits, left: LeftOut[]): Promise<Listed[]> {
  const out: Listed[] = []
  const open = ['']
  let seen = 0
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const entry of await entriesOf(root, folder, label)) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.name.startsWith('.')) continue
      if (++seen > limits.entries) throw tooMany(label, limits)
      if (entry.isDirectory()) open.push(path)
      else if (entry.isSymbolicLink()) left.push({ path, reason: 'it is a link' })
      else if (entry.isFile()) {
        const found = await lstat(join(root, path)).catch(() => null)
        if (found !== null) out.push({ path, size: found.size, mtimeMs: found.mtimeMs })
      }
    }
  }
  return out.sort((a, b) => (a.path < b.path ? -1 : 1))
}

async function entriesOf(root: string, folder: string, label: string) {
  try {
    return await readdir(join(root, folder), { withFileTypes: true })
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const isGone = code === 'ENOENT' || code === 'ENOTDIR'
    throw new VaultError(
      isGone ? 'not_found' : 'unavailable',
      `${label}${folder && `, ${JSON.stringify(folder)},`} ${isGone ? 'is not there' : `cannot be read (${code})`}.`,
      { hint: 'Mend the path of the corpus under docs.corpora.', cause },
    )
  }
}

async function* read(
  root: string,
  files: readonly Listed[],
  { limits, label }: { readonly limits: Limits; readonly label: string },
  left: LeftOut[],
): AsyncGenerator<Page> {
  let total = 0
  for (const { path, size } of files) {
    if (size > limits.entryBytes) {
      left.push({ path, reason: `it has ${size} bytes, more than ${limits.entryBytes}` })
      continue
    }
    const bytes = await readFile(join(root, path)).catch(() => null)
    if (bytes === null) {
      left.push({ path, reason: 'it cannot be read' })
      continue
    }
    total += bytes.length
    if (total > limits.totalBytes) throw tooLarge(label, limits)
    yield { path, text: decodeNote(bytes).text }
  }
}

function markOf(files: readonly Listed[]): string {
  const hash = new Bun.CryptoHasher('sha256')
  for (const { path, size, mtimeMs } of files) hash.update(`${path}\0${size}\0${mtimeMs}\n`)
  return hash.digest('hex').slice(0, 32)
}

/** @param there folders that would have pages */
export function noPages(source: string, folders: readonly string[], there: readonly string[]): VaultError {
  const where = folders.length === 0 ? '' : ` in ${folders.join(', ')}`
  return new VaultError('not_found', `${source} holds no Markdown page${where}.`, {
    hint: there.length === 0 ? 'Name another source.' : `Its folders: ${there.slice(0, 60).join(', ')}.`,
  })
}

function tooMany(label: string, { entries }: Limits): VaultError {
  return new VaultError('too_large', `${label} holds more than ${entries} files.`, {
    hint: 'Name a folder below it that holds the manual alone.',
  })
}

export function tooLarge(source: string, { totalBytes }: Limits): VaultError {
  return new VaultError('too_large', `The pages of ${source} have more than ${totalBytes} bytes together.`, {
    hint: 'Name the folders that are needed.',
  })
}
