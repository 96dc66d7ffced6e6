import { afterEach, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { InMemoryServerEventBus, Server } from '@modelcontextprotocol/server'
import { AccessGate, type AccessOptions } from '../../src/mcp/http_access.ts'
import { type EndpointOptions, type HttpServer, openEndpoint } from '../../src/mcp/http_endpoint.ts'

const open: HttpServer[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

function start(options: Partial<EndpointOptions & AccessOptions> = {}): HttpServer {
  const host = '127.0.0.1'
  const access = { host, token: null, allowedHosts: [], allowedOrigins: [], ...options }
  const server = openEndpoint({
    host,
    port: 0,
    gate: new AccessGate(access),
    serverFor: () => {
      const made = new Server({ name: 't', version: '1' }, { capabilities: { tools: { listChanged: true } } })
      made.setRequestHandler('tools/list', async () => ({ tools: [] }))
      return made
    },
    bus: new InMemoryServerEventBus(),
    health: () => ({ status: 'ok' }),
    ...options,
  })
  open.push(server)
  return server
}

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const VERSION = '2025-11-25'
const clientInfo = { name: 't', version: '1' }
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: VERSION, capabilities: {}, clientInfo },
}
const list = { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} }

function post({ url }: HttpServer, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { ...HEADERS, ...headers }, body: JSON.stringify(body) })
}

async function session(server: HttpServer): Promise<Record<string, string>> {
  const response = await post(server, initialize)
  await response.text()
  return { 'mcp-session-id': response.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': VERSION }
}

/** Asks until the answer has this status; a test that waits in vain ends at its time limit. */
async function until(status: number, ask: () => Promise<Response>): Promise<void> {
  while ((await ask()).status !== status) await Bun.sleep(10)
}

describe('sessions', () => {
  test('one that nobody uses expires, and its client is told to begin anew', async () => {
    const server = start({ sessionIdleMs: 40 })
    const own = await session(server)
    await Bun.sleep(100)
    expect((await post(server, list, own)).status).toBe(404)
  })

  test('one with an open stream stays, and goes when the stream does', async () => {
    const server = start({ sessionIdleMs: 40 })
    const own = await session(server)
    const abort = new AbortController()
    const stream = await fetch(server.url, {
      headers: { ...own, accept: 'text/event-stream' },
      signal: abort.signal,
    })
    await Bun.sleep(120)
    expect([stream.status, (await post(server, list, own)).status]).toEqual([200, 200])
    abort.abort()
    await Bun.sleep(100)
    expect((await post(server, list, own)).status).toBe(404)
  })

  test('the one that was silent for longest makes room', async () => {
    const server = start({ maxSessions: 2 })
    const [first, second] = [await session(server), await session(server)]
    await Bun.sleep(5)
    expect((await post(server, list, first)).status).toBe(200)
    const third = await session(server)
    const statuses = await Promise.all(
      [first, second, third].map(async (own) => (await post(server, list, own)).status),
    )
    expect(statuses).toEqual([200, 404, 200])
  })
})

describe('bodies', () => {
  test('what is too large is 413, in both eras', async () => {
    const server = start({ maxBodyBytes: 1000 })
    const large = { ...list, params: { _meta: { filling: 'x'.repeat(2000) } } }
    expect((await post(server, large)).status).toBe(413)
    expect((await post(server, initialize)).status).toBe(200)
  })

  test('what is no JSON is a parse error', async () => {
    const response = await fetch(start().url, { method: 'POST', headers: HEADERS, body: '{' })
    expect([response.status, ((await response.json()) as { error: { code: number } }).error.code]).toEqual([
      400, -32700,
    ])
  })
})

describe('the stateless era on the same address', () => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': clientInfo,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const modern = (method: string, params: object = {}) => ({
    jsonrpc: '2.0',
    id: 7,
    method,
    params: { ...params, _meta },
  })
  const headersFor = (method: string) => ({ 'mcp-protocol-version': '2026-07-28', 'mcp-method': method })

  test('a request needs no session', async () => {
    const response = await post(start(), modern('tools/list'), headersFor('tools/list'))
    expect([response.status, response.headers.get('mcp-session-id')]).toEqual([200, null])
    expect(await response.json()).toMatchObject({ result: { tools: [] } })
  })

  test('subscriptions/listen tells what changes, and nothing that was not asked for', async () => {
    const bus = new InMemoryServerEventBus()
    const server = start({ bus })
    const abort = new AbortController()
    const response = await fetch(server.url, {
      method: 'POST',
      headers: { ...HEADERS, ...headersFor('subscriptions/listen') },
      body: JSON.stringify(modern('subscriptions/listen', { notifications: { toolsListChanged: true } })),
      signal: abort.signal,
    })
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const read = async () => new TextDecoder().decode((await reader.read()).value)
    expect(await read()).toContain('notifications/subscriptions/acknowledged')
    bus.publish({ kind: 'resource_updated', uri: 'note:///a.md' })
    bus.publish({ kind: 'tools_list_changed' })
    expect(await read()).toContain('notifications/tools/list_changed')
    abort.abort()
  })
})

describe('web pages', () => {
  const origin = 'https://pages.example'

  test('of an allowed origin may ask and read', async () => {
    const server = start({ allowedOrigins: [origin], token: 'correct-horse' })
    const asked = await fetch(server.url, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'mcp-method',
      },
    })
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, origin])
    expect(asked.headers.get('access-control-allow-headers')).toBe('mcp-method')
    const answered = await post(server, initialize, { origin, authorization: 'Bearer correct-horse' })
    expect([answered.status, answered.headers.get('access-control-allow-origin')]).toEqual([200, origin])
  })

  test('of others are told nothing', async () => {
    const refused = await fetch(start().url, { method: 'OPTIONS', headers: { origin } })
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([403, null])
  })
})

describe('https', () => {
  const pem = (name: string) => readFileSync(join(import.meta.dir, '../fixtures/tls', `${name}.pem`), 'utf8')

  test('with a certificate and its key', async () => {
    const server = start({ tls: { cert: pem('cert'), key: pem('key') } })
    expect(server.url).toStartWith('https://')
    const health = server.url.replace('/mcp', '/health')
    const answer = await fetch(health, { tls: { ca: pem('cert') } })
    expect(await answer.json()).toEqual({ status: 'ok' })
  })

  test('what is no certificate ends the start with one line', () => {
    expect(() => start({ tls: { cert: 'x', key: pem('key') } })).toThrow(/certificate/)
  })
})

test('where tokens come from is told without one', async () => {
  const server = start({ token: 'correct-horse', issuer: 'https://issuer.example' })
  const address = server.url.replace('/mcp', '/.well-known/oauth-protected-resource/mcp')
  expect((await fetch(address)).status).toBe(200)
  const bare = start({ token: 'correct-horse' })
  expect((await fetch(bare.url.replace('/mcp', '/.well-known/oauth-protected-resource'))).status).toBe(404)
})

test('a wrong token is 401, too many are 429', async () => {
  const server = start({ token: 'correct-horse' })
  const ask = () => post(server, initialize, { authorization: 'Bearer stale' })
  expect((await ask()).status).toBe(401)
  await until(429, ask)
  expect((await post(server, initialize, { authorization: 'Bearer correct-horse' })).status).toBe(200)
})
