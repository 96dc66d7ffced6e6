import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** OpenSSH's own server on this machine, for tests, with keys of its own; it serves this user's files. */
export interface Sshd {
  readonly port: number
  readonly user: string
  /** A folder for keys and the like, removed with the server. */
  readonly dir: string
  /** Lines for `known_hosts`, one for each kind of host key. */
  readonly hostKeys: readonly { readonly type: string; readonly line: string }[]
  /** Lets a key in that is made now. @returns its file */
  key(kind: KeyKind, passphrase?: string): string
  stop(): Promise<void>
}

export type KeyKind = 'ed25519' | 'ecdsa' | 'rsa'

const PLACES = ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/opt/homebrew/sbin/sshd', '/usr/bin/sshd']

/** Where the server is, or null with the reason. */
export function findSshd(): { sshd: string } | { reason: string } {
  const found = PLACES.find((place) => existsSync(place)) ?? Bun.which('sshd')
  if (found === null) return { reason: 'there is no sshd on this machine (package openssh-server)' }
  if (Bun.which('ssh-keygen') === null) return { reason: 'there is no ssh-keygen on this machine' }
  return { sshd: found }
}

const SUBSYSTEM = 'internal-sftp'

export async function startSshd(sshd: string): Promise<Sshd> {
  const dir = mkdtempSync(join(tmpdir(), 'knap-sshd-'))
  chmodSync(dir, 0o700)
  // As root the server wants this folder, which its package's service makes when it starts.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  const port = await freePort()
  const hostKeys = (['ed25519', 'ecdsa', 'rsa'] as const).map((kind) => {
    const file = join(dir, `host_${kind}`)
    generate(kind, file)
    const [type = '', key = ''] = readFileSync(`${file}.pub`, 'utf8').split(' ')
    return { type, line: `[127.0.0.1]:${port} ${type} ${key.trim()}`, file }
  })
  const authorized = join(dir, 'authorized_keys')
  writeFileSync(authorized, '', { mode: 0o600 })
  const config = join(dir, 'sshd_config')
  writeFileSync(
    config,
    [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      ...hostKeys.map(({ file }) => `HostKey ${file}`),
      `AuthorizedKeysFile ${authorized}`,
      `PidFile ${join(dir, 'pid')}`,
      'StrictModes no',
      'UsePAM no',
      'PermitRootLogin prohibit-password',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'AllowTcpForwarding yes',
      'MaxStartups 100',
      `Subsystem sftp ${SUBSYSTEM}`,
      '',
    ].join('\n'),
  )
  const child = Bun.spawn([sshd, '-D', '-e', '-f', config], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  await listening(child, port)
  let keys = 0
  return {
    port,
    user: Bun.spawnSync(['id', '-un']).stdout.toString().trim(),
    dir,
    hostKeys,
    key: (kind, passphrase = '') => {
      const file = join(dir, `key_${keys++}_${kind}`)
      generate(kind, file, passphrase)
      writeFileSync(authorized, readFileSync(`${file}.pub`, 'utf8'), { flag: 'a' })
      return file
    },
    stop: async () => {
      child.kill()
      await child.exited
      rmSync(dir, { recursive: true })
    },
  }
}

function generate(kind: KeyKind, file: string, passphrase = ''): void {
  const { exitCode, stderr } = Bun.spawnSync(['ssh-keygen', '-q', '-t', kind, '-N', passphrase, '-f', file])
  if (exitCode !== 0) throw new Error(`ssh-keygen: ${stderr}`)
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Reads the log to its end, since a server whose log nobody reads would stop. */
function listening(child: Bun.Subprocess<'ignore', 'ignore', 'pipe'>, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const read = async () => {
    const decoder = new TextDecoder()
    let said = ''
    for await (const chunk of child.stderr) {
      if (said.length < 10_000) said += decoder.decode(chunk)
      if (said.includes(`listening on 127.0.0.1 port ${port}`)) resolve()
    }
    reject(new Error(`sshd ended: ${said}`))
  }
  void read()
  return promise
}
