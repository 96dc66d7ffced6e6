import type { VaultPath } from '../note/path.ts'
import type { Vault } from './vault.ts'

/** What a person should know about a vault, a sentence each. */
export function noticesOf(vault: Vault): string[] {
  const { awaitingConfirmation, lastError } = vault.sync.status
  const files = vault.catalogue.files()
  const notices: string[] = []
  if (vault.watchTrouble !== null) notices.push(`Watching for changes: ${vault.watchTrouble}.`)
  if (lastError !== null) notices.push(`The last look at the vault failed: ${lastError}`)
  if (awaitingConfirmation > 0) {
    notices.push(
      `${awaitingConfirmation} files are missing all at once. They stay in the index until this is confirmed: index with action "sync" and accept_deletions true.`,
    )
  }
  if (vault.isBuilt && files.length === 0) notices.push('The vault holds no files.')
  const placeholders = files.filter((f) => f.path.endsWith('.icloud')).length
  if (placeholders > 0)
    notices.push(`${placeholders} files are placeholders of a cloud drive and not on this machine.`)
  return notices
}

/** Files that could not be read or are not sound, at most `most`. */
export function troublesOf(vault: Vault, most: number): { path: VaultPath; reason: string }[] {
  const rows = [...vault.sync.status.unreadable].map(([path, reason]) => ({ path, reason }))
  for (const { path, facts } of vault.catalogue.files()) {
    if (rows.length >= most) break
    const first = facts?.problems[0]
    if (first) rows.push({ path, reason: `${first.code}: ${first.message}` })
  }
  return rows.slice(0, most)
}
