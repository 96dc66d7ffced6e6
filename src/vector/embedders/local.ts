import { constants, setPriority } from 'node:os'
import { VaultError } from '../../errors.ts'
import type { Embedder } from '../embedder.ts'
import { readsAsEnglish } from '../language_fit.ts'
import { CHUNK_RULES } from '../limits.ts'
import { BATCH, type EmbedReply, type EmbedRequest } from './local_child.ts'
import type { LocalModel } from './local_models.ts'

export interface LocalOptions {
  readonly model: LocalModel
  /** The folder that holds the model's folder. */
  readonly folder: string
  /** How the embedding child is started; folder and model's name are put behind it. */
  readonly command: readonly string[]
  /** Fingerprint of the weights: another quantisation of a model gives other vectors. */
  readonly weights?: string | undefined
  /** The child ends when it was not needed for this long (ms). */
  readonly idleMs?: number | undefined
}

const IDLE_MS = 60_000
/** Loading the model on a slow disk takes its time (ms). */
const START_MS = 120_000

/** A model on this machine, in a child process of low priority that is started when needed and ends when idle. */
export function localEmbedder(options: LocalOptions): Embedder {
  const { model } = options
  const child = new Child(options)
  const space = `local-${model.name}-${options.weights ?? 'q8'}-${model.dimensions}-${model.pooling}-${model.passagePrefix}`
  const cut = (all: Float32Array, count: number) =>
    Array.from({ length: count }, (_, i) => all.slice(i * model.dimensions, (i + 1) * model.dimensions))
  const embed = async (texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]> => {
    const reply = await child.ask('embed', texts, signal)
    if (!('vectors' in reply)) throw gone('gave no vectors')
    return cut(reply.vectors, texts.length)
  }
  return {
    space,
    identity: `${space}#${model.maxTokens}-${CHUNK_RULES}`,
    batch: BATCH,
    dimensions: model.dimensions,
    // The prefix is part of what the model reads.
    maxTokens: model.maxTokens - (model.passagePrefix === '' ? 0 : 4),
    speaks: (text) => !model.english || readsAsEnglish(text),
    countTokens: async (texts) => {
      const reply = await child.ask('count', texts, new AbortController().signal)
      if (!('counts' in reply)) throw gone('counted nothing')
      return [...reply.counts]
    },
    embedDocuments: (texts, signal) =>
      embed(
        texts.map((t) => model.passagePrefix + t),
        signal,
      ),
    embedQuery: async (text, signal) => (await embed([model.queryPrefix + text], signal))[0] as Float32Array,
    close: async () => child.stop(),
  }
}

interface Waiting {
  readonly resolve: (reply: EmbedReply) => void
  readonly reject: (error: Error) => void
}

/** One run of the child: what waits for it ends with it, and with no other run. */
interface Run {
  readonly process: ReturnType<typeof Bun.spawn>
  readonly waiting: Map<number, Waiting>
  readonly ready: Promise<void>
}

/** The number of the message that says that the model is loaded. */
const LOADED = 0

class Child {
  readonly #options: LocalOptions
  #run: Run | null = null
  #next = LOADED + 1
  #idle: ReturnType<typeof setTimeout> | undefined

  constructor(options: LocalOptions) {
    this.#options = options
  }

  async ask(kind: EmbedRequest['kind'], texts: readonly string[], signal: AbortSignal): Promise<EmbedReply> {
    clearTimeout(this.#idle)
    const run = this.#run ?? this.#start()
    await run.ready
    if (signal.aborted) throw gone('was not needed any more')
    if (this.#run !== run) throw gone('ended')
    const id = this.#next++
    // Waited for with nothing else to do, a process that is not counted would keep Bun's loop spinning.
    run.process.ref()
    try {
      const reply = await new Promise<EmbedReply>((resolve, reject) => {
        run.waiting.set(id, { resolve, reject })
        run.process.send({ id, kind, texts } satisfies EmbedRequest)
      })
      if ('error' in reply) throw gone(`failed: ${reply.error}`)
      return reply
    } finally {
      run.waiting.delete(id)
      if (run.waiting.size === 0) {
        run.process.unref()
        this.#endWhenIdle()
      }
    }
  }

  stop(): void {
    clearTimeout(this.#idle)
    this.#run?.process.kill()
    this.#run = null
  }

  #endWhenIdle(): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.stop(), this.#options.idleMs ?? IDLE_MS)
    this.#idle.unref()
  }

  #start(): Run {
    const { command, folder, model } = this.#options
    const waiting = new Map<number, Waiting>()
    const process = Bun.spawn([...command, folder, model.name], {
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'inherit',
      serialization: 'advanced',
      env: {},
      ipc: (reply: EmbedReply) => waiting.get(reply.id)?.resolve(reply),
      onExit: () => {
        if (this.#run === run) this.#run = null
        for (const { reject } of waiting.values()) reject(gone('ended'))
      },
    })
    lowerPriority(process.pid)
    const loaded = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(gone('did not start in time')), START_MS)
      timer.unref()
      const settle = (act: () => void) => {
        clearTimeout(timer)
        waiting.delete(LOADED)
        act()
      }
      waiting.set(LOADED, { resolve: () => settle(resolve), reject: (error) => settle(() => reject(error)) })
    })
    const ready = loaded.catch((error) => {
      // One that did not come up is started anew by the next question.
      process.kill()
      if (this.#run === run) this.#run = null
      throw error
    })
    const run: Run = { process, waiting, ready }
    this.#run = run
    return run
  }
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // A system that does not let us is no reason not to search.
  }
}

function gone(what: string): VaultError {
  return new VaultError('unavailable', `The local embedding model ${what}.`, {
    hint: 'Try again; search_text works without it.',
  })
}
