import { isAbsolute, join } from 'node:path'
import SSHConfig from 'ssh-config'
import { VaultError } from '../../errors.ts'
import type { SftpAddress } from './address.ts'

/** What this machine adds to an address. */
export interface Machine {
  /** The user's home folder. */
  readonly home: string
  readonly userName: string
  /** Where an agent listens, or null. */
  readonly agent: string | null
  /** The text of a file, null where there is none. @throws where it cannot be read */
  readonly readFile: (path: string) => string | null
}

/** How a host is reached: the address, completed by the user's SSH settings. */
export interface HostSettings {
  readonly host: string
  readonly port: number
  readonly user: string
  /** Absolute paths, in the order to try; those that OpenSSH tries by itself where none is named. */
  readonly identityFiles: readonly string[]
  /** Only the named keys are offered, not all that an agent holds. */
  readonly identitiesOnly: boolean
  readonly agent: string | null
  /** Absolute paths. */
  readonly knownHostsFiles: readonly string[]
  /** The name under which the host's key is known, where that is not its own. */
  readonly hostKeyAlias: string | null
  /** Hosts to go through, nearest first, as `[user@]host[:port]`. */
  readonly jumps: readonly string[]
}

const DEFAULT_KEYS = ['id_ed25519', 'id_ecdsa', 'id_rsa']
const MOST_INCLUDES = 16

/**
 * Looks a host up in the user's SSH settings (Host and Match blocks, Include; nothing named there is run).
 * @param file absolute path of the settings, e.g. `~/.ssh/config`; a missing file is fine
 * @throws VaultError `not_configured` where they ask for something that only OpenSSH can do
 */
export function hostSettings(address: SftpAddress, file: string, machine: Machine): HostSettings {
  const text = withIncludes(file, machine, 0)
  // Asking a name server for the full name is left to the system's resolver.
  const parsed = SSHConfig.parse(text.replace(/^\s*CanonicalizeHostName\b.*$/gim, ''))
  const params = { Host: address.host, ...(address.user === null ? {} : { User: address.user }) }
  const found = parsed.compute(params, { ignoreCase: true, matchExec: false }) as Found
  refuseCommand(found, address.host)
  const host = first(found.hostname)?.replaceAll('%h', address.host) ?? address.host
  const port = address.port ?? portOf(first(found.port), address.host)
  const user = address.user ?? first(found.user) ?? machine.userName
  const facts = { host, port, user, original: address.host }
  const expand = (path: string) => expanded(path, facts, machine)
  const named = all(found.identityfile).filter((path) => path.toLowerCase() !== 'none')
  const inSsh = (name: string) => join(machine.home, '.ssh', name)
  const knownHosts = all(found.userknownhostsfile).flatMap((paths) => paths.split(/\s+/))
  return {
    host,
    port,
    user,
    identityFiles: named.length > 0 ? named.map(expand) : DEFAULT_KEYS.map(inSsh),
    identitiesOnly: first(found.identitiesonly)?.toLowerCase() === 'yes',
    agent: agentOf(first(found.identityagent), machine, expand),
    knownHostsFiles: [
      ...(knownHosts.length > 0 ? knownHosts.map(expand) : [inSsh('known_hosts'), inSsh('known_hosts2')]),
      '/etc/ssh/ssh_known_hosts',
    ],
    hostKeyAlias: first(found.hostkeyalias) ?? null,
    jumps: jumpsOf(first(found.proxyjump)),
  }
}

type Found = Readonly<Record<string, string | readonly string[] | undefined>>

function all(value: string | readonly string[] | undefined): readonly string[] {
  return value === undefined ? [] : typeof value === 'string' ? [value] : value
}

function first(value: string | readonly string[] | undefined): string | undefined {
  return all(value)[0]
}

function refuseCommand(found: Found, host: string): void {
  const command = first(found.proxycommand)
  if (command === undefined || command.toLowerCase() === 'none' || found.proxyjump !== undefined) return
  throw new VaultError(
    'not_configured',
    `The SSH settings reach ${host} through a ProxyCommand, which is not run here.`,
    {
      hint: 'Use ProxyJump instead, or give the address that is reached directly.',
    },
  )
}

function portOf(text: string | undefined, host: string): number {
  if (text === undefined) return 22
  const port = Number(text)
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port
  throw new VaultError(
    'not_configured',
    `The SSH settings give ${JSON.stringify(text)} as the port of ${host}.`,
    {
      hint: 'Correct it there, or write the port into the address.',
    },
  )
}

function jumpsOf(text: string | undefined): string[] {
  if (text === undefined || text.toLowerCase() === 'none') return []
  return text.split(',').map((jump) => jump.trim().replace(/^ssh:\/\//, ''))
}

function agentOf(
  written: string | undefined,
  { agent }: Machine,
  expand: (path: string) => string,
): string | null {
  if (written === undefined || written === 'SSH_AUTH_SOCK' || written === '$SSH_AUTH_SOCK') return agent
  return written.toLowerCase() === 'none' ? null : expand(written)
}

/** The tokens of ssh_config(5) that a path may hold. */
function expanded(
  path: string,
  { host, port, user, original }: { host: string; port: number; user: string; original: string },
  { home, userName }: Machine,
): string {
  const values: Record<string, string> = {
    '%': '%',
    d: home,
    h: host,
    n: original,
    p: String(port),
    r: user,
    u: userName,
  }
  const full = path
    .replace(/^~(?=\/|$)/, home)
    .replace(/%([%dhnpru])/g, (_, token: string) => values[token] ?? '')
  return isAbsolute(full) ? full : join(home, '.ssh', full)
}

/** The text of the settings with what they include put in its place. */
function withIncludes(file: string, machine: Machine, depth: number): string {
  const text = machine.readFile(file)
  if (text === null) return ''
  if (depth === MOST_INCLUDES) return text
  return text.replace(/^[ \t]*Include[ \t=]+(.+)$/gim, (_, patterns: string) =>
    patterns
      .trim()
      .split(/\s+/)
      .flatMap((pattern) => filesOf(pattern.replace(/^"(.*)"$/, '$1'), machine))
      .map((included) => withIncludes(included, machine, depth + 1))
      .join('\n'),
  )
}

function filesOf(pattern: string, { home }: Machine): string[] {
  const path = pattern.replace(/^~(?=\/|$)/, home)
  const full = isAbsolute(path) ? path : join(home, '.ssh', path)
  if (!/[*?[]/.test(full)) return [full]
  return [...new Bun.Glob(full.slice(1)).scanSync({ cwd: '/', absolute: true, dot: true })].sort()
}
