import { VaultError } from '../../errors.ts'
import { log } from '../../logger.ts'
import type { Connection } from '../storage.ts'
import type { Channel } from './channel.ts'
import { LostError } from './failure.ts'

export interface LinkOptions {
  /** Opens a connection. @throws VaultError; `not_configured` where trying again by itself would not help */
  readonly dial: (signal: AbortSignal) => Promise<Channel>
  /** Longest pause between two attempts, in milliseconds. */
  readonly longestPauseMs?: number
}

/** What has to be done on the next connection before anything else. */
export type Repair = (channel: Channel) => Promise<void>

const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 60_000

/** Keeps one connection: dials when it is needed or was lost, with growing pauses, and says how it stands. */
export class Link {
  readonly #options: LinkOptions
  #channel: Channel | null = null
  #dialling: Promise<Channel> | null = null
  #everConnected = false
  #closed = false
  #failures = 0
  #failedAt = Number.NEGATIVE_INFINITY
  #failure: VaultError | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  #repairs: Repair[] = []
  readonly #abort = new AbortController()

  constructor(options: LinkOptions) {
    this.#options = options
  }

  get status(): Connection {
    const up = this.#channel !== null && !this.#channel.isLost
    const down = this.#everConnected || this.#failure !== null ? 'reconnecting' : 'connecting'
    return {
      state: this.#closed ? 'closed' : up ? 'connected' : down,
      lastError: this.#failure?.message ?? null,
    }
  }

  /** The connection; made where there is none. @throws VaultError at once where that has just failed */
  async channel(): Promise<Channel> {
    if (this.#closed) throw closed()
    if (this.#channel !== null && !this.#channel.isLost) return this.#channel
    const sinceMs = performance.now() - this.#failedAt
    if (this.#dialling === null && this.#failure !== null && sinceMs < FIRST_PAUSE_MS) throw this.#failure
    return await this.#dial()
  }

  /** Done now where a connection stands (the promise waits for it), else as the first thing on the next one. */
  async repair(work: Repair): Promise<void> {
    this.#repairs.push(work)
    if (this.#channel !== null && !this.#channel.isLost) await this.#doRepairs(this.#channel)
  }

  async #doRepairs(channel: Channel): Promise<void> {
    const repairs = this.#repairs
    this.#repairs = []
    for (const repair of repairs) {
      try {
        await repair(channel)
      } catch (error) {
        if (error instanceof LostError) this.#repairs.push(repair)
        else log.debug('something that an interrupted change left could not be put in order', error)
      }
    }
  }

  #dial(): Promise<Channel> {
    clearTimeout(this.#timer)
    this.#dialling ??= this.#connect().finally(() => {
      this.#dialling = null
    })
    return this.#dialling
  }

  async #connect(): Promise<Channel> {
    try {
      const channel = await this.#options.dial(this.#abort.signal)
      await this.#doRepairs(channel)
      if (this.#closed) channel.destroy(closed())
      if (channel.isLost) throw await channel.lost
      this.#take(channel)
      return channel
    } catch (error) {
      const failure = asVaultError(error)
      this.#failures++
      this.#failedAt = performance.now()
      this.#failure = failure
      // A wrong key does not become right by trying, and servers lock out those who keep trying.
      if (failure.code !== 'not_configured' && this.#everConnected) this.#dialLater()
      throw failure
    }
  }

  #take(channel: Channel): void {
    this.#channel = channel
    this.#everConnected = true
    this.#failures = 0
    this.#failure = null
    void channel.lost.then((reason) => {
      if (this.#closed) return
      log.warn(reason.message)
      // Somebody who heard of it earlier may be connecting already, or have connected.
      if (this.#channel !== channel) return
      this.#channel = null
      this.#failure = reason
      if (this.#dialling === null) this.#dialLater()
    })
  }

  #dialLater(): void {
    if (this.#closed) return
    const { longestPauseMs = LONGEST_PAUSE_MS } = this.#options
    const most = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(this.#failures, 20), longestPauseMs)
    // Clients that lost the same server must not come back in the same moment.
    this.#timer = setTimeout(() => void this.#dial().catch(() => {}), most * (0.5 + Math.random() / 2))
    this.#timer.unref()
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    clearTimeout(this.#timer)
    this.#channel?.destroy(closed())
    this.#abort.abort(closed())
    await this.#dialling?.catch(() => {})
  }
}

function closed(): VaultError {
  return new VaultError('unavailable', 'The vault is closed.', { hint: 'Start the server again.' })
}

function asVaultError(error: unknown): VaultError {
  if (error instanceof VaultError) return error
  if (error instanceof LostError) return error.reason
  return new VaultError('unavailable', 'The server of the vault could not be reached.', {
    hint: 'Look at its address and whether it runs.',
    cause: error,
  })
}
