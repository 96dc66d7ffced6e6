import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { VaultError } from '../errors.ts'
import type { History } from '../vault/history.ts'
import { isRunning, readIdentity } from '../vault/process_identity.ts'

/** The folders that are kept of one vault. */
export interface KeptPlaces {
  /** The vault, as it is shown. */
  readonly vault: string
  /** History, journal, locks: what cannot be made again. */
  readonly data: string
  /** Index and vectors: what can. */
  readonly cache: string
}

export interface KeptRequest {
  readonly action: string | undefined
  readonly places: readonly KeptPlaces[]
  /** `remove` does it; without, it says what it would do. */
  readonly yes: boolean
  readonly json: boolean
  /** The history of a vault. */
  readonly historyOf: (place: KeptPlaces) => Promise<History>
}

/**
 * `knap data [show | prune | remove]`: what is kept of vaults outside of them.
 * @returns what is printed, with a line end
 * @throws VaultError `bad_argument`, `unavailable` where a server uses the vault
 */
export async function dataCommand(request: KeptRequest): Promise<string> {
  const { action = 'show', places } = request
  if (action === 'show') return show(request)
  if (action === 'prune') {
    for (const place of places) await (await request.historyOf(place)).prune()
    return show(request)
  }
  if (action === 'remove') return remove(request)
  throw new VaultError('bad_argument', `knap data has no action ${JSON.stringify(action)}.`, {
    hint: 'Its actions are show, prune and remove.',
  })
}

function show({ places, json }: KeptRequest): string {
  const rows = places.map(({ vault, data, cache }) => ({
    vault,
    data: { folder: data, bytes: bytesBelow(data), history_bytes: bytesBelow(join(data, 'history')) },
    cache: { folder: cache, bytes: bytesBelow(cache) },
  }))
  if (json) return `${JSON.stringify({ vaults: rows }, null, 2)}\n`
  return rows
    .map(
      ({ vault, data, cache }) =>
        `${vault}\n  history, journal, locks  ${megabytes(data.bytes)}  ${data.folder}\n  index and vectors        ${megabytes(cache.bytes)}  ${cache.folder}\n`,
    )
    .join('')
}

function remove({ places, yes }: KeptRequest): string {
  const lines = places.flatMap(({ vault, data, cache }) => [
    `${vault}: ${megabytes(bytesBelow(data))} of history and ${megabytes(bytesBelow(cache))} of index`,
  ])
  if (!yes) {
    return `${lines.join('\n')}\nNothing was removed. Add --yes to remove it for good; the notes themselves are not touched.\n`
  }
  for (const { vault, data } of places) {
    const user = holderIn(data)
    if (user !== null) {
      throw new VaultError('unavailable', `Process ${user} uses ${vault}.`, { hint: 'End it first.' })
    }
  }
  for (const { data, cache } of places) {
    rmSync(data, { recursive: true, force: true })
    rmSync(cache, { recursive: true, force: true })
  }
  return `${lines.join('\n')}\nRemoved.\n`
}

/** The number of a process that holds a lock there, or null. */
function holderIn(folder: string): number | null {
  for (const file of filesBelow(folder)) {
    if (!file.includes('lock')) continue
    try {
      const identity = readIdentity(readFileSync(file, 'utf8'))
      if (identity !== null && isRunning(identity) === 'running') return identity.pid
    } catch {
      // It went away meanwhile.
    }
  }
  return null
}

function filesBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  } catch {
    return []
  }
}

function bytesBelow(folder: string): number {
  let sum = 0
  for (const file of filesBelow(folder)) sum += statSync(file, { throwIfNoEntry: false })?.size ?? 0
  return sum
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`
}
