import { VaultError } from '../errors.ts'
import { kindOf } from '../note/kinds.ts'
import type { ReadNote } from './vault.ts'

/**
 * A note is read whatever is in it; of other files, those that are text: without a NUL, and where their name does not
 * mean text, in UTF-8. @throws VaultError `not_a_note`
 */
export function requireReadable({ path, bytes, valid }: Pick<ReadNote, 'path' | 'bytes' | 'valid'>): void {
  const kind = kindOf(path)
  if (kind === 'note') return
  if (!bytes.subarray(0, LOOKED_AT).includes(0) && (valid || kind === 'text')) return
  throw new VaultError('not_a_note', `"${path}" is a binary file.`, {
    hint: 'attachments with action "read" brings files that are not text.',
  })
}

/** Bytes at the beginning, where a NUL tells a binary file from text. */
const LOOKED_AT = 8000
