import { timingSafeEqual } from 'node:crypto'
import {
  createMcpHandler,
  InMemoryServerEventBus,
  isJsonContentType,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { VaultError } from '../errors.ts'
import { log } from '../logger.ts'
import type { ToolSet } from './registry.ts'
import { createServer, type ServeOptions } from './server.ts'

export interface HttpOptions extends Omit<ServeOptions, 'transport' | 'tools'> {
  readonly host: string
  /** 0: the system chooses one. */
  readonly port: number
  readonly token: string | null
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
  /** The tools for a request with this `X-Obsidian-Tools` header. @throws VaultError for one that cannot be read */
  readonly toolsFor: (header: string | null) => ToolSet
  /** What `/health` says beside `status` and `version`. */
  readonly health: () => Record<string, unknown>
}

export interface HttpServer {
  readonly port: number
  readonly url: string
  close(): Promise<void>
}

const MAX_BODY_BYTES = 64 * 1024 * 1024
const MAX_SESSIONS = 1000
/** A session that was not heard of for this long (ms) is closed. */
const SESSION_IDLE_MS = 30 * 60_000

/** Serves `/mcp` (2026-07-28 stateless, 2025 with sessions) and `/health`. @throws VaultError when the port is taken */
export async function serveOverHttp(options: HttpOptions): Promise<HttpServer> {
  const sessions = new Sessions(options)
  const bus = new InMemoryServerEventBus()
  const modern = createMcpHandler(
    (context) =>
      createServer({
        ...options,
        transport: 'http',
        tools: options.toolsFor(context.requestInfo?.headers.get(TOOLS_HEADER) ?? null),
      }),
    {
      legacy: 'reject',
      bus,
      maxRequestBodySize: MAX_BODY_BYTES,
      onerror: (e) => log.debug('protocol error', e),
    },
  )
  const answer = async (request: Request): Promise<Response> => {
    const refused = refusal(request, options)
    if (refused) return refused
    const { pathname } = new URL(request.url)
    if (pathname === '/health')
      return Response.json({ status: 'ok', version: options.version, ...options.health() })
    if (pathname !== '/mcp') return new Response('Not found. MCP is served at /mcp.\n', { status: 404 })
    try {
      options.toolsFor(request.headers.get(TOOLS_HEADER))
    } catch (error) {
      if (error instanceof VaultError) return plain(400, `${TOOLS_HEADER}: ${error.message} ${error.hint}`)
      throw error
    }
    if (request.method !== 'POST') return sessions.handle(request)
    if (!isJsonContentType(request.headers.get('content-type'))) return plain(415, 'Send application/json.')
    if (await isLegacyRequest(request, undefined, { maxRequestBodySize: MAX_BODY_BYTES }))
      return sessions.handle(request)
    return modern.fetch(request)
  }
  const server = listen(options, answer)
  return {
    port: server.port ?? options.port,
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${server.port}/mcp`,
    close: async () => {
      await modern.close()
      await sessions.close()
      await server.stop(true)
    },
  }
}

const TOOLS_HEADER = 'x-obsidian-tools'

function listen({ host, port }: HttpOptions, answer: (request: Request) => Promise<Response>) {
  try {
    return Bun.serve({
      hostname: host,
      port,
      idleTimeout: 0,
      maxRequestBodySize: MAX_BODY_BYTES,
      fetch: answer,
      error: (error) => {
        log.error('a request failed', error)
        return plain(500, 'Internal error.')
      },
    })
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    const why =
      code === 'EADDRINUSE'
        ? 'is taken by another program'
        : `cannot be listened on (${code ?? 'unknown reason'})`
    throw new VaultError('unavailable', `Port ${port} of ${host} ${why}.`, {
      hint: 'Stop that program, or choose another port with --port.',
      cause: error,
    })
  }
}

function plain(status: number, text: string, headers: Record<string, string> = {}): Response {
  return new Response(`${text}\n`, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
  })
}

/** Who may ask: the right host name, no foreign web page, the right token. */
function refusal(request: Request, options: HttpOptions): Response | null {
  const host = hostName(request.headers.get('host') ?? '')
  if (!allowedHostNames(options).has(host)) return plain(403, 'This host name is not served here.')
  const origin = request.headers.get('origin')
  if (origin !== null && !isAllowedOrigin(origin, options))
    return plain(403, 'This origin may not call the server.')
  if (options.token === null || new URL(request.url).pathname === '/health') return null
  const given = /^Bearer +(.+)$/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? ''
  return sameSecret(given, options.token)
    ? null
    : plain(401, 'A token is needed.', { 'www-authenticate': 'Bearer' })
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

function allowedHostNames({ host, allowedHosts }: HttpOptions): Set<string> {
  const own = host.includes(':') ? `[${host}]` : host
  return new Set([...LOOPBACK, own, ...allowedHosts].map((h) => hostName(h)))
}

function hostName(header: string): string {
  return header.trim().toLowerCase().replace(/:\d+$/, '')
}

function isAllowedOrigin(origin: string, { allowedOrigins }: HttpOptions): boolean {
  if (allowedOrigins.includes(origin)) return true
  try {
    const { protocol, hostname } = new URL(origin)
    return (protocol === 'http:' || protocol === 'https:') && LOOPBACK.includes(hostname)
  } catch {
    return false
  }
}

/** Compares in a time that tells nothing about the secret. */
function sameSecret(given: string, secret: string): boolean {
  const digest = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(secret))
}

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly server: Server
  lastHeard: number
}

/** The sessions of 2025 clients. A tool filter given with `initialize` holds for the whole session. */
class Sessions {
  readonly #options: HttpOptions
  readonly #open = new Map<string, Session>()
  readonly #timer: ReturnType<typeof setInterval>

  constructor(options: HttpOptions) {
    this.#options = options
    this.#timer = setInterval(() => this.#expire(), 60_000)
    this.#timer.unref()
  }

  async handle(request: Request): Promise<Response> {
    const id = request.headers.get('mcp-session-id')
    if (id === null) return this.#begin(request)
    const session = this.#open.get(id)
    if (!session) return rpcError(404, -32001, 'Session not found')
    session.lastHeard = Date.now()
    return session.transport.handleRequest(request)
  }

  async #begin(request: Request): Promise<Response> {
    if (this.#open.size >= MAX_SESSIONS) this.#expireOldest()
    const { toolsFor } = this.#options
    const server = createServer({
      ...this.#options,
      transport: 'http',
      tools: toolsFor(request.headers.get(TOOLS_HEADER)),
    })
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      maxRequestBodySize: MAX_BODY_BYTES,
      enableJsonResponse: false,
      onsessioninitialized: (id) => {
        this.#open.set(id, { transport, server, lastHeard: Date.now() })
      },
      onsessionclosed: (id) => {
        this.#open.delete(id)
      },
    })
    await server.connect(transport)
    const response = await transport.handleRequest(request)
    if (transport.sessionId === undefined) await server.close()
    return response
  }

  #expire(): void {
    const before = Date.now() - SESSION_IDLE_MS
    for (const [id, session] of this.#open) if (session.lastHeard < before) this.#drop(id, session)
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

function rpcError(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status })
}
