import type { RepeatableCalls } from './greeting.ts'
import { givenUp, isRepeatable, type PassingRequest, unknownOutcome } from './message.ts'

interface Waiting {
  readonly request: PassingRequest
  readonly line: Buffer
  /** Which engine has it, and as which of its messages (from 1). */
  readonly engine: object
  readonly nth: number
}

/** What becomes of requests whose engine is gone. */
export interface Lost {
  /** To be sent to the next engine, in their order. */
  readonly again: readonly Buffer[]
  /** Answers for the client. */
  readonly answers: readonly Buffer[]
}

/** So many engines may end over one request. */
const MOST_LOSSES = 2

/** The requests of a client that are not answered yet. */
export class InFlight {
  readonly #waiting = new Map<string, Waiting>()
  readonly #losses = new Map<string, number>()

  get size(): number {
    return this.#waiting.size
  }

  /** A message was sent to an engine, as its `nth`. */
  sent(request: PassingRequest, { line, engine, nth }: Omit<Waiting, 'request'>): void {
    this.#waiting.delete(request.id)
    this.#waiting.set(request.id, { request, line, engine, nth })
  }

  /** Nobody waits for it any more: it was answered or called off. */
  done(id: string): void {
    this.#waiting.delete(id)
    this.#losses.delete(id)
  }

  /**
   * What an engine that ends has not taken, for another one: nothing of it was begun.
   * @param taken so many of its messages it has taken
   */
  untaken(engine: object, taken: number): Buffer[] {
    return this.#take((waiting) => waiting.engine === engine && waiting.nth > taken).map(({ line }) => line)
  }

  /** An engine is gone: what may be repeated is, and what may have changed something is not. */
  lost(engine: object, calls: RepeatableCalls): Lost {
    const again: Buffer[] = []
    const answers: Buffer[] = []
    for (const { request, line } of this.#take((waiting) => waiting.engine === engine)) {
      const losses = (this.#losses.get(request.id) ?? 0) + 1
      this.#losses.set(request.id, losses)
      if (!isRepeatable(request, calls)) answers.push(unknownOutcome(request))
      else if (losses > MOST_LOSSES) answers.push(givenUp(request))
      else again.push(line)
    }
    return { again, answers }
  }

  #take(fits: (waiting: Waiting) => boolean): Waiting[] {
    const found = [...this.#waiting].filter(([, waiting]) => fits(waiting))
    for (const [id] of found) this.#waiting.delete(id)
    return found.map(([, waiting]) => waiting)
  }
}
