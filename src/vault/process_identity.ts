import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** A process as other processes can recognise it. */
export interface ProcessIdentity {
  readonly pid: number
  /** When it began, in the system's own unit, or null where the system does not tell; a reused number differs here. */
  readonly start: string | null
  /** The machine (and, in containers, the space of process numbers) in which `pid` means something. */
  readonly host: string
  /** Unique to this one holder. */
  readonly token: string
}

export function ownIdentity(): ProcessIdentity {
  return {
    pid: process.pid,
    start: statusOf(process.pid)?.start ?? null,
    host: hostId(),
    token: crypto.getRandomValues(new Uint8Array(8)).toHex(),
  }
}

/** `unknown`: it runs on another machine, or its number may have been given to another process. */
export function isRunning({ pid, start, host }: ProcessIdentity): 'running' | 'gone' | 'unknown' {
  if (host !== hostId()) return 'unknown'
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as { code?: string }).code === 'ESRCH') return 'gone'
  }
  const now = statusOf(pid)
  if (now !== null && ENDED.test(now.state)) return 'gone'
  if (start === null || now === null) return 'unknown'
  return start === now.start ? 'running' : 'gone'
}

export function readIdentity(text: string): ProcessIdentity | null {
  try {
    const value = JSON.parse(text) as Partial<ProcessIdentity> | null
    const sound =
      typeof value?.pid === 'number' && typeof value.host === 'string' && typeof value.token === 'string'
    return sound ? (value as ProcessIdentity) : null
  } catch {
    return null
  }
}

let host: string | undefined

function hostId(): string {
  if (host === undefined) {
    let space = ''
    try {
      space = readlinkSync('/proc/self/ns/pid')
    } catch {
      // Only Linux has such spaces.
    }
    host = `${hostname()} ${space}`.trim()
  }
  return host
}

/** A process that has ended keeps its number until its parent asks for its exit code, which may be never. */
const ENDED = /^[ZX]$/i

/**
 * Fields 3 (state) and 22 (clock ticks since boot at its start) of Linux's `/proc/PID/stat`; the name in field 2 may
 * hold blanks and brackets.
 */
function statusOf(pid: number): { readonly state: string; readonly start: string } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { state: fields[0] as string, start: fields[19] as string }
  } catch {
    return null
  }
}
