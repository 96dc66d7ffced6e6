import { VaultError } from '../../errors.ts'
import { readAddress, type SftpAddress } from './address.ts'
import { type Credentials, credentials, type Secrets } from './credentials.ts'
import type { Trust } from './host_key.ts'
import { type KnownHost, parseKnownHosts } from './known_hosts.ts'
import { type HostSettings, hostSettings, type Machine } from './ssh_config.ts'

/** A host to connect to, with all that is needed for it. */
export interface Target {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly trust: Trust
  readonly credentials: Credentials
  /** The host to go through, or null for a direct way. */
  readonly through: Target | null
}

export interface TargetOptions extends Secrets {
  /** `SHA256:…` of the vault's own host. */
  readonly fingerprint: string | null
  /** Files of known hosts in place of those that the SSH settings name. */
  readonly knownHosts: readonly string[]
  /** The user's SSH settings; absolute. */
  readonly configFile: string
}

const MOST_JUMPS = 8

/**
 * Everything that is known here about the way to a vault. Read anew for each connection, so that a key which was
 * added to `known_hosts` counts at once.
 * @throws VaultError `not_configured`, `bad_argument`
 */
export function targetOf(address: SftpAddress, options: TargetOptions, machine: Machine): Target {
  return build(address, options, machine, 0)
}

function build(address: SftpAddress, options: TargetOptions, machine: Machine, depth: number): Target {
  if (depth > MOST_JUMPS) throw tooFar()
  const settings = reading(() => hostSettings(address, options.configFile, machine))
  const { host, port, user } = settings
  return {
    host,
    port,
    user,
    trust: trustOf(settings, options, machine),
    credentials: credentials(settings, options, machine),
    through: jump(settings.jumps, options, machine, depth),
  }
}

/** The last host of the chain, which goes through those before it. A jump host logs in with keys alone. */
function jump(
  jumps: readonly string[],
  options: TargetOptions,
  machine: Machine,
  depth: number,
): Target | null {
  let through: Target | null = null
  const own = { ...options, fingerprint: null, password: null }
  for (const written of jumps) {
    const next: Target = build(readAddress(`sftp://${written}/`), own, machine, depth + 1)
    through = through === null ? next : { ...next, through }
  }
  return through
}

function trustOf(settings: HostSettings, options: TargetOptions, machine: Machine): Trust {
  const { host, port, hostKeyAlias, knownHostsFiles } = settings
  const files = options.knownHosts.length > 0 ? options.knownHosts : knownHostsFiles
  const pinned = options.fingerprint
  return {
    // Keys that stand under an alias stand there without a port.
    host: hostKeyAlias ?? host,
    port: hostKeyAlias === null ? port : 22,
    fingerprint: pinned,
    known: pinned === null ? files.flatMap((file) => knownIn(file, machine)) : [],
    file: files[0] ?? '~/.ssh/known_hosts',
  }
}

function knownIn(file: string, machine: Machine): KnownHost[] {
  const text = reading(() => machine.readFile(file))
  return text === null ? [] : parseKnownHosts(text, file)
}

/** A file that is there and cannot be read may hold what would stop us. */
function reading<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (cause instanceof VaultError) throw cause
    const { path, code } = cause as NodeJS.ErrnoException
    throw new VaultError(
      'not_configured',
      `${path ?? 'A file of the SSH settings'} cannot be read (${code ?? 'unknown reason'}).`,
      {
        hint: 'Make it readable for the user that runs the server.',
        cause,
      },
    )
  }
}

function tooFar(): VaultError {
  return new VaultError('not_configured', `The SSH settings lead through more than ${MOST_JUMPS} hosts.`, {
    hint: 'Look for a circle among the ProxyJump lines.',
  })
}
