import { VaultError } from '../errors.ts'
import type { VaultPath } from '../note/path.ts'
import type { Storage } from '../storage/storage.ts'

/**
 * A path as a settings file spells it, made vault-relative: blanks around segments dropped, `\` read as `/`.
 * @param what names the setting in messages, e.g. `The folder of daily notes`
 * @returns `''` for the root
 * @throws VaultError `outside_vault` for `..`, drives and absolute paths; `bad_path` for dot-folders and NUL
 */
export async function pathFromSettings(storage: Storage, value: string, what: string): Promise<VaultPath> {
  const path = insidePath(value, what)
  if (/^[/\\]/.test(value.trim()) && path.includes('/')) {
    // The application strips a leading slash; a real absolute path shows by its first folder not being there.
    const first = path.slice(0, path.indexOf('/'))
    if ((await storage.stat(first)) === null) throw outside(what)
  }
  return path
}

/** The part of {@link pathFromSettings} that looks at the spelling alone: a leading `/` is stripped. */
export function insidePath(value: string, what: string, hint = SETTINGS_HINT): VaultPath {
  if (value.includes('\0')) throw refused(what, 'holds a NUL character', hint)
  const segments = value.split(/[/\\]/).map((segment) => segment.trim())
  if (/^[a-z]:/i.test(value.trim())) throw outside(what, hint)
  const kept = segments.filter((segment) => segment !== '' && segment !== '.')
  if (kept.includes('..')) throw outside(what, hint)
  const hidden = kept.find((segment) => segment.startsWith('.'))
  if (hidden !== undefined) throw refused(what, `leads into the hidden folder or file "${hidden}"`, hint)
  return kept.join('/')
}

function outside(what: string, hint = SETTINGS_HINT): VaultError {
  return new VaultError('outside_vault', `${what} leads outside the vault.`, { hint })
}

function refused(what: string, why: string, hint: string): VaultError {
  return new VaultError('bad_path', `${what} ${why}.`, { hint })
}

const SETTINGS_HINT = "Change it in the application's settings to a visible path inside the vault."
