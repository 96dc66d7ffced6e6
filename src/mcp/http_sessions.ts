import { type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { log } from '../logger.ts'

export interface SessionsOptions {
  /** A protocol instance for one session. @param toolsHeader as the first request gave it */
  readonly serverFor: (toolsHeader: string | null) => Server
  /** Of a request's body. */
  readonly maxBodyBytes: number
  /** A session that was not heard of for this long (ms), and holds no stream open, is closed. */
  readonly idleMs: number
  /** When there are as many, the one that was silent for longest makes room for the next. */
  readonly most: number
}

export const TOOLS_HEADER = 'x-obsidian-tools'

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly server: Server
  lastHeard: number
  /** Requests that are being answered, and streams that are open. */
  busy: number
}

/** The sessions of 2025 clients. A tool filter given with `initialize` holds for the whole session. */
export class Sessions {
  readonly #options: SessionsOptions
  readonly #open = new Map<string, Session>()
  readonly #timer: ReturnType<typeof setInterval>

  constructor(options: SessionsOptions) {
    this.#options = options
    this.#timer = setInterval(() => this.#expire(), Math.min(60_000, options.idleMs / 2))
    this.#timer.unref()
  }

  get size(): number {
    return this.#open.size
  }

  /** @param parsedBody of a POST, undefined for the rest */
  async handle(request: Request, parsedBody: unknown): Promise<Response> {
    const id = request.headers.get('mcp-session-id')
    if (id === null) return this.#begin(request, parsedBody)
    const session = this.#open.get(id)
    // 404 tells a client to begin anew: the server was started again, or the session has expired.
    if (!session) return rpcError(404, -32001, 'Session not found')
    session.lastHeard = Date.now()
    session.busy++
    let isDone = false
    const done = () => {
      if (isDone) return
      isDone = true
      session.busy--
      session.lastHeard = Date.now()
    }
    const response = await session.transport.handleRequest(request, given(parsedBody)).catch((error) => {
      done()
      throw error
    })
    // Who listens is there, however long nothing is said.
    if (request.method === 'GET' && response.ok) {
      request.signal.addEventListener('abort', done, { once: true })
      return openStream(response, done)
    }
    done()
    return response
  }

  async #begin(request: Request, parsedBody: unknown): Promise<Response> {
    if (request.method !== 'POST') return rpcError(400, -32000, 'Bad Request: Mcp-Session-Id is missing')
    if (this.#open.size >= this.#options.most) this.#expireOldest()
    const server = this.#options.serverFor(request.headers.get(TOOLS_HEADER))
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      maxRequestBodySize: this.#options.maxBodyBytes,
      onsessioninitialized: (id) => {
        this.#open.set(id, { transport, server, lastHeard: Date.now(), busy: 0 })
      },
      onsessionclosed: (id) => {
        this.#open.delete(id)
      },
    })
    await server.connect(transport)
    const response = await transport.handleRequest(request, given(parsedBody))
    if (transport.sessionId === undefined) await server.close()
    return response
  }

  #expire(): void {
    const before = Date.now() - this.#options.idleMs
    for (const [id, session] of this.#open)
      if (session.busy === 0 && session.lastHeard < before) this.#drop(id, session)
  }

  #expireOldest(): void {
    const oldest = [...this.#open].sort((a, b) => a[1].lastHeard - b[1].lastHeard)[0]
    if (oldest) this.#drop(...oldest)
  }

  #drop(id: string, session: Session): void {
    this.#open.delete(id)
    session.server.close().catch((error) => log.debug('closing a session', error))
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all([...this.#open.values()].map((s) => s.server.close()))
    this.#open.clear()
  }
}

/**
 * The stream of a session, with a comment in front: the head of an answer leaves with its first byte, and a client
 * would wait for the first event to learn that it is connected.
 */
function openStream({ body, status, headers }: Response, onClosed: () => void): Response {
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(': open\n\n')),
    pull: async (controller) => {
      const { value, done } = await reader.read()
      if (value !== undefined) controller.enqueue(value)
      if (!done) return
      onClosed()
      controller.close()
    },
    cancel: async (reason) => {
      onClosed()
      await reader.cancel(reason)
    },
  })
  return new Response(stream, { status, headers })
}

function given(parsedBody: unknown): { parsedBody?: unknown } {
  return parsedBody === undefined ? {} : { parsedBody }
}

export function rpcError(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status })
}
