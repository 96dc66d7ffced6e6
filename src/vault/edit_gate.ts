import { VaultError } from '../errors.ts'
import { baseName, folderOf, joinPath, type VaultPath } from '../note/path.ts'
import type { Entry, Storage } from '../storage/storage.ts'
import { missing } from './edit_text.ts'
import type { Rules } from './rules.ts'

/** A path that may be changed. */
export interface Target {
  readonly path: VaultPath
  /** What it really is, where a link leads there; else the same as `path`. */
  readonly real: VaultPath
  /** Null where nothing stands. */
  readonly entry: Entry | null
}

/**
 * The last gate before a change, whatever the tools have asked before: the path and what it really is are judged.
 * @throws VaultError `bad_path`, `outside_vault`, `excluded`, `not_found`, `read_only` and the storage's own
 */
export async function openGate(storage: Storage, rules: Rules, path: VaultPath): Promise<Target> {
  const entry = await storage.stat(path)
  const real = entry === null ? await realPathOfNew(storage, path) : (entry.link ?? path)
  const folder = entry?.kind === 'folder'
  judge(rules, path, { folder, shown: path })
  if (real !== path) judge(rules, real, { folder, shown: path })
  return { path, real, entry }
}

/** @throws VaultError `read_only` */
export function requireWritable(rules: Rules, path: VaultPath): void {
  if (rules.mayWrite(path)) return
  throw new VaultError('read_only', `${path} is open for reading only.`, {
    hint: 'The server was started with folders that may be written; choose one of them.',
  })
}

function judge(
  rules: Rules,
  path: VaultPath,
  { folder, shown }: { folder: boolean; shown: VaultPath },
): void {
  const verdict = rules.verdict(path, { folder })
  if (verdict === 'denied') throw missing(shown)
  if (verdict === 'excluded') {
    throw new VaultError('excluded', `${shown} is excluded by an ignore pattern of this vault.`, {
      hint: 'vault_info lists the patterns; the owner of the vault can change them.',
    })
  }
  if (verdict === 'hidden' && path === shown) {
    throw new VaultError('bad_path', `${shown} lies in a hidden folder, which belongs to programs.`, {
      hint: 'Files and folders whose name begins with a dot are closed.',
    })
  }
  if (verdict === 'hidden') {
    throw new VaultError('outside_vault', `${shown} is a link into a hidden folder.`, {
      hint: 'Use the path of a real note.',
    })
  }
  if (!folder) requireWritable(rules, path)
}

async function realPathOfNew(storage: Storage, path: VaultPath): Promise<VaultPath> {
  const missing = [baseName(path)]
  for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder)) {
    const entry = await storage.stat(folder)
    if (entry !== null) return joinPath(entry.link ?? folder, missing.join('/'))
    missing.unshift(baseName(folder))
  }
  return path
}
