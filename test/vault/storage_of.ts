import { VaultError } from '../../src/errors.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import type { Storage } from '../../src/storage/storage.ts'

/** A vault in memory. `outside` names files and folders that are links out of the vault. */
export function storageOf(
  files: Record<string, string | Uint8Array>,
  { outside = [] as readonly string[] } = {},
): Storage {
  const storage = memoryStorage(files)
  const guarded = async <T>(path: string, ask: () => Promise<T>): Promise<T> => {
    if (outside.some((link) => path === link || path.startsWith(`${link}/`)))
      throw new VaultError('outside_vault', path, { hint: '' })
    return await ask()
  }
  return Object.assign(Object.create(storage), {
    list: (...args: Parameters<Storage['list']>) => guarded(args[0], () => storage.list(...args)),
    stat: (path: string) => guarded(path, () => storage.stat(path)),
    read: (...args: Parameters<Storage['read']>) => guarded(args[0], () => storage.read(...args)),
  })
}
