import { VaultError } from '../errors.ts'
import { baseName, extensionOf, folderOf, joinPath, type VaultPath } from '../note/path.ts'
import type { Storage } from '../storage/storage.ts'

/** The vault's own trash folder, the application's as well. */
const TRASH = '.trash'

/** The trash of the operating system. */
export interface SystemTrash {
  /**
   * Puts a file of the vault there.
   * @returns false where that trash cannot take it (another file system, no rights); then nothing was done
   */
  put(path: VaultPath): Promise<boolean>
}

const MOST_NAMES = 1000

/** A free name in the vault's trash: the file keeps its folders, a number goes behind a name that is taken. */
export async function trashPathFor(storage: Storage, path: VaultPath): Promise<VaultPath> {
  for (let n = 1; n <= MOST_NAMES; n++) {
    const name = joinPath(TRASH, n === 1 ? path : numbered(path, n))
    if (await isFree(storage, name)) return name
  }
  throw new VaultError('unavailable', `The trash is full of files called ${path}.`, {
    hint: 'Empty the trash.',
  })
}

/** `('f/a.md', 2)` → `'f/a 2.md'`. */
function numbered(path: VaultPath, n: number): VaultPath {
  const name = baseName(path)
  const extension = extensionOf(path)
  const stem = extension === '' ? name : name.slice(0, -extension.length - 1)
  const ending = name.slice(stem.length)
  return joinPath(folderOf(path), `${stem} ${n}${ending}`)
}

async function isFree(storage: Storage, path: VaultPath): Promise<boolean> {
  try {
    return (await storage.stat(path)) === null
  } catch (error) {
    // A link that was deleted and now leads nowhere stands there.
    if (error instanceof VaultError && error.code === 'outside_vault' && path !== TRASH) {
      await requireInside(storage)
      return false
    }
    throw error
  }
}

/** @throws VaultError `outside_vault` where the trash itself is a link that leads out */
async function requireInside(storage: Storage): Promise<void> {
  await storage.stat(TRASH)
}
