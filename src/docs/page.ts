import { isNotePath, type VaultPath } from '../note/path.ts'

/** A page of a manual: a Markdown file below the root of its source. */
export interface Page {
  readonly path: VaultPath
  readonly text: string
}

/** A file that was not taken, and why. */
export interface LeftOut {
  readonly path: string
  readonly reason: string
}

/** What a source gives, page by page. */
export interface PageStream {
  /** The pages, in no order. @throws VaultError where the source cannot be trusted or read */
  pages(): AsyncIterable<Page>
  /** Pages that will come, as far as known before they are read. */
  readonly count: number
  /** Known when the pages are through. */
  readonly left: readonly LeftOut[]
  close(): Promise<void>
}

/** Which files of a source are its pages: Markdown, in one of the folders (any where none is named), nothing hidden. */
export function pageFilter(folders: readonly string[]): (path: string) => boolean {
  const wanted = folders.map(
    (folder) =>
      `${folder
        .normalize('NFC')
        .replace(/^\/+|\/+$/g, '')
        .toLowerCase()}/`,
  )
  return (path) => {
    if (!isNotePath(path) || path.split('/').some((segment) => segment.startsWith('.'))) return false
    const key = path.normalize('NFC').toLowerCase()
    return wanted.length === 0 || wanted.some((folder) => key.startsWith(folder))
  }
}

/** The names in a list with commas between, as tools and commands take folders. */
export function foldersIn(text: string): string[] {
  return text
    .split(',')
    .map((folder) => folder.trim().replace(/^\/+|\/+$/g, ''))
    .filter((folder) => folder !== '')
}

/** The folders at the root of these files, for those who named one that is not there. */
export function topFolders(paths: Iterable<string>): string[] {
  const names = new Set<string>()
  for (const path of paths) if (path.includes('/')) names.add(path.slice(0, path.indexOf('/')))
  return [...names].sort()
}
