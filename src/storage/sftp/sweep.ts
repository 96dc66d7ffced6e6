import { posix } from 'node:path'
import { TEMP_PREFIX } from '../storage.ts'
import type { Calls, Named } from './calls.ts'
import { LostError } from './failure.ts'
import { nameBeforeAside, settleAside } from './place_file.ts'

/**
 * Removes temporary files that were last touched before `beforeMs` (milliseconds since 1970, by the server's clock),
 * links not followed. A file that stepped aside for another one comes back where its name is free. What cannot be
 * listed or removed stays: it is hidden anyway.
 * @returns how many were put in order
 */
export async function sweepRemote(calls: Calls, folder: string, beforeMs: number): Promise<number> {
  let names: Named[]
  try {
    names = await calls.readdir(folder)
  } catch (error) {
    if (error instanceof LostError) throw error
    return 0
  }
  let swept = 0
  for (const { name, attrs } of names) {
    const path = posix.join(folder, name)
    if (attrs.kind === 'folder') swept += await sweepRemote(calls, path, beforeMs)
    else if (name.startsWith(TEMP_PREFIX) && attrs.mtimeMs <= beforeMs && (await settle(calls, path, name)))
      swept++
  }
  return swept
}

async function settle(calls: Calls, path: string, name: string): Promise<boolean> {
  const before = nameBeforeAside(name)
  try {
    if (before === null) await calls.unlink(path)
    else await settleAside(calls, path, posix.join(posix.dirname(path), before))
    return true
  } catch (error) {
    if (error instanceof LostError) throw error
    return false
  }
}
