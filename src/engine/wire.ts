import type { Duplex } from 'node:stream'

/** A way for bytes in both directions: a socket, or a pair of streams within this process. */
export interface Wire {
  /** Says who is told from now on. */
  listen(events: WireEvents): void
  /** @returns false where the other side takes its time: wait for `drained` */
  write(bytes: Buffer): boolean
  pause(): void
  resume(): void
  close(): void
}

export interface WireEvents {
  data(chunk: Buffer): void
  drained(): void
  /** Told once, also where it was closed before somebody listened. */
  closed(): void
}

/**
 * Connects to a socket without `node:net`, whose streams cost each of many small processes three megabytes.
 * @returns null where nobody listens
 */
export async function connectWire(path: string): Promise<Wire | null> {
  let events: WireEvents | null = null
  let isClosed = false
  /** What the system has not taken yet. */
  let rest: Buffer[] = []
  const early: Buffer[] = []
  const closed = () => {
    if (isClosed) return
    isClosed = true
    events?.closed()
  }
  const flush = (socket: Bun.Socket): boolean => {
    while (rest.length > 0) {
      const [first, ...others] = rest as [Buffer, ...Buffer[]]
      const taken = Math.max(0, socket.write(first))
      rest = taken < first.length ? [first.subarray(taken), ...others] : others
      if (taken < first.length) return false
    }
    return true
  }
  try {
    const socket = await Bun.connect({
      unix: path,
      socket: {
        data: (_, chunk) => {
          if (events === null) early.push(Buffer.from(chunk))
          else events.data(chunk)
        },
        drain: (opened) => {
          if (rest.length > 0 && flush(opened)) events?.drained()
        },
        end: (opened) => void opened.end(),
        close: closed,
        error: closed,
      },
    })
    return {
      listen: (next) => {
        events = next
        for (const chunk of early.splice(0)) next.data(chunk)
        if (isClosed) next.closed()
      },
      write: (bytes) => {
        rest.push(bytes)
        return rest.length === 1 && flush(socket)
      },
      pause: () => void socket.pause(),
      resume: () => void socket.resume(),
      close: () => {
        socket.terminate()
        closed()
      },
    }
  } catch {
    return null
  }
}

/** A stream as a wire. */
export function wireOf(stream: Duplex): Wire {
  let events: WireEvents | null = null
  let isClosed = false
  stream.on('error', () => {})
  stream.on('end', () => stream.destroy())
  stream.on('drain', () => events?.drained())
  stream.once('close', () => {
    isClosed = true
    events?.closed()
  })
  return {
    listen: (next) => {
      const isFirst = events === null
      events = next
      if (isFirst) stream.on('data', (chunk: Buffer) => events?.data(chunk))
      if (isClosed) next.closed()
    },
    write: (bytes) => stream.write(bytes),
    pause: () => void stream.pause(),
    resume: () => void stream.resume(),
    close: () => void stream.destroy(),
  }
}
