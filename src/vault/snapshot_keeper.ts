import { log } from '../logger.ts'
import { type SnapshotContent, saveSnapshot } from './snapshot.ts'

export interface SaveTimes {
  /** Changes are gathered for this long (ms) before the snapshot is written. */
  readonly afterMs: number
  /**
   * From one writing to the next (ms), whatever changes meanwhile: the whole of it is written, and somebody who types
   * changes a note every few seconds. A start reads anew what has changed since.
   */
  readonly everyMs: number
}

const TIMES: SaveTimes = { afterMs: 10_000, everyMs: 300_000 }

/**
 * Writes the snapshot of one vault a while after it changed, and at the end. A failure costs the next start some time,
 * no more.
 */
export class SnapshotKeeper {
  readonly #file: string
  readonly #content: () => Promise<SnapshotContent | undefined>
  #started = false
  #changed = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #saving: Promise<void> = Promise.resolve()
  readonly #times: SaveTimes
  #savedAt = Number.NEGATIVE_INFINITY

  /** @param content what is to be written, taken when nothing is being read; undefined when the vault is closing */
  constructor(file: string, content: () => Promise<SnapshotContent | undefined>, times: SaveTimes = TIMES) {
    this.#file = file
    this.#content = content
    this.#times = times
  }

  /** From now on there is something whole to write. @param changed it differs from what lies on disk */
  start({ changed }: { readonly changed: boolean }): void {
    this.#started = true
    if (changed) this.touch()
    else this.#soon()
  }

  touch(): void {
    this.#changed = true
    this.#soon()
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#save()
  }

  #soon(): void {
    if (this.#timer !== undefined || !this.#changed || !this.#started) return
    const { afterMs, everyMs } = this.#times
    const rest = this.#savedAt + everyMs - performance.now()
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined
        void this.#save()
      },
      Math.max(afterMs, rest),
    )
    this.#timer.unref()
  }

  async #save(): Promise<void> {
    if (!this.#changed || !this.#started) return
    this.#saving = this.#saving.then(async () => {
      this.#changed = false
      this.#savedAt = performance.now()
      const content = await this.#content()
      if (content === undefined) return
      try {
        await saveSnapshot(this.#file, content)
      } catch (error) {
        const why = (error as NodeJS.ErrnoException).code ?? String(error)
        log.warn(`the index snapshot could not be written (${why}); the next start builds it anew`)
      }
    })
    await this.#saving
  }
}
