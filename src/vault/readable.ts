import { VaultError } from '../errors.ts'
import { kindOf } from '../note/kinds.ts'
import type { ReadNote } from './vault.ts'

/** A note is read whatever is in it; of other files, those that are text. @throws VaultError `not_a_note` */
export function requireReadable({ path, bytes }: Pick<ReadNote, 'path' | 'bytes'>): void {
  if (kindOf(path) === 'note' || !bytes.subarray(0, LOOKED_AT).includes(0)) return
  throw new VaultError('not_a_note', `"${path}" is a binary file.`, {
    hint: 'attachments with action "read" brings files that are not text.',
  })
}

/** Bytes at the beginning, where a NUL tells a binary file from text. */
const LOOKED_AT = 8000
