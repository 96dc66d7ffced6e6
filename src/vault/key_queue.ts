/** Lets one holder at a time have a key, in the order they asked. */
export class KeyQueue {
  /** Who waits for a key that is held; a key without an entry is free. */
  readonly #waiting = new Map<string, (() => void)[]>()

  /**
   * @param late makes the error when the key does not come free within `timeoutMs`
   * @returns what gives the key on; call it once
   */
  async acquire(key: string, timeoutMs: number, late: () => Error): Promise<() => void> {
    const queue = this.#waiting.get(key)
    if (queue === undefined) {
      this.#waiting.set(key, [])
      return () => this.#release(key)
    }
    await new Promise<void>((resolve, reject) => {
      const go = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(go), 1)
        reject(late())
      }, timeoutMs)
      queue.push(go)
    })
    return () => this.#release(key)
  }

  #release(key: string): void {
    const next = this.#waiting.get(key)?.shift()
    if (next === undefined) this.#waiting.delete(key)
    else next()
  }
}
