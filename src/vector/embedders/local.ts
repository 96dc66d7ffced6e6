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

class Child {
  readonly #options: LocalOptions
  readonly #waiting = new Map<number, Waiting>()
  #process: ReturnType<typeof Bun.spawn> | null = null
  #ready: Promise<void> = Promise.resolve()
  #next = 1
  #idle: ReturnType<typeof setTimeout> | undefined

  constructor(options: LocalOptions) {
    this.#options = options
  }

  async ask(kind: EmbedRequest['kind'], texts: readonly string[], signal: AbortSignal): Promise<EmbedReply> {
    clearTimeout(this.#idle)
    if (this.#process === null) this.#start()
    await this.#ready
    if (signal.aborted) throw gone('was not needed any more')
    if (this.#process === null) throw gone('ended')
    const id = this.#next++
    // Waited for with nothing else to do, a process that is not counted would keep Bun's loop spinning.
    this.#process.ref()
    try {
      const reply = await new Promise<EmbedReply>((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject })
        this.#process?.send({ id, kind, texts } satisfies EmbedRequest)
      })
      if ('error' in reply) throw gone(`failed: ${reply.error}`)
      return reply
    } finally {
      this.#waiting.delete(id)
      if (this.#waiting.size === 0) {
        this.#process?.unref()
        this.#endWhenIdle()
      }
    }
  }

  stop(): void {
    clearTimeout(this.#idle)
    this.#process?.kill()
    this.#process = null
  }

  #endWhenIdle(): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.stop(), this.#options.idleMs ?? IDLE_MS)
    this.#idle.unref()
  }

  #start(): void {
    const { command, folder, model } = this.#options
    const child = Bun.spawn([...command, folder, model.name], {
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'inherit',
      serialization: 'advanced',
      env: {},
      ipc: (reply: EmbedReply) => this.#waiting.get(reply.id)?.resolve(reply),
      onExit: () => {
        if (this.#process === child) this.#process = null
        for (const { reject } of this.#waiting.values()) reject(gone('ended'))
      },
    })
    this.#process = child
    lowerPriority(child.pid)
    this.#ready = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(gone('did not start in time')), START_MS)
      timer.unref()
      const settle = (act: () => void) => {
        clearTimeout(timer)
        this.#waiting.delete(0)
        act()
      }
      this.#waiting.set(0, { resolve: () => settle(resolve), reject: (error) => settle(() => reject(error)) })
    })
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
