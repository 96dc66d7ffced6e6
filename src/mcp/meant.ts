import type { VaultPath } from '../note/path.ts'
import type { Vault } from '../vault/vault.ts'

/** The folder or note that an argument narrows an answer to: a mistyped one is an error, not an empty list. */
export async function placeMeant(vault: Vault, path: string | undefined): Promise<VaultPath | undefined> {
  if (path === undefined || path === '') return undefined
  const folder = await vault.locateFolder(path).then(
    (found) => found.path,
    () => null,
  )
  return folder ?? (await vault.locate(path)).path
}

/** `expected_revisions` by the paths that their names stand for. @throws VaultError for a note that is not there */
export async function revisionsMeant(
  vault: Vault,
  given: Readonly<Record<string, string>> | undefined,
): Promise<ReadonlyMap<VaultPath, string>> {
  const out = new Map<VaultPath, string>()
  for (const [path, revision] of Object.entries(given ?? {}))
    out.set((await vault.locateForChange(path)).path, revision)
  return out
}
