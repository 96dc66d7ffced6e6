import { InMemoryServerEventBus } from '@modelcontextprotocol/server'
import { publishNews } from './announce.ts'
import { AccessGate, type AccessOptions } from './http_access.ts'
import { type HttpServer, openEndpoint } from './http_endpoint.ts'
import type { ToolSet } from './registry.ts'
import { createServer, type ServeOptions } from './server.ts'

export interface HttpOptions extends Omit<ServeOptions, 'transport' | 'tools'>, AccessOptions {
  /** 0: the system chooses one. */
  readonly port: number
  /** PEM texts; null: plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | null
  /** The tools for a request with this `X-Obsidian-Tools` header. @throws VaultError for one that cannot be read */
  readonly toolsFor: (header: string | null) => ToolSet
  /** What `/health` says beside `status` and `version`. */
  readonly health: () => Record<string, unknown>
}

/** Serves vaults over HTTP. @throws VaultError when the port is taken */
export async function serveOverHttp(options: HttpOptions): Promise<HttpServer> {
  const { vaults, version, isRemote = false, toolsFor, health } = options
  const common = { vaults, version, isRemote, transport: 'http' as const }
  const bus = new InMemoryServerEventBus()
  const endNews = publishNews(bus, vaults, toolsFor(null))
  const server = openEndpoint({
    host: options.host,
    port: options.port,
    tls: options.tls ?? null,
    gate: new AccessGate(options),
    serverFor: (header, { isLasting }) =>
      createServer({ ...common, tools: toolsFor(header), isLasting, isModern: !isLasting }),
    checkHeader: toolsFor,
    bus,
    health: () => ({ status: 'ok', version, ...health() }),
  })
  return {
    ...server,
    close: async () => {
      endNews()
      await server.close()
    },
  }
}
