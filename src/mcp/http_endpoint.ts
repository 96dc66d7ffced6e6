import {
  createMcpHandler,
  type InMemoryServerEventBus,
  isJsonContentType,
  isLegacyRequest,
  type Server,
} from '@modelcontextprotocol/server'
import { VaultError } from '../errors.ts'
import { log } from '../logger.ts'
import { type AccessGate, METADATA_PATH, plain, preflight } from './http_access.ts'
import { rpcError, Sessions, TOOLS_HEADER } from './http_sessions.ts'

export interface EndpointOptions {
  readonly host: string
  /** 0: the system chooses one. */
  readonly port: number
  /** PEM texts; null: plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | null
  readonly gate: AccessGate
  /**
   * A protocol instance: of a whole session (2025), or of one request (2026-07-28).
   * @throws VaultError for a header that cannot be read
   */
  readonly serverFor: (toolsHeader: string | null, connection: { readonly isLasting: boolean }) => Server
  /** @throws VaultError for a header that cannot be read */
  readonly checkHeader?: (toolsHeader: string) => void
  /** What changes, for `subscriptions/listen`. */
  readonly bus: InMemoryServerEventBus
  /** What `/health` says. */
  readonly health: () => Record<string, unknown>
  readonly maxBodyBytes?: number
  readonly sessionIdleMs?: number
  readonly maxSessions?: number
}

export interface HttpServer {
  readonly port: number
  readonly url: string
  close(): Promise<void>
}

/** 64 MiB: the largest note with its quotes, in JSON. */
const MAX_BODY_BYTES = 64 * 1024 * 1024
const MAX_SESSIONS = 1000
const SESSION_IDLE_MS = 30 * 60_000

/** Serves `/mcp` (2026-07-28 stateless, 2025 with sessions) and `/health`. @throws VaultError when the port is taken */
export function openEndpoint(options: EndpointOptions): HttpServer {
  const { gate, serverFor, bus, maxBodyBytes = MAX_BODY_BYTES } = options
  const sessions = new Sessions({
    serverFor: (header) => serverFor(header, { isLasting: true }),
    maxBodyBytes,
    idleMs: options.sessionIdleMs ?? SESSION_IDLE_MS,
    most: options.maxSessions ?? MAX_SESSIONS,
  })
  const modern = createMcpHandler(
    ({ requestInfo }) => serverFor(requestInfo?.headers.get(TOOLS_HEADER) ?? null, { isLasting: false }),
    {
      legacy: 'reject',
      bus,
      maxRequestBodySize: maxBodyBytes,
      onerror: (e) => log.debug('protocol error', e),
    },
  )
  const mcp = async (request: Request): Promise<Response> => {
    const wrong = wrongHeader(request, options)
    if (wrong) return wrong
    if (request.method !== 'POST') return sessions.handle(request, undefined)
    if (!isJsonContentType(request.headers.get('content-type'))) return plain(415, 'Send application/json.')
    let parsedBody: unknown
    try {
      parsedBody = await request.json()
    } catch {
      return rpcError(400, -32700, 'Parse error: the body is no JSON')
    }
    if (await isLegacyRequest(request, parsedBody)) return sessions.handle(request, parsedBody)
    return modern.fetch(request, { parsedBody })
  }
  const answer = async (request: Request, address: string): Promise<Response> => {
    const { pathname } = new URL(request.url)
    const isMetadata = pathname === METADATA_PATH || pathname === `${METADATA_PATH}/mcp`
    const refused = gate.refusal(request, { address, isOpen: isMetadata || pathname === '/health' })
    if (refused) return refused
    if (pathname === '/health') return Response.json(options.health())
    const metadata = isMetadata ? gate.metadata(request) : null
    if (metadata) return metadata
    if (pathname !== '/mcp') return plain(404, 'Not found. MCP is served at /mcp.')
    return request.method === 'OPTIONS' ? preflight(request) : mcp(request)
  }
  const server = listen(options, maxBodyBytes, async (request, address) => {
    const response = await answer(request, address)
    if (response.status === 403) return response
    for (const [name, value] of Object.entries(gate.corsHeaders(request))) response.headers.set(name, value)
    return response
  })
  const host = options.host.includes(':') ? `[${options.host}]` : options.host
  return {
    port: server.port ?? options.port,
    url: `${options.tls ? 'https' : 'http'}://${host}:${server.port}/mcp`,
    close: async () => {
      await modern.close()
      await sessions.close()
      await server.stop(true)
    },
  }
}

function wrongHeader(request: Request, { checkHeader }: EndpointOptions): Response | null {
  const header = request.headers.get(TOOLS_HEADER)
  if (header === null || !checkHeader) return null
  try {
    checkHeader(header)
    return null
  } catch (error) {
    if (error instanceof VaultError) return plain(400, `${TOOLS_HEADER}: ${error.message} ${error.hint}`)
    throw error
  }
}

function listen(
  { host, port, tls }: EndpointOptions,
  maxBodyBytes: number,
  answer: (request: Request, address: string) => Promise<Response>,
) {
  try {
    return Bun.serve({
      hostname: host,
      port,
      idleTimeout: 0,
      maxRequestBodySize: maxBodyBytes,
      ...(tls ? { tls: { cert: tls.cert, key: tls.key } } : {}),
      fetch: (request, server) => answer(request, server.requestIP(request)?.address ?? ''),
      error: (error) => {
        log.error('a request failed', error)
        return plain(500, 'Internal error.')
      },
    })
  } catch (error) {
    throw cannotListen({ host, port, tls: tls ?? null }, error)
  }
}

function cannotListen({ host, port, tls }: Pick<EndpointOptions, 'host' | 'port' | 'tls'>, error: unknown) {
  const { code, message } = error as NodeJS.ErrnoException
  if (tls && !/^E[A-Z]+$/.test(code ?? '') && /pem|key|cert|ssl|tls/i.test(message)) {
    return new VaultError('unavailable', 'The certificate or its key cannot be used.', {
      hint: 'Give PEM files that belong together with --tls-cert and --tls-key.',
      cause: error,
    })
  }
  const why =
    code === 'EADDRINUSE'
      ? 'is taken by another program'
      : `cannot be listened on (${code ?? 'unknown reason'})`
  return new VaultError('unavailable', `Port ${port} of ${host} ${why}.`, {
    hint: 'Stop that program, or choose another port with --port.',
    cause: error,
  })
}
