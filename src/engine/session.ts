import type { Passing } from './message.ts'

/** What a client has told its engine once and for all, so that another engine can be told the same. */
export class Session {
  #initialize: { readonly id: string; readonly line: Buffer } | null = null
  #isOpen = false
  #initialized: Buffer | null = null
  /** By what they set: the level of the log, a subscription. */
  readonly #settings = new Map<string, Buffer>()
  #replays = 0

  /** A message of the client. */
  passed(passing: Passing, line: Buffer): void {
    if (passing.kind === 'notification' && passing.method === 'notifications/initialized')
      this.#initialized = line
    if (passing.kind !== 'request') return
    const { method, id, uri } = passing
    if (method === 'initialize') {
      this.#initialize = { id, line }
      this.#isOpen = false
    } else if (method === 'logging/setLevel') this.#settings.set(method, line)
    else if (method === 'resources/subscribe') this.#settings.set(`subscribe ${uri}`, line)
    else if (method === 'resources/unsubscribe') this.#settings.delete(`subscribe ${uri}`)
  }

  /** An answer to the client. @param id as JSON */
  answered(id: string): void {
    if (id === this.#initialize?.id) this.#isOpen = true
  }

  /**
   * What a new engine is told first, or null where there is nothing: `first` is to be answered before the rest is sent.
   * Their answers are not for the client.
   */
  replay(): { readonly first: Replayed; readonly rest: readonly Replayed[] } | null {
    if (!this.#isOpen || this.#initialize === null) return null
    const first = this.#anew(this.#initialize.line)
    const initialized = this.#initialized === null ? [] : [{ id: null, line: this.#initialized }]
    return { first, rest: [...initialized, ...[...this.#settings.values()].map((line) => this.#anew(line))] }
  }

  /** The same request under an id that no client uses. */
  #anew(line: Buffer): Replayed {
    const id = `knap-again-${++this.#replays}`
    const message = JSON.parse(line.toString('utf8')) as object
    return { id: JSON.stringify(id), line: Buffer.from(JSON.stringify({ ...message, id })) }
  }
}

export interface Replayed {
  /** As JSON; null: it has no answer. */
  readonly id: string | null
  readonly line: Buffer
}
