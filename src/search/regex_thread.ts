import { VaultError } from '../errors.ts'
import type { RegexAnswer, RegexJob } from './regex_worker.ts'

/** The thread in which patterns are matched: started with the first job, ended when it had none for a while. */
export interface RegexThread {
  /**
   * Runs one job; the files' buffers move to the thread and are empty here afterwards.
   * @throws VaultError `timeout` when the job takes longer than `timeoutMs`: the thread is ended then
   */
  run(job: Omit<RegexJob, 'id'>, timeoutMs: number): Promise<RegexAnswer['hits']>
  readonly running: boolean
  close(): void
}

/** @param idleMs how long the thread (about 10 MB) waits for another search */
export function createRegexThread(idleMs = 10_000): RegexThread {
  let worker: Worker | null = null
  let ids = 0
  let idle: ReturnType<typeof setTimeout> | undefined
  const waiting = new Map<
    number,
    { resolve: (hits: RegexAnswer['hits']) => void; reject: (e: Error) => void }
  >()

  const end = (reason: Error) => {
    clearTimeout(idle)
    worker?.terminate()
    worker = null
    for (const { reject } of waiting.values()) reject(reason)
    waiting.clear()
  }
  const start = (): Worker => {
    const started = new Worker(workerFile(), { ref: false, smol: true })
    started.onmessage = ({ data }: MessageEvent<RegexAnswer>) => {
      const job = waiting.get(data.id)
      waiting.delete(data.id)
      if (data.error === null) job?.resolve(data.hits)
      else job?.reject(new Error(data.error))
    }
    started.onerror = (event) => {
      if (worker === started) end(new Error(`The thread for patterns ended: ${event.message}`))
    }
    return started
  }
  const rest = () => {
    if (waiting.size > 0) return
    worker?.unref()
    idle = setTimeout(() => end(new Error('idle')), idleMs)
    idle.unref()
  }
  return {
    get running() {
      return worker !== null
    },
    async run(job, timeoutMs) {
      clearTimeout(idle)
      const thread = (worker ??= start())
      // While a job runs the process must wait for it; between jobs the thread must not keep it alive.
      thread.ref()
      const id = ++ids
      const hits = new Promise<RegexAnswer['hits']>((resolve, reject) => waiting.set(id, { resolve, reject }))
      thread.postMessage({ ...job, id } satisfies RegexJob, [
        ...new Set(job.files.map((file) => file.buffer)),
      ])
      const timer = setTimeout(() => end(tooSlow()), timeoutMs)
      try {
        return await hits
      } finally {
        clearTimeout(timer)
        rest()
      }
    },
    close: () => end(new Error('closed')),
  }
}

/** A compiled file holds no other file that a thread could begin with: its own beginning sees that it is in a thread. */
function workerFile(): string | URL {
  return import.meta.url.includes('/$bunfs/') || import.meta.url.includes('~BUN')
    ? Bun.main
    : new URL('./regex_worker.ts', import.meta.url)
}

function tooSlow(): VaultError {
  return new VaultError('timeout', 'The pattern took too long on one note.', {
    hint: 'Use a simpler pattern (fewer and smaller repetitions), or search in fewer notes with path.',
  })
}
