/**
 * A path inside a vault: relative to its root, `/` between segments, no leading or trailing `/`,
 * no `.` or `..` segments, spelled as on disk. The root itself is `''`.
 */
export type VaultPath = string

/** `'a/b/Note.md'` → `'Note.md'`. */
export function baseName(path: VaultPath): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** `'a/b/Note.md'` → `'a/b'`; `'Note.md'` → `''`. */
export function folderOf(path: VaultPath): VaultPath {
  const slash = path.lastIndexOf('/')
  return slash < 0 ? '' : path.slice(0, slash)
}

/** `('a', 'b')` → `'a/b'`; `('', 'b')` → `'b'`. */
export function joinPath(folder: VaultPath, name: string): VaultPath {
  return folder === '' ? name : `${folder}/${name}`
}

/** Lower-case extension without the dot; `''` where there is none (`'.hidden'` has none). */
export function extensionOf(path: VaultPath): string {
  const name = baseName(path)
  const dot = name.lastIndexOf('.')
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase()
}

/** Is it a Markdown note by its name (`.md` in any case)? */
export function isNotePath(path: VaultPath): boolean {
  return extensionOf(path) === 'md'
}

/** The title of a note: its file name without `.md`. */
export function stemOf(path: VaultPath): string {
  const name = baseName(path)
  return isNotePath(path) ? name.slice(0, -3) : name
}

/**
 * The key under which spellings of one name meet: NFC and case folded without locale
 * (NFC, not NFKC: `①.md` and `1.md` are two files).
 */
export function pathKey(path: string): string {
  return path.normalize('NFC').toLowerCase()
}
