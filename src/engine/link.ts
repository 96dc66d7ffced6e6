import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { type Bye, type Hello, readGreeting, type Welcome } from './greeting.ts'
import { LineReader } from './line_reader.ts'

/** The largest message taken, in bytes. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024

/** An engine is given so long (ms) to say anything, and so long to become ready. */
const ANSWER_MS = 3000
const READY_MS = 30_000

/**
 * - `absent`: nobody listens there
 * - `refused`: the engine there is none for this client
 * - `silent`: somebody listens and says nothing: stopped, or too busy
 */
export type NoLink = 'absent' | 'refused' | 'silent'

/** What a link tells. */
export interface LinkEvents {
  /** A message for the client; `answers`: the id of the request that it answers, as JSON. */
  message(json: Buffer, answers: string | null): void
  bye(taken: number): void
  closed(): void
  /** More can be sent. */
  drained(): void
}

/** The way from a client's process to its engine. */
export class Link {
  readonly welcome: Welcome
  readonly #stream: Duplex
  readonly #lines: LineReader
  readonly #early: Buffer[]
  #events: LinkEvents | null = null
  /** Messages sent so far. */
  sent = 0

  constructor(
    stream: Duplex,
    { welcome, lines, early }: { welcome: Welcome; lines: LineReader; early: Buffer[] },
  ) {
    this.#stream = stream
    this.welcome = welcome
    this.#lines = lines
    this.#early = early
  }

  /** Begins to tell. */
  open(events: LinkEvents): void {
    this.#events = events
    for (const line of this.#early.splice(0)) this.#take(line)
    this.#stream.on('data', (chunk: Buffer) => {
      try {
        for (const line of this.#lines.take(chunk)) this.#take(line)
      } catch {
        this.#stream.destroy()
      }
    })
    this.#stream.on('drain', () => events.drained())
    this.#stream.on('end', () => this.#stream.destroy())
    this.#stream.once('close', () => events.closed())
    if (this.#stream.destroyed) events.closed()
    else this.#stream.resume()
  }

  /** @returns false where the engine takes its time: wait for `drained` */
  send(line: Buffer): boolean {
    this.sent++
    return this.#stream.write(Buffer.concat([line, LF]))
  }

  pause(): void {
    this.#stream.pause()
  }

  resume(): void {
    this.#stream.resume()
  }

  close(): void {
    this.#stream.destroy()
  }

  /** `r<id>⇥<answer>`, `n⇥<message>` or `c⇥<word of the engine itself>`. */
  #take(line: Buffer): void {
    const tab = line.indexOf(TAB)
    if (tab < 1 || this.#events === null) return
    const rest = line.subarray(tab + 1)
    if (line[0] === ANSWER) this.#events.message(rest, line.subarray(1, tab).toString('utf8'))
    else if (line[0] === NOTICE) this.#events.message(rest, null)
    else this.#control(rest)
  }

  #control(json: Buffer): void {
    const { state, taken } = JSON.parse(json.toString('utf8')) as Partial<Bye>
    if (state === 'bye' && typeof taken === 'number') this.#events?.bye(taken)
  }
}

const LF = Buffer.from('\n')
const TAB = 0x09
const ANSWER = 'r'.charCodeAt(0)
const NOTICE = 'n'.charCodeAt(0)

/** Asks the engine that listens at a path. */
export async function dial(path: string, hello: Hello): Promise<Link | NoLink> {
  const stream = connect({ path })
  const isThere = await new Promise<boolean>((resolve) => {
    stream.once('connect', () => resolve(true))
    stream.once('error', () => resolve(false))
    stream.once('close', () => resolve(false))
  })
  if (!isThere) return 'absent'
  return await greet(stream, hello)
}

/** Says hello on a way to an engine, and waits until it is ready. */
export function greet(stream: Duplex, hello: Hello): Promise<Link | NoLink> {
  const lines = new LineReader(MAX_MESSAGE_BYTES)
  return new Promise((resolve) => {
    let timer = setTimeout(() => done('silent'), ANSWER_MS)
    const done = (result: Link | NoLink) => {
      clearTimeout(timer)
      stream.off('data', onData)
      stream.off('close', onClose)
      if (typeof result === 'string') stream.destroy()
      else stream.pause()
      resolve(result)
    }
    const onClose = () => done('absent')
    const onData = (chunk: Buffer) => {
      const early = takeQuietly(lines, chunk)
      for (let line = early.shift(); line !== undefined; line = early.shift()) {
        const greeting = readGreeting(line)
        if (greeting?.state === 'welcome') return done(new Link(stream, { welcome: greeting, lines, early }))
        if (greeting?.state !== 'starting') return done('refused')
        clearTimeout(timer)
        timer = setTimeout(() => done('silent'), READY_MS)
      }
    }
    stream.on('error', () => {})
    stream.on('data', onData)
    stream.on('close', onClose)
    stream.write(`${JSON.stringify(hello)}\n`)
  })
}

function takeQuietly(lines: LineReader, chunk: Buffer): Buffer[] {
  try {
    return lines.take(chunk)
  } catch {
    return []
  }
}
