import type { Client, SFTPWrapper } from 'ssh2'
import { VaultError } from '../../errors.ts'
import { LostError, lostConnection, StatusError } from './failure.ts'

export interface ChannelOptions {
  /** Longest wait for the answer to one request, in milliseconds. */
  readonly timeoutMs: number
  /** Connections that carry this one, closed with it. */
  readonly below: readonly Client[]
}

type Answer<T> = (error: Error | null | undefined, value?: T) => void

/**
 * One SFTP channel on one connection. Every request is answered: by the server, or with {@link LostError} when the
 * connection goes away or the server says nothing for too long.
 */
export class Channel {
  readonly #client: Client
  readonly #sftp: SFTPWrapper
  readonly #options: ChannelOptions
  readonly #waiting = new Set<(error: Error) => void>()
  readonly #lost = Promise.withResolvers<VaultError>()
  #reason: VaultError | null = null

  constructor(client: Client, sftp: SFTPWrapper, options: ChannelOptions) {
    this.#client = client
    this.#sftp = sftp
    this.#options = options
    // An error that nobody listens to would end the process.
    client.on('error', (error) => this.destroy(lostConnection(words(error))))
    client.on('end', () => this.destroy(lostConnection('the server ended it')))
    client.on('close', () => this.destroy(lostConnection('it was closed')))
    sftp.on('error', (error: Error) => this.destroy(lostConnection(words(error))))
    sftp.on('close', () => this.destroy(lostConnection('the server closed the channel')))
  }

  /** Resolves when the connection is gone, with the reason. */
  get lost(): Promise<VaultError> {
    return this.#lost.promise
  }

  get isLost(): boolean {
    return this.#reason !== null
  }

  /** @throws StatusError, LostError; what `run` throws at once (ssh2 does where an extension is missing) */
  async request<T>(run: (sftp: SFTPWrapper, answer: Answer<T>) => void): Promise<T> {
    if (this.#reason !== null) throw new LostError(this.#reason)
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    this.#waiting.add(reject)
    const { timeoutMs } = this.#options
    const timer = setTimeout(() => this.destroy(silent(timeoutMs)), timeoutMs)
    try {
      run(this.#sftp, (error, value) => (error ? reject(this.#named(error)) : resolve(value as T)))
      return await promise
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(reject)
    }
  }

  /** ssh2 gives the status as a number; without one there was no answer. */
  #named(error: Error): Error {
    const { code } = error as { code?: unknown }
    if (typeof code === 'number') return new StatusError(code, error.message)
    return new LostError(this.#reason ?? lostConnection(error.message))
  }

  /** Ends the connection without asking the server. */
  destroy(reason: VaultError): void {
    if (this.#reason !== null) return
    this.#reason = reason
    for (const client of [this.#client, ...this.#options.below]) client.destroy()
    for (const reject of this.#waiting) reject(new LostError(reason))
    this.#lost.resolve(reason)
  }
}

function silent(ms: number): VaultError {
  return new VaultError('timeout', `The server of the vault did not answer within ${ms / 1000} seconds.`, {
    hint: 'It is connected anew by itself; read the file before repeating a change.',
  })
}

/** What happened in words, without addresses. */
function words(error: Error): string {
  const { code } = error as NodeJS.ErrnoException
  return typeof code === 'string' ? code : error.message
}
