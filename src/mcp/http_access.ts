import { timingSafeEqual } from 'node:crypto'
import { GuessLimit } from './guess_limit.ts'

export interface AccessOptions {
  /** The address listened on. */
  readonly host: string
  readonly token: string | null
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
  /** Where clients get their tokens (OAuth); null: nowhere that could be told. */
  readonly issuer?: string | null
}

/** Where RFC 9728 has clients look for who gives tokens. */
export const METADATA_PATH = '/.well-known/oauth-protected-resource'

/** Who may ask: the right host name, no foreign web page, the right token. */
export class AccessGate {
  readonly #options: AccessOptions
  readonly #hosts: ReadonlySet<string>
  readonly #guesses = new GuessLimit()

  constructor(options: AccessOptions) {
    this.#options = options
    const own = options.host.includes(':') ? `[${options.host}]` : options.host
    this.#hosts = new Set([...LOOPBACK, own, ...options.allowedHosts].map(hostName))
  }

  /**
   * @param address of who asks, as the socket knows it
   * @param isOpen needs no token
   * @returns the refusal, or null for a request that may pass
   */
  refusal(request: Request, { address, isOpen }: { address: string; isOpen: boolean }): Response | null {
    if (!this.#hosts.has(hostName(request.headers.get('host') ?? '')))
      return plain(403, 'This host name is not served here; OBSIDIAN_HTTP_ALLOWED_HOSTS adds names.')
    const origin = request.headers.get('origin')
    if (origin !== null && !this.#isAllowedOrigin(origin))
      return plain(403, 'This origin may not call the server; OBSIDIAN_HTTP_ALLOWED_ORIGINS adds origins.')
    // A browser asks beforehand, without the token.
    if (this.#options.token === null || isOpen || request.method === 'OPTIONS') return null
    return this.#refusedToken(request, this.#options.token, address)
  }

  #refusedToken(request: Request, token: string, address: string): Response | null {
    if (this.#guesses.isLocked(address)) return tooMany()
    const given = /^Bearer +(.+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
    if (given !== undefined && sameSecret(given, token)) return null
    if (given !== undefined && this.#guesses.failed(address, given)) return tooMany()
    return plain(401, 'A token is needed.', {
      'www-authenticate': this.#challenge(request, given !== undefined),
    })
  }

  #challenge(request: Request, isWrong: boolean): string {
    const parts = [
      ...(isWrong ? ['error="invalid_token"'] : []),
      ...(this.#options.issuer ? [`resource_metadata="${new URL(METADATA_PATH, request.url)}"`] : []),
    ]
    return parts.length === 0 ? 'Bearer' : `Bearer ${parts.join(', ')}`
  }

  /** Which server gives tokens for this one (RFC 9728). */
  metadata(request: Request): Response | null {
    const { issuer } = this.#options
    if (!issuer) return null
    return Response.json({
      resource: new URL('/mcp', request.url).href,
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
    })
  }

  /** What lets a web page of an allowed origin read the answer. */
  corsHeaders(request: Request): Record<string, string> {
    const origin = request.headers.get('origin')
    if (origin === null) return {}
    return {
      'access-control-allow-origin': origin,
      'access-control-expose-headers': 'mcp-session-id, www-authenticate',
      vary: 'origin',
    }
  }

  #isAllowedOrigin(origin: string): boolean {
    if (this.#options.allowedOrigins.includes(origin)) return true
    try {
      const { protocol, hostname } = new URL(origin)
      return (protocol === 'http:' || protocol === 'https:') && LOOPBACK.includes(hostname)
    } catch {
      return false
    }
  }
}

/** What a browser asks before it lets a page of an allowed origin call. */
export function preflight(request: Request): Response {
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-methods': 'GET, POST, DELETE, OPTIONS',
      'access-control-allow-headers': request.headers.get('access-control-request-headers') ?? '*',
      'access-control-max-age': '600',
    },
  })
}

export function plain(status: number, text: string, headers: Record<string, string> = {}): Response {
  return new Response(`${text}\n`, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
  })
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

function hostName(header: string): string {
  return header.trim().toLowerCase().replace(/:\d+$/, '')
}

function tooMany(): Response {
  return plain(429, 'Too many wrong tokens; wait a minute.', { 'retry-after': '60' })
}

/** Compares in a time that tells nothing about the secret. */
function sameSecret(given: string, secret: string): boolean {
  const digest = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(secret))
}
