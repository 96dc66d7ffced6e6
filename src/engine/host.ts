import { unlinkSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Transport } from '@modelcontextprotocol/server'
import { log } from '../logger.ts'
import type { LockFiles } from '../vault/lock_files.ts'
import { ClientTransport } from './client_transport.ts'
import { type Greeting, type Hello, readHello, type Welcome } from './greeting.ts'
import { LineReader } from './line_reader.ts'
import { MAX_MESSAGE_BYTES } from './link.ts'
import { removeHints, socketPath } from './place.ts'

/** What an engine decides of a client. */
export interface Admitted {
  readonly welcome: Omit<Welcome, 'state'>
  /** Calls of tools wait for it. */
  readonly ready: Promise<void>
  serve(transport: Transport): void
}

/** Reads a client's settings and says what it may do. */
export type Admit = (hello: Hello) => Admitted | { readonly refused: string }

/** A client says hello within this time (ms), in at most so many bytes. */
const HELLO_MS = 3000
/** What is under way when an engine ends is waited for so long (ms). */
const LEAVE_MS = 1000
/** The name that a host listens under. */
interface Name {
  /** Lets another process take it. */
  free(): void
  /** Removes what leads others there. */
  forget(): void
}

/** Lets other processes of this user join the engine of this process. */
export class Host {
  readonly #server: Server | null
  readonly #name: Name
  readonly #clients = new Set<ClientTransport>()
  readonly #greeted = new Map<Duplex, () => void>()
  #admit: Admit | null = null
  #isGone = false

  private constructor(server: Server | null, name: Name) {
    this.#server = server
    this.#name = name
  }

  /** For clients within this process alone. */
  static alone(): Host {
    return new Host(null, { free: () => {}, forget: () => {} })
  }

  /**
   * Listens under a name that this process holds, at once: who comes before the engine is ready waits. Where nothing
   * can listen nobody else joins.
   */
  static async listen(folder: string, name: string, locks: LockFiles): Promise<Host> {
    const path = socketPath(folder, name)
    const server = createServer()
    try {
      locks.clean()
      // Nobody listens there: whoever does holds the lock.
      if (process.platform !== 'win32') unlinkQuietly(path)
      const host = new Host(server, { free: () => locks.close(), forget: () => removeHints(folder, name) })
      server.on('connection', (stream) => host.accept(stream))
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        server.listen(path, resolve)
      })
      server.on('error', (error) => log.debug('the socket of this engine failed', error))
      server.unref()
      return host
    } catch (error) {
      locks.close()
      log.debug('other processes cannot join this engine', error)
      return Host.alone()
    }
  }

  /** The engine is there: everybody who waits is answered. */
  ready(admit: Admit): void {
    this.#admit = admit
    for (const answer of [...this.#greeted.values()]) answer()
    this.#greeted.clear()
  }

  /** A way to a client, from a socket or within this process. */
  accept(stream: Duplex): void {
    const lines = new LineReader(MAX_MESSAGE_BYTES)
    const timer = setTimeout(() => stream.destroy(), HELLO_MS)
    timer.unref()
    stream.on('error', () => {})
    stream.on('close', () => {
      clearTimeout(timer)
      this.#greeted.delete(stream)
    })
    const onData = (chunk: Buffer) => {
      let first: Buffer | undefined
      let early: Buffer[] = []
      try {
        ;[first, ...early] = lines.take(chunk)
      } catch {
        stream.destroy()
      }
      if (first === undefined) return
      clearTimeout(timer)
      stream.off('data', onData)
      stream.pause()
      const hello = readHello(first)
      if (hello === null) return refuse(stream, 'Another version is asked for.')
      const answer = () => this.#answer(stream, hello, { lines, early })
      if (this.#admit !== null) return answer()
      tell(stream, { state: 'starting' })
      this.#greeted.set(stream, answer)
    }
    stream.on('data', onData)
  }

  #answer(stream: Duplex, hello: Hello, { lines, early }: { lines: LineReader; early: Buffer[] }): void {
    const admitted = this.#isGone || this.#admit === null ? { refused: 'It has ended.' } : this.#admit(hello)
    if ('refused' in admitted) {
      refuse(stream, admitted.refused)
      return
    }
    tell(stream, { state: 'welcome', ...admitted.welcome })
    const transport = new ClientTransport(stream, { lines, early, ready: admitted.ready })
    this.#clients.add(transport)
    stream.on('close', () => this.#clients.delete(transport))
    admitted.serve(transport)
  }

  /** Lets another process take the name, and sends the clients there once what they have asked is answered. */
  async leave(): Promise<void> {
    if (this.#isGone) return
    this.#isGone = true
    this.#server?.close()
    this.#name.free()
    for (const stream of this.#greeted.keys()) stream.destroy()
    if (this.#clients.size === 0) {
      this.#name.forget()
      return
    }
    const left = [...this.#clients].map((client) => client.leave())
    await Promise.race([Promise.all(left), Bun.sleep(LEAVE_MS)])
  }
}

function tell(stream: Duplex, greeting: Greeting): void {
  stream.write(`${JSON.stringify(greeting)}\n`)
}

function refuse(stream: Duplex, why: string): void {
  stream.end(`${JSON.stringify({ state: 'refused', why } satisfies Greeting)}\n`)
  stream.resume()
}

function unlinkQuietly(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // Not there.
  }
}
