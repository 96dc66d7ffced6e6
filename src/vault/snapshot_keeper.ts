import { log } from '../logger.ts'
import { type SnapshotContent, saveSnapshot } from './snapshot.ts'

/** Changes are gathered for this long (ms) before the snapshot is written. */
const SAVE_AFTER_MS = 10_000

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

  /** @param content what is to be written, taken when nothing is being read; undefined when the vault is closing */
  constructor(file: string, content: () => Promise<SnapshotContent | undefined>) {
    this.#file = file
    this.#content = content
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
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      void this.#save()
    }, SAVE_AFTER_MS)
    this.#timer.unref()
  }

  async #save(): Promise<void> {
    if (!this.#changed || !this.#started) return
    this.#saving = this.#saving.then(async () => {
      this.#changed = false
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
