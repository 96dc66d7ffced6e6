import { VaultError } from '../errors.ts'
import type { VaultPath } from '../note/path.ts'
import { shown } from './failure.ts'

/**
 * Gives up waiting for a call that hangs (a mount whose server went away). The call itself cannot be taken back: a
 * write may still happen later, and the hint says so.
 * @throws VaultError `timeout`
 */
export async function deadline<T>(ms: number, path: VaultPath, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(
        new VaultError('timeout', `${shown(path)} did not answer within ${ms} ms.`, {
          hint: 'Look after the disk or mount the vault lies on; read the file before repeating a change.',
        }),
      )
    }, ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
