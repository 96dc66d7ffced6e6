import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isRunning, type ProcessIdentity, readIdentity } from '../vault/process_identity.ts'

/** A server in the background, as it wrote itself down when it began to listen. */
export interface Service {
  readonly process: ProcessIdentity
  /** Where clients reach it, `/mcp` included. */
  readonly url: string
  /** Milliseconds since 1970. */
  readonly since: number
  readonly log: string
  /** What it was started with, and from which folder: for starting it again. */
  readonly args: readonly string[]
  readonly cwd: string
  /** Canonical places of its vaults: folders with links resolved, addresses. */
  readonly vaults: readonly string[]
}

/** `running` is proven: number, start and, over its own port, the token of the process are those that were written down. */
export type ServiceState = 'running' | 'gone' | 'stranger'

/** Milliseconds that a server may take to say who it is. */
const HEALTH_MS = 2000

export function writeService(file: string, service: Service): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const next = `${file}.${process.pid}.new`
  writeFileSync(next, JSON.stringify(service), { mode: 0o600 })
  renameSync(next, file)
}

/** @returns null where none is written down, or not in a form that can be read */
export function readService(file: string): Service | null {
  try {
    const value = JSON.parse(readFileSync(file, 'utf8')) as Service
    const isSound = readIdentity(JSON.stringify(value.process)) !== null && typeof value.url === 'string'
    return isSound ? value : null
  } catch {
    return null
  }
}

export function forgetService(file: string): void {
  rmSync(file, { force: true })
}

/** Every service that is written down in this folder, by file. */
export function servicesIn(folder: string): { readonly file: string; readonly service: Service }[] {
  let names: string[] = []
  try {
    names = readdirSync(folder)
  } catch {
    // No service was ever started.
  }
  return names
    .filter((name) => name.endsWith('.json'))
    .sort()
    .flatMap((name) => {
      const file = join(folder, name)
      const service = readService(file)
      return service === null ? [] : [{ file, service }]
    })
}

/** Is the process that runs now under this number, or behind this port, the one that was written down? */
export async function stateOf(service: Service): Promise<ServiceState> {
  const alive = isRunning(service.process)
  if (alive === 'gone') return 'gone'
  const health = await healthOf(service)
  if (health?.instance === service.process.token) return 'running'
  // Where the system tells when a process began, number and start are proof enough of one that hangs.
  if (alive === 'running') return 'running'
  return health === null ? 'gone' : 'stranger'
}

/** What the server says of itself, or null where it does not answer. */
export async function healthOf({ url }: Service): Promise<Record<string, unknown> | null> {
  try {
    const response = await fetch(reachable(new URL('/health', url)), {
      signal: AbortSignal.timeout(HEALTH_MS),
      // A certificate names the host that clients use, not the address it listens on; the token is the proof here.
      tls: { rejectUnauthorized: false },
    })
    return (await response.json()) as Record<string, unknown>
  } catch {
    return null
  }
}

/** One that listens at every address is asked at its own: not every system connects to 0.0.0.0. */
function reachable(url: URL): URL {
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1'
  if (url.hostname === '[::]') url.hostname = '[::1]'
  return url
}
