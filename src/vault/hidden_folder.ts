import { kindOf } from '../note/kinds.ts'
import type { VaultPath } from '../note/path.ts'
import type { FileRecord } from './catalogue.ts'
import type { Vault } from './vault.ts'

type Shown = Pick<Vault, 'catalogue' | 'rules' | 'storage'>

interface Below {
  readonly files: readonly FileRecord[]
  readonly folders: readonly { readonly path: VaultPath }[]
}

/**
 * The files and folders below a folder that {@link Vault.locateFolder} has found: from the catalogue, or, for one of the
 * dot-folders that are open for reading here, from the disk.
 */
export async function lookInto({ catalogue, rules, storage }: Shown, folder: VaultPath): Promise<Below> {
  if (folder === '' || rules.verdict(folder, { folder: true }) !== 'hidden') return catalogue.below(folder)
  const isOpen = (path: VaultPath, isFolder: boolean) =>
    rules.verdict(path, { folder: isFolder }) === 'hidden'
  const { entries } = await storage.list(folder, { recursive: true, enter: (path) => isOpen(path, true) })
  const open = entries.filter(({ path, kind, link }) => link === undefined && isOpen(path, kind === 'folder'))
  return {
    files: open
      .filter(({ kind }) => kind === 'file')
      .map(({ path, size, mtimeMs, ctimeMs }) => ({
        ...UNREAD,
        path,
        kind: kindOf(path),
        size,
        mtimeMs,
        ctimeMs,
      })),
    folders: open.filter(({ kind }) => kind === 'folder').map(({ path }) => ({ path })),
  }
}

const UNREAD = { revision: null, isRead: false, facts: null, encodedFacts: () => null } as const
