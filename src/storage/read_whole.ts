import { constants, type Stats } from 'node:fs'
import { VaultError } from '../errors.ts'
import type { VaultPath } from '../note/path.ts'
import type { Disk } from './disk.ts'
import { storageError } from './failure.ts'

/** Without O_NONBLOCK the opening of a named pipe waits for a writer; a link that came to stand there leads nowhere. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)

/**
 * The whole file, if it is one. One call to the system's threads reads it: a file that is opened, looked at, read and
 * closed by a call each takes three times as long.
 * @param absolute a real path, `stat` what was found there
 * @throws VaultError `is_folder`, `too_large`, `unavailable` (a pipe, a device, a socket); errno errors
 */
export async function readWhole(
  disk: Disk,
  {
    absolute,
    stat,
    path,
    maxBytes,
  }: {
    absolute: string
    stat: Pick<Stats, 'isDirectory' | 'isFile' | 'size'>
    path: VaultPath
    maxBytes: number
  },
): Promise<Uint8Array> {
  if (stat.isDirectory()) throw storageError({ code: 'EISDIR' }, path, 'read')
  if (!stat.isFile()) {
    throw new VaultError('unavailable', `${path} is no regular file.`, {
      hint: 'Only regular files are read.',
    })
  }
  if (stat.size > maxBytes) throw tooLarge(path, stat.size, maxBytes)
  const bytes = await disk.promises.readFile(absolute, { flag: FLAGS })
  if (bytes.length > maxBytes) throw tooLarge(path, bytes.length, maxBytes)
  return bytes
}

function tooLarge(path: VaultPath, size: number, maxBytes: number): VaultError {
  return new VaultError('too_large', `${path} has ${size} bytes, more than the ${maxBytes} allowed here.`, {
    hint: 'Read a part of it.',
    details: { size, max_bytes: maxBytes },
  })
}
