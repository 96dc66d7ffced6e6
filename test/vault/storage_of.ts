import { VaultError } from '../../src/errors.ts'
import type { Entry, Storage } from '../../src/storage/storage.ts'

/** A vault in memory for reading: text files by path. `outside` names folders that are links out of the vault. */
export function storageOf(
  files: Record<string, string | Uint8Array>,
  { outside = [] as readonly string[], mtime = (_path: string) => 0 } = {},
): Storage {
  const guard = (path: string) => {
    if (outside.some((link) => path === link || path.startsWith(`${link}/`)))
      throw new VaultError('outside_vault', path, { hint: '' })
  }
  const folders = () =>
    new Set(
      Object.keys(files).flatMap((path) =>
        path
          .split('/')
          .slice(0, -1)
          .map((_, i, all) => all.slice(0, i + 1).join('/')),
      ),
    )
  const entry = (path: string, kind: Entry['kind']): Entry => ({
    path,
    kind,
    size: files[path]?.length ?? 0,
    mtimeMs: mtime(path),
    ctimeMs: 0,
  })
  const none = () => Promise.reject(new VaultError('internal', 'not for writing', { hint: '' }))
  return {
    kind: 'memory',
    id: 'memory:test',
    async list(folder, { recursive, enter }) {
      guard(folder)
      const open = (path: string): boolean => {
        const parent = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : ''
        if (parent === folder) return true
        return recursive && parent !== '' && open(parent) && (enter?.(parent) ?? true)
      }
      const all = [
        ...Object.keys(files).map((path) => entry(path, 'file')),
        ...[...folders()].map((path) => entry(path, 'folder')),
      ]
      return { entries: all.filter(({ path }) => open(path)), unreadable: [] }
    },
    async stat(path) {
      guard(path)
      if (files[path] !== undefined) return entry(path, 'file')
      return path === '' || folders().has(path) ? entry(path, 'folder') : null
    },
    async read(path) {
      guard(path)
      const file = files[path]
      if (file === undefined) throw new VaultError('not_found', path, { hint: '' })
      return typeof file === 'string' ? new TextEncoder().encode(file) : file
    },
    write: none,
    rename: none,
    remove: none,
    makeFolder: none,
    removeEmptyFolder: none,
    sweep: none,
    async close() {},
  }
}
