import type { VaultPath } from '../note/path.ts'
import type { Vault } from './vault.ts'

/** What a person should know about a vault, a sentence each. */
export function noticesOf(vault: Vault): string[] {
  const { awaitingConfirmation, lastError, placeholders } = vault.sync.status
  const notices: string[] = []
  if (vault.watchTrouble !== null) notices.push(`Watching for changes: ${vault.watchTrouble}.`)
  if (lastError !== null) notices.push(`The last look at the vault failed: ${lastError}`)
  const connection = vault.storage.connection?.()
  if (connection !== undefined && connection.state !== 'connected') {
    const why = connection.lastError === null ? '' : ` ${connection.lastError}`
    notices.push(`The server of the vault is not connected (${connection.state}).${why}`)
  }
  if (awaitingConfirmation > 0) {
    notices.push(
      `${awaitingConfirmation} files are missing all at once. They stay in the index until this is confirmed: index with action "sync" and accept_deletions true.`,
    )
  }
  const { fileCount, noteCount } = vault.catalogue
  if (vault.isBuilt && vault.isCounted && noteCount === 0)
    notices.push(fileCount === 0 ? 'The vault holds no files.' : 'The vault holds no notes.')
  if (placeholders.length > 0) {
    const named = placeholders.slice(0, MOST_NAMED).map((path) => JSON.stringify(path))
    const more = placeholders.length > MOST_NAMED ? ', …' : ''
    notices.push(
      `Placeholders of a cloud drive stand for ${placeholders.length} files that are not on this machine: ${named.join(', ')}${more}.`,
    )
  }
  return notices
}

const MOST_NAMED = 10

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
