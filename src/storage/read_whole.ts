import { constants } from 'node:fs'
import { VaultError } from '../errors.ts'
import type { VaultPath } from '../note/path.ts'
import type { Disk } from './disk.ts'
import { storageError } from './failure.ts'

/**
 * The whole file, if it is one.
 * @throws VaultError `is_folder`, `too_large`, `unavailable` (a pipe, a device, a socket); errno errors
 */
export async function readWhole(
  disk: Disk,
  { absolute, path, maxBytes }: { absolute: string; path: VaultPath; maxBytes: number },
): Promise<Uint8Array> {
  // Without O_NONBLOCK the opening of a named pipe waits for a writer.
  const handle = await disk.promises.open(absolute, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stat = await handle.stat()
    if (stat.isDirectory()) throw storageError({ code: 'EISDIR' }, path, 'read')
    if (!stat.isFile()) {
      throw new VaultError('unavailable', `${path} is no regular file.`, {
        hint: 'Only regular files are read.',
      })
    }
    if (stat.size > maxBytes) throw tooLarge(path, stat.size, maxBytes)
    const bytes = await handle.readFile()
    if (bytes.length > maxBytes) throw tooLarge(path, bytes.length, maxBytes)
    return bytes
  } finally {
    await handle.close()
  }
}

function tooLarge(path: VaultPath, size: number, maxBytes: number): VaultError {
  return new VaultError('too_large', `${path} has ${size} bytes, more than the ${maxBytes} allowed here.`, {
    hint: 'Read a part of it.',
    details: { size, max_bytes: maxBytes },
  })
}
