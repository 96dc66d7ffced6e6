import { type Bye, type Hello, readGreeting, type Welcome } from './greeting.ts'
import { LineReader } from './line_reader.ts'
import { connectWire, type Wire } from './wire.ts'

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
  /** Something came. */
  heard(): void
}

/** The way from a client's process to its engine. */
export class Link {
  readonly welcome: Welcome
  readonly #wire: Wire
  /** Lines that came before somebody listened. */
  #early: Buffer[]
  #events: LinkEvents | null = null
  #isClosed = false
  /** Messages sent so far. */
  sent = 0

  constructor(
    wire: Wire,
    { welcome, lines, early }: { welcome: Welcome; lines: LineReader; early: Buffer[] },
  ) {
    this.#wire = wire
    this.welcome = welcome
    this.#early = early
    wire.listen({
      data: (chunk) => {
        this.#events?.heard()
        const taken = linesOf(lines, chunk)
        if (taken === null) wire.close()
        for (const line of taken ?? []) this.#take(line)
      },
      drained: () => this.#events?.drained(),
      closed: () => {
        this.#isClosed = true
        this.#events?.closed()
      },
    })
  }

  /** Begins to tell. */
  open(events: LinkEvents): void {
    this.#events = events
    for (const line of this.#early.splice(0)) this.#take(line)
    if (this.#isClosed) events.closed()
  }

  /** @returns false where the engine takes its time: wait for `drained` */
  send(line: Buffer): boolean {
    this.sent++
    return this.#wire.write(Buffer.concat([line, LF]))
  }

  /** Asks the engine to say something, no matter what: an empty line is no message. */
  ask(): void {
    this.#wire.write(LF)
  }

  pause(): void {
    this.#wire.pause()
  }

  resume(): void {
    this.#wire.resume()
  }

  close(): void {
    this.#wire.close()
  }

  /** `r<id>⇥<answer>`, `n⇥<message>` or `c⇥<word of the engine itself>`. */
  #take(line: Buffer): void {
    if (this.#events === null) {
      this.#early.push(line)
      return
    }
    const tab = line.indexOf(TAB)
    if (tab < 1) return
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
  const wire = await connectWire(path)
  return wire === null ? 'absent' : await greet(wire, hello)
}

/** Says hello on a way to an engine, and waits until it is ready. */
export function greet(wire: Wire, hello: Hello): Promise<Link | NoLink> {
  const lines = new LineReader(MAX_MESSAGE_BYTES)
  return new Promise((resolve) => {
    const silent = () => done('silent')
    let timer = setTimeout(silent, ANSWER_MS)
    let isDone = false
    const done = (result: Link | NoLink) => {
      if (isDone) return
      isDone = true
      clearTimeout(timer)
      if (typeof result === 'string') wire.close()
      resolve(result)
    }
    const data = (chunk: Buffer) => {
      const early = linesOf(lines, chunk) ?? []
      for (let line = early.shift(); line !== undefined; line = early.shift()) {
        const greeting = readGreeting(line)
        if (greeting?.state === 'welcome') return done(new Link(wire, { welcome: greeting, lines, early }))
        if (greeting?.state !== 'starting') return done('refused')
        clearTimeout(timer)
        timer = setTimeout(silent, READY_MS)
      }
    }
    wire.listen({ data, drained: () => {}, closed: () => done('absent') })
    wire.write(Buffer.from(`${JSON.stringify(hello)}\n`))
  })
}

/** Null where a line is longer than anything that is sent. */
function linesOf(lines: LineReader, chunk: Buffer): Buffer[] | null {
  try {
    return lines.take(chunk)
  } catch {
    return null
  }
}
