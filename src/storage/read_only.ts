import { VaultError } from '../errors.ts'
import type { VaultPath } from '../note/path.ts'
import { shown } from './failure.ts'
import type { Connection, Storage } from './storage.ts'

/** The same files, and no way to change them: every writing call is `read_only`, whatever the layers above allow. */
export function readOnlyStorage(storage: Storage): Storage {
  const refuse = async (path: VaultPath): Promise<never> => {
    throw new VaultError('read_only', `${shown(path)} cannot be changed: this server only reads.`, {
      hint: 'Start the server without OBSIDIAN_READ_ONLY to let it write.',
    })
  }
  return {
    kind: storage.kind,
    id: storage.id,
    list: (folder, options) => storage.list(folder, options),
    stat: (path) => storage.stat(path),
    read: (path, options) => storage.read(path, options),
    write: refuse,
    rename: refuse,
    remove: refuse,
    makeFolder: refuse,
    removeEmptyFolder: refuse,
    sweep: async () => 0,
    close: () => storage.close(),
    ...(storage.background && { background: readOnlyStorage(storage.background) }),
    ...(storage.connection && { connection: () => storage.connection?.() as Connection }),
  }
}
