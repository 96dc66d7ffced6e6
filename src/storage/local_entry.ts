import type { Stats } from 'node:fs'
import type { VaultPath } from '../note/path.ts'
import type { Entry } from './storage.ts'

/** @param link the real path, where it is another one than `path` */
export function entryOf(path: VaultPath, stat: Stats, link?: VaultPath): Entry {
  const folder = stat.isDirectory()
  return {
    path,
    kind: folder ? 'folder' : 'file',
    size: folder ? 0 : stat.size,
    mtimeMs: stat.mtimeMs,
    ctimeMs: stat.birthtimeMs > 0 ? stat.birthtimeMs : stat.mtimeMs,
    ...(link === undefined || link === path ? {} : { link }),
  }
}
