import { folderOf, type VaultPath } from '../note/path.ts'
import type { Entry } from '../storage/storage.ts'
import type { Rules, Verdict } from './rules.ts'

/** What iCloud leaves of a file that is not on this machine. */
export function isPlaceholder(path: VaultPath, rules: Rules): boolean {
  return /(^|\/)\.[^/]+\.icloud$/.test(path) && rules.verdict(folderOf(path), { folder: true }) === 'visible'
}

/** A link is judged by its own name and by what it really is. */
export function verdictOf(rules: Rules, { path, link, kind }: Entry): Verdict {
  const folder = kind === 'folder'
  const own = rules.verdict(path, { folder })
  return own !== 'visible' || link === undefined ? own : rules.verdict(link, { folder })
}
