import { VaultError } from '../../errors.ts'
import type { VaultPath } from '../../note/path.ts'
import { type Doing, storageError } from '../failure.ts'

/** The server answered with a status that is no success. @see draft-ietf-secsh-filexfer-02, section 7 */
export class StatusError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.name = 'StatusError'
    this.status = status
  }
}

/** The connection went away before the answer came: what was asked for may have happened or not. */
export class LostError extends Error {
  readonly reason: VaultError

  constructor(reason: VaultError) {
    super(reason.message)
    this.name = 'LostError'
    this.reason = reason
  }
}

export const STATUS = { eof: 1, noSuchFile: 2, permissionDenied: 3, failure: 4, unsupported: 8 } as const

/** Servers of version 3 that send the finer codes of later drafts mean what these say. */
const ERRNO: Readonly<Record<number, string>> = {
  2: 'ENOENT',
  3: 'EACCES',
  10: 'ENOENT',
  11: 'EEXIST',
  12: 'EROFS',
  14: 'ENOSPC',
  15: 'EDQUOT',
  19: 'ENOTDIR',
  24: 'EISDIR',
}

/** An expected failure out of one of the server's, told apart by its status alone. */
export function sftpError(cause: unknown, path: VaultPath, doing: Doing): VaultError {
  if (cause instanceof VaultError) return cause
  if (cause instanceof LostError) return cause.reason
  if (!(cause instanceof StatusError)) return storageError(cause, path, doing)
  return storageError({ code: ERRNO[cause.status] ?? `SFTP status ${cause.status}` }, path, doing)
}

export function isStatus(error: unknown, status: number): boolean {
  return error instanceof StatusError && error.status === status
}

export function lostConnection(why: string): VaultError {
  return new VaultError('unavailable', `The connection to the server of the vault was lost (${why}).`, {
    hint: 'It is set up anew by itself; read the file before repeating a change.',
  })
}
