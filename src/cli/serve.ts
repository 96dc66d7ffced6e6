import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { VaultError } from '../errors.ts'
import { isRunning } from '../vault/process_identity.ts'
import { selfCommand } from '../vault/self.ts'
import {
  forgetService,
  healthOf,
  readService,
  type Service,
  type ServiceState,
  servicesIn,
  stateOf,
} from './service.ts'

/** Where services are written down and where they log. */
export interface ServicePlaces {
  readonly state: string
  readonly logs: string
}

export interface ServeRequest {
  readonly places: ServicePlaces
  /** Canonical places of the vaults: what makes two services the same. */
  readonly vaults: readonly string[]
  /** The words and flags that it is started with, without the command. */
  readonly args: readonly string[]
  readonly cwd: string
  readonly json: boolean
}

/** Milliseconds that a server may take until it listens. */
const START_MS = 60_000
/** Milliseconds that one may take to end when it is asked to. */
const STOP_MS = 10_000
const PAUSE_MS = 50

/** The file that a service of these vaults is written down in. */
function serviceFile(places: ServicePlaces, vaults: readonly string[]): string {
  const key = new Bun.CryptoHasher('sha256')
    .update([...vaults].sort().join('\n'))
    .digest('hex')
    .slice(0, 16)
  return join(places.state, `${key}.json`)
}

/**
 * Starts a server over HTTP in the background and waits until it answers as the process that was started.
 * @returns what is printed, with a line end
 * @throws VaultError `already_exists` where its vaults are served already, `unavailable` with the end of its log
 */
export async function serveCommand({ places, vaults, args, cwd, json }: ServeRequest): Promise<string> {
  const file = serviceFile(places, vaults)
  const known = readService(file)
  if (known !== null && (await stateOf(known)) === 'running') {
    throw new VaultError('already_exists', `These vaults are served already, at ${known.url}.`, {
      hint: '"knap restart" starts it anew, "knap stop" ends it.',
    })
  }
  const log = join(places.logs, `${file.slice(places.state.length + 1, -'.json'.length)}.log`)
  const token = crypto.getRandomValues(new Uint8Array(16)).toHex()
  const [runtime, ...own] = selfCommand() as [string, ...string[]]
  const child = spawn(runtime, [...own, '__service', token, file, log, ...args], {
    cwd,
    detached: true,
    stdio: 'ignore',
    windowsHide: true,
  })
  let ended = false
  child.once('exit', () => {
    ended = true
  })
  child.once('error', () => {
    ended = true
  })
  child.unref()
  for (const end = Date.now() + START_MS; Date.now() < end && !ended; await Bun.sleep(PAUSE_MS)) {
    const service = readService(file)
    if (service === null || service.process.token !== token) continue
    if ((await healthOf(service))?.instance === token) return started(service, json)
  }
  if (!ended) child.kill()
  throw new VaultError('unavailable', `The server did not start. ${lastLines(log)}`, {
    hint: `Its log is ${log}.`,
  })
}

function started({ url, process: { pid }, log }: Service, json: boolean): string {
  return json
    ? `${JSON.stringify({ url, pid, log })}\n`
    : `Serving at ${url} (process ${pid}).\nLog: ${log}\n`
}

function lastLines(log: string): string {
  try {
    return readFileSync(log, 'utf8').trimEnd().split('\n').slice(-3).join(' ')
  } catch {
    return 'It logged nothing.'
  }
}

/**
 * Ends a service that is proven to be ours.
 * @param vaults of the service, or null for the only one that runs
 * @throws VaultError `not_found`, `ambiguous` (several run), `unavailable` (the process is a stranger, or does not end)
 */
export async function stopCommand(places: ServicePlaces, vaults: readonly string[] | null): Promise<string> {
  const { service, file } = await chosen(places, vaults)
  const { pid } = service.process
  if ((await stateOf(service)) === 'stranger') {
    throw new VaultError('unavailable', `Behind ${service.url} is another server now; it is left alone.`, {
      hint: `Remove ${file} if the old one is gone.`,
    })
  }
  process.kill(pid, 'SIGTERM')
  for (const end = Date.now() + STOP_MS; Date.now() < end; await Bun.sleep(PAUSE_MS)) {
    if (!isAlive(service)) {
      forgetService(file)
      return `Stopped ${service.url} (process ${pid}).\n`
    }
  }
  throw new VaultError('unavailable', `Process ${pid} did not end within ${STOP_MS / 1000} s.`, {
    hint: `Look into its log, ${service.log}.`,
  })
}

function isAlive(service: Service): boolean {
  if (isRunning(service.process) === 'gone') return false
  try {
    process.kill(service.process.pid, 0)
    return true
  } catch {
    return false
  }
}

/** Ends a service and starts it as it was started before, from the same folder. */
export async function restartCommand(
  places: ServicePlaces,
  vaults: readonly string[] | null,
  json: boolean,
): Promise<string> {
  const { service } = await chosen(places, vaults)
  await stopCommand(places, service.vaults)
  const { args, cwd } = service
  return await serveCommand({ places, vaults: service.vaults, args, cwd, json })
}

async function chosen(places: ServicePlaces, vaults: readonly string[] | null) {
  const wanted = vaults === null ? null : serviceFile(places, vaults)
  const all = await runningIn(places)
  const fitting = all.filter(({ file }) => wanted === null || file === wanted)
  const [one, other] = fitting
  if (one === undefined) {
    throw new VaultError('not_found', 'No server of ours runs in the background for this.', {
      hint: '"knap status" lists those that do; "knap serve VAULT" starts one.',
    })
  }
  if (other !== undefined) {
    const list = all.map(({ service }) => service.vaults.join(', ')).join('; ')
    throw new VaultError('ambiguous', `Several run: ${list}.`, {
      hint: 'Name the vault of the one you mean.',
    })
  }
  return one
}

/** Those that run; what is written down of those that are gone is forgotten. */
async function runningIn(places: ServicePlaces) {
  const all = await Promise.all(
    servicesIn(places.state).map(async (entry) => ({ ...entry, state: await stateOf(entry.service) })),
  )
  for (const { file, state } of all) if (state === 'gone') forgetService(file)
  return all.filter(({ state }) => state !== 'gone')
}

/** `knap status`: what runs in the background, and how it is. */
export async function statusCommand(
  places: ServicePlaces,
  json: boolean,
): Promise<{ readonly text: string; readonly isRunning: boolean }> {
  const all = await Promise.all(
    (await runningIn(places)).map(async ({ service, state }) => ({
      service,
      state,
      health: await healthOf(service),
    })),
  )
  const rows = all.map(({ service, state, health }) => ({
    url: service.url,
    pid: service.process.pid,
    state: stateWord(state, health),
    vaults: service.vaults,
    since: new Date(service.since).toISOString(),
    version: health?.version ?? null,
    notes: health?.notes ?? null,
    log: service.log,
  }))
  if (json) return { text: `${JSON.stringify({ services: rows }, null, 2)}\n`, isRunning: rows.length > 0 }
  const lines = rows.flatMap((row) => [
    `${row.url}  ${row.state}, process ${row.pid}, since ${row.since}`,
    `  ${row.vaults.join(', ')}${row.notes === null ? '' : `: ${row.notes} notes`}`,
    `  log: ${row.log}`,
  ])
  return {
    text: `${[...lines, ...(rows.length === 0 ? ['Nothing runs in the background.'] : [])].join('\n')}\n`,
    isRunning: rows.length > 0,
  }
}

function stateWord(state: ServiceState, health: Record<string, unknown> | null): string {
  if (state === 'stranger') return 'another server answers here'
  return health === null ? 'running, but does not answer' : 'running'
}
