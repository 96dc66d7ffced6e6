import type { Welcome } from './greeting.ts'
import { InFlight } from './in_flight.ts'
import { LineReader } from './line_reader.ts'
import { type Link, MAX_MESSAGE_BYTES } from './link.ts'
import { readPassing } from './message.ts'
import { Session } from './session.ts'
import type { Wire } from './wire.ts'

export interface FrontOptions {
  readonly client: Wire
  readonly link: Link
  /** Finds or makes another engine when the one before is gone. */
  readonly next: (before: Welcome) => Promise<Link>
  /** How often (ms) an engine that owes an answer is looked after. */
  readonly lookEveryMs?: number
}

/** So much (bytes) is kept for the next engine before the client has to wait. */
const MOST_HELD_BYTES = 8 * 1024 * 1024
const LOOK_EVERY_MS = 2000
/**
 * An engine that has said nothing for so many looks is asked whether it is there, and counts as gone after so many:
 * its process may have been stopped. Looks are counted, not time: this process may have been asleep itself.
 */
const ASK_AFTER_LOOKS = 2
const GONE_AFTER_LOOKS = 5
/** Who closes the input still gets the answers to what was asked, for so long (ms). */
const LAST_ANSWERS_MS = 1000

/**
 * Stands between a client and the engine that another process runs: messages pass as they are. When the engine ends,
 * the client keeps its session: the next engine is told what the first was, reads are asked again, and changes that
 * were under way are reported and never repeated.
 * @returns when the client is gone. @throws what `next` throws
 */
export function runFront(options: FrontOptions): Promise<void> {
  return new Front(options).run()
}

class Front {
  readonly #options: FrontOptions
  readonly #requests = new LineReader(MAX_MESSAGE_BYTES)
  readonly #inFlight = new InFlight()
  readonly #session = new Session()
  readonly #ended = Promise.withResolvers<void>()
  /** The engine that takes messages; null while another is looked for. */
  #link: Link | null = null
  #isReplaying = false
  #isLooking = false
  /** Answers that are not for the client, and what to do on each. */
  readonly #own = new Map<string, () => void>()
  #held: Buffer[] = []
  #isClosing = false
  /** Looks since the engine was last heard. */
  #silentLooks = 0

  constructor(options: FrontOptions) {
    this.#options = options
  }

  run(): Promise<void> {
    const { client, link } = this.#options
    this.#use(link)
    client.listen({
      data: (chunk) => this.#fromClient(chunk),
      drained: () => this.#link?.resume(),
      closed: () => this.#close(),
    })
    const looking = setInterval(() => this.#look(), this.#options.lookEveryMs ?? LOOK_EVERY_MS)
    return this.#ended.promise.finally(() => {
      clearInterval(looking)
      this.#link?.close()
    })
  }

  #look(): void {
    const link = this.#link
    if (link === null || (this.#inFlight.size === 0 && !this.#isReplaying)) {
      this.#silentLooks = 0
      return
    }
    this.#silentLooks++
    if (this.#silentLooks > GONE_AFTER_LOOKS) link.close()
    else if (this.#silentLooks > ASK_AFTER_LOOKS) link.ask()
  }

  #fromClient(chunk: Buffer): void {
    try {
      for (const line of this.#requests.take(chunk)) this.#pass(line)
    } catch {
      // A line without end: the same that a server of one's own does with it.
      this.#ended.resolve()
    }
  }

  #pass(line: Buffer): void {
    if (line.length === 0) return
    const passing = readPassing(line)
    this.#session.passed(passing, line)
    if (passing.kind === 'notification' && passing.cancels !== null) this.#inFlight.done(passing.cancels)
    const link = this.#isReplaying ? null : this.#link
    if (link === null) {
      this.#held.push(line)
      if (this.#held.reduce((sum, { length }) => sum + length, 0) > MOST_HELD_BYTES)
        this.#options.client.pause()
      return
    }
    const hasRoom = link.send(line)
    if (passing.kind === 'request') this.#inFlight.sent(passing, { line, engine: link, nth: link.sent })
    if (!hasRoom) this.#options.client.pause()
  }

  #use(link: Link): void {
    this.#link = link
    this.#silentLooks = 0
    const replay = this.#session.replay()
    this.#isReplaying = replay !== null
    link.open({
      message: (json, answers) => this.#toClient(json, answers, link),
      bye: (taken) => this.#onBye(link, taken),
      closed: () => this.#onClosed(link),
      heard: () => {
        if (this.#link === link) this.#silentLooks = 0
      },
      drained: () => this.#options.client.resume(),
    })
    if (replay === null) {
      this.#release()
      return
    }
    this.#own.set(replay.first.id as string, () => {
      for (const { id, line } of replay.rest) {
        if (id !== null) this.#own.set(id, () => {})
        link.send(line)
      }
      this.#isReplaying = false
      this.#release()
    })
    link.send(replay.first.line)
  }

  /** Sends what has waited for an engine. */
  #release(): void {
    for (const line of this.#held.splice(0)) this.#pass(line)
    this.#options.client.resume()
  }

  #toClient(json: Buffer, answers: string | null, link: Link): void {
    if (answers !== null) {
      const own = this.#own.get(answers)
      if (own !== undefined) {
        this.#own.delete(answers)
        own()
        return
      }
      this.#session.answered(answers)
      this.#inFlight.done(answers)
    }
    if (!this.#write(json)) link.pause()
    if (this.#isClosing) this.#endWhenAnswered()
  }

  #write(json: Buffer): boolean {
    return this.#options.client.write(Buffer.concat([json, LF]))
  }

  /** The engine finishes what it has taken; the rest is for another one. */
  #onBye(link: Link, taken: number): void {
    this.#held = [...this.#inFlight.untaken(link, taken), ...this.#held]
    this.#leave(link)
  }

  #onClosed(link: Link): void {
    const { again, answers } = this.#inFlight.lost(link, link.welcome.repeatable)
    for (const answer of answers) this.#write(answer)
    this.#held = [...again, ...this.#held]
    if (this.#link === link) this.#leave(link)
    else if (this.#link !== null && !this.#isReplaying) this.#release()
    if (this.#isClosing) this.#endWhenAnswered()
  }

  #leave(link: Link): void {
    if (this.#link !== link) return
    this.#link = null
    this.#isReplaying = false
    this.#own.clear()
    if (this.#isLooking) return
    this.#isLooking = true
    this.#options
      .next(link.welcome)
      .finally(() => {
        this.#isLooking = false
      })
      .then(
        (next) => this.#use(next),
        (error) => this.#ended.reject(error),
      )
  }

  #close(): void {
    if (this.#isClosing) return
    this.#isClosing = true
    setTimeout(() => this.#ended.resolve(), LAST_ANSWERS_MS).unref()
    this.#endWhenAnswered()
  }

  #endWhenAnswered(): void {
    if (this.#inFlight.size === 0 && this.#held.length === 0) this.#ended.resolve()
  }
}

const LF = Buffer.from('\n')
