import type { Wire, WireEvents } from './wire.ts'

/** Standard input and output as a wire. */
export interface StdioWire extends Wire {
  /** Resolves when everything is written, or can not be written any more. */
  written(): Promise<void>
}

/**
 * Without the streams of `node:stream`, which cost each of many small processes three megabytes. `closed` is told when
 * the input ends, and when nobody reads the output any more.
 */
export function stdioWire(): StdioWire {
  const input = Bun.stdin.stream().getReader()
  const output = Bun.stdout.writer()
  let events: WireEvents | null = null
  let isClosed = false
  let paused: PromiseWithResolvers<void> | null = null
  let waiting: Buffer[] = []
  let writing: Promise<void> | null = null

  const closed = () => {
    if (isClosed) return
    isClosed = true
    events?.closed()
  }
  const readAll = async () => {
    try {
      for (;;) {
        await paused?.promise
        const { done, value } = await input.read()
        if (done) break
        events?.data(Buffer.from(value.buffer, value.byteOffset, value.byteLength))
      }
    } catch {
      // An input that cannot be read has ended.
    }
    closed()
  }
  const writeAll = async () => {
    try {
      while (waiting.length > 0) {
        const bytes = waiting.length === 1 ? (waiting[0] as Buffer) : Buffer.concat(waiting)
        waiting = []
        await output.write(bytes)
        await output.flush()
      }
    } catch {
      waiting = []
      closed()
    }
    writing = null
    events?.drained()
  }

  return {
    listen: (next) => {
      const isFirst = events === null
      events = next
      if (isFirst) void readAll()
      else if (isClosed) next.closed()
    },
    write: (bytes) => {
      waiting.push(bytes)
      writing ??= writeAll()
      return waiting.length < MOST_WAITING
    },
    pause: () => {
      paused ??= Promise.withResolvers()
    },
    resume: () => {
      paused?.resolve()
      paused = null
    },
    close: () => {
      void input.cancel()
      closed()
    },
    written: async () => {
      while (writing !== null) await writing
    },
  }
}

/** So many messages may wait for a slow reader before the engine has to. */
const MOST_WAITING = 64
