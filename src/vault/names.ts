import { baseName, pathKey, stemOf, type VaultPath } from '../note/path.ts'
import { nearest } from '../text/nearest.ts'
import { byLengthThenCodePoint } from '../text/order.ts'
import { linkKey } from './link_target.ts'

/**
 * The names of all visible files and folders of one vault. Adding and removing costs work in proportion to the name
 * and to the files that share it, never to the vault.
 */
export class NameIndex {
  readonly #files = new Set<VaultPath>()
  readonly #folders = new Set<VaultPath>()
  readonly #filesByPath = new Map<string, VaultPath | VaultPath[]>()
  readonly #foldersByPath = new Map<string, VaultPath | VaultPath[]>()
  readonly #filesByName = new Map<string, VaultPath | VaultPath[]>()

  #changes = 0

  /** Grows with every file that comes or goes. */
  get changes(): number {
    return this.#changes
  }

  has(file: VaultPath): boolean {
    return this.#files.has(file)
  }

  hasFolder(folder: VaultPath): boolean {
    return folder === '' || this.#folders.has(folder)
  }

  /** All files, in the order in which they came. */
  files(): IterableIterator<VaultPath> {
    return this.#files.values()
  }

  addFile(path: VaultPath): void {
    if (this.#files.has(path)) return
    this.#changes++
    this.#files.add(path)
    insert(this.#filesByPath, pathKey(path), path)
    insert(this.#filesByName, linkKey(baseName(path)), path)
  }

  addFolder(path: VaultPath): void {
    if (this.#folders.has(path)) return
    this.#folders.add(path)
    insert(this.#foldersByPath, pathKey(path), path)
  }

  /** Takes the file or the folder of this name out; what stands below a folder stays. */
  remove(path: VaultPath): void {
    if (this.#folders.delete(path)) withdraw(this.#foldersByPath, pathKey(path), path)
    if (!this.#files.delete(path)) return
    this.#changes++
    withdraw(this.#filesByPath, pathKey(path), path)
    withdraw(this.#filesByName, linkKey(baseName(path)), path)
  }

  /** Every file below `folder`, at any depth. Looks at all names of the vault. */
  filesUnder(folder: VaultPath): VaultPath[] {
    if (folder === '') return [...this.#files]
    return [...this.#files].filter((path) => path.startsWith(`${folder}/`))
  }

  /** Files and folders whose path has the same {@link pathKey}: they differ in case or Unicode form at most. */
  loose(path: VaultPath): VaultPath[] {
    const key = pathKey(path)
    return [...listOf(this.#filesByPath.get(key)), ...listOf(this.#foldersByPath.get(key))]
  }

  /** Like {@link loose}, files alone. `path` carries its extension. */
  filesAt(path: string): readonly VaultPath[] {
    return listOf(this.#filesByPath.get(pathKey(path)))
  }

  /**
   * Files whose base name (extension included) is `name` when case, Unicode form and kinds of blank are ignored:
   * shortest path first, those of equal length in code-point order.
   */
  filesNamed(name: string): readonly VaultPath[] {
    return listOf(this.#filesByName.get(linkKey(name)))
  }

  /** Up to `most` files that a mistyped path may have meant: the nearest names first, then the nearest whole paths. */
  nearest(path: string, most = 5): VaultPath[] {
    const byStem = new Map<string, VaultPath[]>()
    const byWhole = new Map<string, VaultPath[]>()
    for (const file of this.#files) {
      append(byStem, pathKey(stemOf(file)), file)
      append(byWhole, pathKey(file), file)
    }
    const found = new Set<VaultPath>()
    for (const key of nearest(pathKey(stemOf(path)), byStem.keys(), most))
      addAll(found, byStem.get(key), most)
    for (const key of nearest(pathKey(path), byWhole.keys(), most)) addAll(found, byWhole.get(key), most)
    return [...found]
  }
}

function listOf<T>(held: T | T[] | undefined): readonly T[] {
  if (held === undefined) return []
  return Array.isArray(held) ? held : [held]
}

/** Most keys hold one path, so a list is made only from the second on; it is kept shortest path first. */
function insert(index: Map<string, VaultPath | VaultPath[]>, key: string, path: VaultPath): void {
  const held = index.get(key)
  if (held === undefined) {
    index.set(key, path)
    return
  }
  const list = Array.isArray(held) ? held : [held]
  list.splice(placeOf(list, path), 0, path)
  index.set(key, list)
}

function withdraw(index: Map<string, VaultPath | VaultPath[]>, key: string, path: VaultPath): void {
  const held = index.get(key)
  if (held === path) index.delete(key)
  if (!Array.isArray(held)) return
  const at = placeOf(held, path)
  if (held[at] === path) held.splice(at, 1)
  if (held.length === 1) index.set(key, held[0]!)
}

function placeOf(list: readonly VaultPath[], path: VaultPath): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (byLengthThenCodePoint(list[middle]!, path) < 0) low = middle + 1
    else high = middle
  }
  return low
}

function append(map: Map<string, VaultPath[]>, key: string, path: VaultPath): void {
  const held = map.get(key)
  if (held === undefined) map.set(key, [path])
  else held.push(path)
}

function addAll(found: Set<VaultPath>, paths: readonly VaultPath[] = [], most: number): void {
  for (const path of [...paths].sort(byLengthThenCodePoint)) if (found.size < most) found.add(path)
}
