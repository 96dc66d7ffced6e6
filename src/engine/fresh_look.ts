/** Work that everybody who asks wants to begin after the moment of asking: those who ask while it runs share the next. */
export class FreshLook {
  readonly #work: () => Promise<unknown>
  #running: Promise<void> | null = null
  #next: Promise<void> | null = null

  constructor(work: () => Promise<unknown>) {
    this.#work = work
  }

  /** Resolves when a look that began after this call is done, or after a few seconds. */
  soon(): Promise<void> {
    const look =
      this.#running === null ? this.#begin() : (this.#next ??= this.#running.then(() => this.#begin()))
    return Promise.race([look, Bun.sleep(LONGEST_MS)])
  }

  #begin(): Promise<void> {
    this.#next = null
    const running = this.#work()
      .catch(() => {})
      .then(() => {
        if (this.#running === running) this.#running = null
      })
    this.#running = running
    return running
  }
}

const LONGEST_MS = 3000
