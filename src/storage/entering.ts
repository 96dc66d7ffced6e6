import { folderOf, type VaultPath } from '../note/path.ts'
import type { ListOptions } from './storage.ts'

/** Whether a listing may go into a folder; into the vault itself always. */
export function mayEnter(options: ListOptions, folder: VaultPath): boolean {
  return folder === '' || (options.enter?.(folder) ?? true)
}

/** Whether a link may be listed: it and what it leads to must lie in folders that may be entered. */
export function mayFollow(
  options: ListOptions,
  { path, real, isFolder }: { path: VaultPath; real: VaultPath; isFolder: boolean },
): boolean {
  const folders = isFolder ? [path, ...ancestry(real)] : ancestry(folderOf(real))
  return folders.every((folder) => mayEnter(options, folder))
}

/** A folder and those above it, the root left out. */
function ancestry(folder: VaultPath): VaultPath[] {
  return folder === '' ? [] : [...ancestry(folderOf(folder)), folder]
}
