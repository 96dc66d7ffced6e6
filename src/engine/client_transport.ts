import type { Duplex } from 'node:stream'
import { deserializeMessage, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/server'
import type { Bye, Here } from './greeting.ts'
import type { LineReader } from './line_reader.ts'

export interface ClientTransportOptions {
  readonly lines: LineReader
  /** What came behind the greeting. */
  readonly early: readonly Buffer[]
  /** Calls of tools wait for it: the vault is as the client left it when it started. */
  readonly ready: Promise<void>
}

/** The engine's end of the way to one client, as the protocol's library wants it. */
export class ClientTransport implements Transport {
  onmessage?: Transport['onmessage']
  onclose?: Transport['onclose']
  onerror?: Transport['onerror']
  readonly #stream: Duplex
  readonly #options: ClientTransportOptions
  /** Our own questions carry it: an answer to what the engine before us has asked is none of ours. */
  readonly #tag = `knap-${crypto.randomUUID().slice(0, 8)}-`
  readonly #questions = new Map<string, string | number>()
  readonly #unanswered = new Set<string | number>()
  #idle: (() => void) | null = null
  #taken = 0
  #isLeaving = false
  #isClosed = false
  #isReady = false
  #waiting: JSONRPCMessage[] = []

  constructor(stream: Duplex, options: ClientTransportOptions) {
    this.#stream = stream
    this.#options = options
  }

  async start(): Promise<void> {
    const ready = () => this.#becomeReady()
    this.#options.ready.then(ready, ready)
    this.#stream.on('close', () => this.#ended())
    this.#stream.on('end', () => this.#stream.destroy())
    this.#stream.on('data', (chunk: Buffer) => {
      try {
        for (const line of this.#options.lines.take(chunk)) this.#take(line)
      } catch (error) {
        this.onerror?.(error as Error)
        this.#stream.destroy()
      }
    })
    for (const line of this.#options.early) this.#take(line)
    this.#stream.resume()
  }

  /** Takes no more messages, says so, and waits until those it has taken are answered. */
  async leave(): Promise<void> {
    if (this.#isClosed) return
    this.#isLeaving = true
    const bye: Bye = { state: 'bye', taken: this.#taken }
    this.#stream.write(`c\t${JSON.stringify(bye)}\n`)
    if (this.#unanswered.size > 0) await new Promise<void>((resolve) => (this.#idle = resolve))
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error('The client is gone.'))
    return new Promise((resolve) => {
      const isTaken = this.#stream.write(this.#onWire(message), () => this.#isLeaving && this.#tellIdle())
      if (isTaken) return resolve()
      const done = () => {
        this.#stream.off('drain', done)
        this.#stream.off('close', done)
        resolve()
      }
      this.#stream.on('drain', done)
      this.#stream.on('close', done)
    })
  }

  async close(): Promise<void> {
    this.#stream.end()
    this.#ended()
  }

  #ended(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#idle?.()
    this.onclose?.()
  }

  #take(line: Buffer): void {
    if (line.length === 0) {
      const here: Here = { state: 'here' }
      this.#stream.write(`c\t${JSON.stringify(here)}\n`)
      return
    }
    if (this.#isLeaving) return
    this.#taken++
    let message: JSONRPCMessage
    try {
      message = deserializeMessage(line.toString('utf8'))
    } catch (error) {
      this.onerror?.(error as Error)
      return
    }
    const own = this.#ownAnswer(message)
    if (own === null) return
    if ('method' in own && 'id' in own) this.#unanswered.add(own.id)
    if ('method' in own && own.method === 'notifications/cancelled') {
      // What is called off is never answered.
      this.#unanswered.delete((own.params as { requestId?: string | number } | undefined)?.requestId ?? '')
    }
    if (this.#waiting.length > 0 || (!this.#isReady && 'method' in own && own.method === 'tools/call'))
      this.#waiting.push(own)
    else this.onmessage?.(own)
  }

  #becomeReady(): void {
    this.#isReady = true
    for (const message of this.#waiting.splice(0)) this.onmessage?.(message)
  }

  /** An answer with the id that we asked under; null where it answers nothing of ours. */
  #ownAnswer(message: JSONRPCMessage): JSONRPCMessage | null {
    if ('method' in message) return message
    const asked = this.#questions.get(String(message.id))
    if (asked === undefined) return null
    this.#questions.delete(String(message.id))
    return { ...message, id: asked }
  }

  #onWire(message: JSONRPCMessage): string {
    if (!('method' in message)) {
      if (message.id !== undefined) this.#unanswered.delete(message.id)
      return `r${JSON.stringify(message.id ?? null)}\t${JSON.stringify(message)}\n`
    }
    return `n\t${JSON.stringify(this.#tagged(message))}\n`
  }

  #tagged(message: JSONRPCMessage): JSONRPCMessage {
    if ('id' in message && message.id !== undefined) {
      const id = `${this.#tag}${message.id}`
      this.#questions.set(id, message.id)
      return { ...message, id }
    }
    const { method, params } = message as { method: string; params?: { requestId?: unknown } }
    if (method !== 'notifications/cancelled') return message
    return {
      ...message,
      params: { ...params, requestId: `${this.#tag}${params?.requestId}` },
    } as JSONRPCMessage
  }

  #tellIdle(): void {
    if (this.#unanswered.size === 0) this.#idle?.()
  }
}
