import type { Duplex } from 'node:stream'
import type { AnyAuthMethod, ConnectConfig, SFTPWrapper } from 'ssh2'
import { Client } from 'ssh2'
import { VaultError } from '../../errors.ts'
import { Channel } from './channel.ts'
import { judgeKey, keyTypes } from './host_key.ts'
import { hostName } from './known_hosts.ts'
import type { Target } from './target.ts'

export interface ConnectOptions {
  /** Longest time that connecting may take, logging in included, in milliseconds. */
  readonly timeoutMs: number
  /** Gives up; its reason is what is thrown. */
  readonly signal: AbortSignal
}

/**
 * Connects to a host, through others where its settings say so, and opens the SFTP channel.
 * @throws VaultError `not_configured` (the key is not trusted, nobody may log in so), `unavailable`, `timeout`
 */
export async function connect(target: Target, { timeoutMs, signal }: ConnectOptions): Promise<Channel> {
  const clients: Client[] = []
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(tooLate(target, timeoutMs)), timeoutMs)
  const giveUp = () => late.reject(signal.reason)
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    const work = async () => {
      const client = await reach(target, clients, timeoutMs)
      const sftp = await openSftp(client, target)
      const below = clients.filter((other) => other !== client)
      return new Channel(client, sftp, { timeoutMs, below })
    }
    return await Promise.race([work(), late.promise])
  } catch (error) {
    for (const client of clients) client.destroy()
    throw error
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', giveUp)
  }
}

async function reach(target: Target, clients: Client[], timeoutMs: number): Promise<Client> {
  const { through } = target
  if (through === null) return login(target, null, clients, timeoutMs)
  const carrier = await reach(through, clients, timeoutMs)
  const stream = await new Promise<Duplex>((resolve, reject) => {
    carrier.on('close', () => reject(unreachable(through, 'it ended the connection')))
    carrier.forwardOut('127.0.0.1', 0, target.host, target.port, (error, channel) =>
      error
        ? reject(unreachable(target, `${hostName(through.host, through.port)} does not lead there`))
        : resolve(channel),
    )
  })
  return login(target, stream, clients, timeoutMs)
}

function login(target: Target, sock: Duplex | null, clients: Client[], timeoutMs: number): Promise<Client> {
  const client = new Client()
  clients.push(client)
  let refusal: VaultError | null = null
  return new Promise((resolve, reject) => {
    // The listeners stay: an error that nobody listens to would end the process.
    client.on('error', (error: Error & { level?: string }) => {
      // An agent that does not answer is one way fewer to log in.
      if (error.level !== 'agent') reject(refusal ?? failure(target, error))
    })
    client.on('end', () => reject(refusal ?? unreachable(target, 'it ended the connection')))
    client.on('close', () => reject(refusal ?? unreachable(target, 'it closed the connection')))
    client.on('ready', () => resolve(client))
    const config: ConnectConfig = {
      host: target.host,
      port: target.port,
      username: target.user,
      readyTimeout: timeoutMs,
      keepaliveInterval: Math.max(1000, Math.min(15_000, timeoutMs / 2)),
      keepaliveCountMax: 3,
      hostVerifier: (key: Buffer) => {
        refusal = judgeKey(target.trust, key)
        return refusal === null
      },
      algorithms: { serverHostKey: keyTypes(target.trust) as never },
      authHandler: [...target.credentials.methods] as AnyAuthMethod[],
      ...(sock === null ? {} : { sock: sock as never }),
    }
    try {
      client.connect(config)
    } catch (error) {
      reject(failure(target, error as Error))
    }
  })
}

function openSftp(client: Client, target: Target): Promise<SFTPWrapper> {
  return new Promise((resolve, reject) => {
    client.on('close', () => reject(unreachable(target, 'it closed the connection')))
    client.sftp((error, sftp) => {
      if (error) reject(unreachable(target, 'it serves no SFTP'))
      else resolve(sftp)
    })
  })
}

function failure(target: Target, error: Error & { level?: string; code?: unknown }): VaultError {
  if (error.level === 'client-authentication') return notLetIn(target)
  if (error.level === 'client-timeout') return unreachable(target, 'it does not answer')
  const { code } = error
  return unreachable(target, typeof code === 'string' ? code : error.message)
}

function notLetIn({ host, port, user, credentials: { tried } }: Target): VaultError {
  const ways = tried.length === 0 ? 'No key, agent or password was at hand' : `Tried: ${tried.join(', ')}`
  return new VaultError('not_configured', `${hostName(host, port)} does not let ${user} in. ${ways}.`, {
    hint: 'Name a key in OBSIDIAN_SFTP_KEY_FILE or ~/.ssh/config, start an agent, or give OBSIDIAN_SFTP_PASSWORD_FILE.',
  })
}

function unreachable({ host, port }: Target, why: string): VaultError {
  return new VaultError('unavailable', `${hostName(host, port)} cannot be reached (${why}).`, {
    hint: 'Look at its name and port, and whether it runs.',
  })
}

function tooLate({ host, port }: Target, ms: number): VaultError {
  return new VaultError('timeout', `${hostName(host, port)} did not answer within ${ms / 1000} seconds.`, {
    hint: 'Look at its name and port, and whether it runs; OBSIDIAN_SFTP_TIMEOUT_SECS gives it longer.',
  })
}
