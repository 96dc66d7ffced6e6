import { VaultError } from '../../errors.ts'
import type { VaultPath } from '../../note/path.ts'
import { shown } from '../failure.ts'

/**
 * Waits for work at most so long, queueing and connecting included. What comes after that is ignored; a change that
 * was not yet in place then never will be (`wanted` throws).
 * @param ms milliseconds; `extend` adds to them
 * @throws VaultError `timeout`
 */
export async function within<T>(
  ms: number,
  path: VaultPath,
  work: (extend: (ms: number) => void, wanted: () => void) => Promise<T>,
): Promise<T> {
  const late = Promise.withResolvers<never>()
  const until = { at: performance.now() + ms, passed: false }
  let timer: ReturnType<typeof setTimeout> | undefined
  const arm = () => {
    clearTimeout(timer)
    const left = until.at - performance.now()
    // Timers count in 32 bits.
    if (left < 2 ** 31) timer = setTimeout(() => late.reject(tooLate()), Math.max(0, left))
  }
  const tooLate = () => {
    until.passed = true
    return new VaultError(
      'timeout',
      `${shown(path)} was not done with in ${Math.round(ms / 1000)} seconds.`,
      {
        hint: 'The server of the vault is slow or busy; read the file before repeating a change.',
      },
    )
  }
  const extend = (more: number) => {
    until.at += more
    arm()
  }
  const wanted = () => {
    if (until.passed) throw tooLate()
  }
  arm()
  try {
    return await Promise.race([work(extend, wanted), late.promise])
  } finally {
    clearTimeout(timer)
  }
}
