import { type ErrorCode, VaultError } from '../errors.ts'
import type { VaultPath } from '../note/path.ts'
import { errnoOf } from './disk.ts'

/** What was being done: a refused permission means another thing for a read than for a write. */
export type Doing = 'read' | 'write'

interface Meaning {
  readonly code: ErrorCode
  /** Goes after the path. */
  readonly says: string
  readonly hint: string
}

const RETRY = 'Try again; if it stays so, look after the disk or mount the vault lies on.'

const BOTH: Record<string, Meaning> = {
  ENOENT: { code: 'not_found', says: 'does not exist', hint: 'Check the path with vault_list.' },
  ENOTDIR: { code: 'not_found', says: 'does not exist', hint: 'Check the path with vault_list.' },
  EEXIST: { code: 'already_exists', says: 'already exists', hint: 'Choose another name.' },
  EISDIR: { code: 'is_folder', says: 'is a folder', hint: 'Name a file in it; vault_list shows them.' },
  ELOOP: {
    code: 'outside_vault',
    says: 'is a link that leads to itself',
    hint: 'Use the path of a real file in the vault.',
  },
  ENAMETOOLONG: { code: 'bad_path', says: 'has a name that is too long', hint: 'Use a shorter name.' },
  ERR_INVALID_ARG_VALUE: {
    code: 'bad_path',
    says: 'is no usable path',
    hint: 'Use a plain path in the vault.',
  },
  ENOSPC: {
    code: 'disk_full',
    says: 'could not be written: the disk is full',
    hint: 'Free some space first.',
  },
  EDQUOT: {
    code: 'disk_full',
    says: 'could not be written: the disk quota is used up',
    hint: 'Free some space first.',
  },
  EROFS: {
    code: 'read_only',
    says: 'cannot be changed: it lies on a read-only file system',
    hint: 'Mount the vault writable, or only read.',
  },
  EMFILE: { code: 'unavailable', says: 'could not be opened: too many files are open', hint: 'Try again.' },
  ENFILE: { code: 'unavailable', says: 'could not be opened: too many files are open', hint: 'Try again.' },
  ETIMEDOUT: { code: 'timeout', says: 'did not answer in time', hint: RETRY },
}

const DENIED: Record<Doing, Meaning> = {
  read: {
    code: 'unavailable',
    says: 'may not be read by this user',
    hint: 'Give the server read permission on it.',
  },
  write: {
    code: 'read_only',
    says: 'may not be changed by this user',
    hint: 'Give the server write permission on it and its folder, or only read.',
  },
}

/**
 * An expected failure out of one of the file system's, told apart by its errno alone. The message names the
 * vault-relative path; what the system said (with absolute paths) is the cause, for the log.
 */
export function storageError(cause: unknown, path: VaultPath, doing: Doing): VaultError {
  if (cause instanceof VaultError) return cause
  const errno = errnoOf(cause) || String((cause as { code?: unknown } | null)?.code ?? '')
  const denied = errno === 'EACCES' || errno === 'EPERM'
  const meaning = denied ? DENIED[doing] : BOTH[errno]
  if (meaning !== undefined) {
    return new VaultError(meaning.code, `${shown(path)} ${meaning.says}.`, { hint: meaning.hint, cause })
  }
  const done = doing === 'read' ? 'read' : 'written'
  const reason = errno === '' ? '' : ` (${errno})`
  return new VaultError('unavailable', `${shown(path)} could not be ${done}${reason}.`, {
    hint: RETRY,
    cause,
  })
}

/** How a path stands in a message; the root has no name of its own. */
export function shown(path: VaultPath): string {
  return path === '' ? 'The vault' : path
}
