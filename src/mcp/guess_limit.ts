/** Wrong tokens of one address are counted over so long (ms). */
const WINDOW_MS = 60_000
/** From the next one on, wrong tokens are answered with the limit. */
const MOST_FAILURES = 10
/**
 * With so many different ones somebody is guessing, and nothing from there is looked at any more. A client that was
 * set up with an old token sends the same one again and again: it locks out nobody else on its machine.
 */
const MOST_GUESSES = 20
/** Addresses that are remembered: a flood from many must not fill the memory. */
const MOST_ADDRESSES = 10_000

interface Record {
  readonly since: number
  failures: number
  /** Hashes: a mistyped token is a secret too. */
  readonly guesses: Set<number | bigint>
}

/** Counts the wrong tokens of each address. */
export class GuessLimit {
  readonly #now: () => number
  readonly #records = new Map<string, Record>()

  /** @param now in ms */
  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Has this address tried so many different tokens that none of it is looked at for now? */
  isLocked(address: string): boolean {
    return (this.#of(address)?.guesses.size ?? 0) >= MOST_GUESSES
  }

  /** A wrong token came. @returns is it one too many? */
  failed(address: string, token: string): boolean {
    const record = this.#of(address) ?? this.#begin(address)
    record.failures++
    if (record.guesses.size < MOST_GUESSES) record.guesses.add(Bun.hash(token))
    return record.failures > MOST_FAILURES
  }

  #of(address: string): Record | undefined {
    const found = this.#records.get(address)
    if (found === undefined || this.#now() - found.since < WINDOW_MS) return found
    this.#records.delete(address)
    return undefined
  }

  #begin(address: string): Record {
    if (this.#records.size >= MOST_ADDRESSES) {
      const oldest = this.#records.keys().next().value
      if (oldest !== undefined) this.#records.delete(oldest)
    }
    const record = { since: this.#now(), failures: 0, guesses: new Set<number | bigint>() }
    this.#records.set(address, record)
    return record
  }
}
