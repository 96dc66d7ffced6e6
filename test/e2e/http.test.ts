import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { connect as connectSocket } from 'node:net'
import { type RunningServer, startHttp, type TemporaryVault, temporaryVault } from './clients.ts'

setDefaultTimeout(30_000)

const LEGACY = '2025-11-25'
const ACCEPT = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

let vault: TemporaryVault
let server: RunningServer
beforeAll(async () => {
  vault = temporaryVault({ 'a.md': '# A\n', 'b.md': 'wombat\n' })
  server = await startHttp(vault)
})
afterAll(async () => {
  await server.stop()
  vault.remove()
})

function post(body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return fetch(server.url, { method: 'POST', body: text, headers: { ...ACCEPT, ...headers } })
}

async function messageOf(response: Response) {
  const text = await response.text()
  const data = text.split('\n').filter((line) => line.startsWith('data:'))
  return JSON.parse(data.length > 0 ? data.at(-1)!.slice(5) : text)
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: 't', version: '1' } },
}

async function session(headers: Record<string, string> = {}) {
  const response = await post(initialize, headers)
  const id = response.headers.get('mcp-session-id') ?? ''
  await messageOf(response)
  const own = { 'mcp-session-id': id, 'mcp-protocol-version': LEGACY }
  await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, own)
  return own
}

const list = { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} }
const namesIn = (message: { result: { tools: { name: string }[] } }) =>
  message.result.tools.map((t) => t.name)

describe('sessions of 2025 clients', () => {
  test('a session lives until DELETE; then its id is 404, so that the client begins anew', async () => {
    const own = await session()
    expect((await post(list, own)).status).toBe(200)
    expect((await fetch(server.url, { method: 'DELETE', headers: own })).status).toBe(200)
    expect((await post(list, own)).status).toBe(404)
  })

  test('an unknown session is 404, no session for anything but initialize is 400', async () => {
    expect((await post(list, { 'mcp-session-id': 'nobody', 'mcp-protocol-version': LEGACY })).status).toBe(
      404,
    )
    expect((await post(list, { 'mcp-protocol-version': LEGACY })).status).toBe(400)
  })

  test('GET opens the stream of a session', async () => {
    const own = await session()
    const abort = new AbortController()
    const stream = await fetch(server.url, {
      headers: { ...own, accept: 'text/event-stream' },
      signal: abort.signal,
    })
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    abort.abort()
  })

  test('a hundred sessions at once', async () => {
    const all = await Promise.all(Array.from({ length: 100 }, () => session()))
    expect(new Set(all.map((s) => s['mcp-session-id'])).size).toBe(100)
    const answers = await Promise.all(all.map((own) => post(list, own).then((r) => r.status)))
    expect(new Set(answers)).toEqual(new Set([200]))
  })

  test('the tool filter of initialize holds for the session, whatever later headers say', async () => {
    const own = await session({ 'x-obsidian-tools': 'note_read' })
    expect(namesIn(await messageOf(await post(list, own)))).toEqual(['note_read'])
    const wider = await post(list, { ...own, 'x-obsidian-tools': 'full' })
    expect(namesIn(await messageOf(wider))).toEqual(['note_read'])
  })

  test('a filter that cannot be read is 400', async () => {
    expect((await post(initialize, { 'x-obsidian-tools': 'no-such' })).status).toBe(400)
    expect((await post(initialize, { 'x-obsidian-tools': 'note_read,!note_write' })).status).toBe(400)
  })
})

describe('who may ask', () => {
  /** One request by hand: fetch does not let a Host header through. */
  const statusWith = (headers: Record<string, string>) =>
    new Promise<number>((resolve, reject) => {
      const body = JSON.stringify(initialize)
      const all: Record<string, string> = {
        host: `127.0.0.1:${server.port}`,
        ...ACCEPT,
        connection: 'close',
        'content-length': String(Buffer.byteLength(body)),
        ...headers,
      }
      const head = Object.entries(all)
        .map(([k, v]) => `${k}: ${v}`)
        .join('\r\n')
      const socket = connectSocket(server.port, '127.0.0.1', () =>
        socket.write(`POST /mcp HTTP/1.1\r\n${head}\r\n\r\n${body}`),
      )
      let text = ''
      socket.on('data', (chunk) => {
        text += String(chunk)
        const status = /^HTTP\/1\.1 (\d+)/.exec(text)?.[1]
        if (status !== undefined) {
          socket.destroy()
          resolve(Number(status))
        }
      })
      socket.on('error', reject)
    })

  test.each([
    { headers: {}, status: 200 },
    { headers: { host: 'localhost:1' }, status: 200 },
    { headers: { host: 'evil.example' }, status: 403 },
    { headers: { host: '127.0.0.1.evil.example' }, status: 403 },
    { headers: { origin: 'http://localhost:3000' }, status: 200 },
    { headers: { origin: 'http://evil.example' }, status: 403 },
    { headers: { origin: 'null' }, status: 403 },
    { headers: { origin: 'http://localhost.evil.example' }, status: 403 },
  ])('$headers is $status', async ({ headers, status }) => {
    expect(await statusWith(headers as Record<string, string>)).toBe(status)
  })

  test('a token is asked for where one is set, and never told', async () => {
    const other = temporaryVault({ 'a.md': 'x' })
    const guarded = await startHttp({ ...other, env: { ...other.env, OBSIDIAN_HTTP_TOKEN: 'correct-horse' } })
    const ask = (headers: Record<string, string>) =>
      fetch(guarded.url, {
        method: 'POST',
        body: JSON.stringify(initialize),
        headers: { ...ACCEPT, ...headers },
      })
    const bare = await ask({})
    expect([bare.status, bare.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    expect(await bare.text()).not.toContain('correct-horse')
    expect((await ask({ authorization: 'Bearer wrong' })).status).toBe(401)
    expect((await ask({ authorization: 'Bearer correct-horse' })).status).toBe(200)
    expect((await fetch(guarded.url.replace('/mcp', '/health'))).status).toBe(200)
    await guarded.stop()
    other.remove()
  })
})

describe('other requests', () => {
  test('/health says ok, the version and the number of notes, and no path', async () => {
    const text = await (await fetch(server.url.replace('/mcp', '/health'))).text()
    expect(JSON.parse(text)).toMatchObject({ status: 'ok', notes: 2 })
    expect(text).not.toContain(vault.root)
  })

  test.each(['{not json', '', '[1,2', '5'])('a body %p is refused and the server goes on', async (body) => {
    const { status } = await post(body)
    expect(status >= 400 && status < 500).toBe(true)
    expect((await post(initialize)).status).toBe(200)
  })

  test('another content type is 415, another place 404', async () => {
    expect((await post(initialize, { 'content-type': 'text/plain' })).status).toBe(415)
    expect((await fetch(server.url.replace('/mcp', '/other'))).status).toBe(404)
  })

  test('five megabytes go in and come out', async () => {
    const own = await session()
    const content = `${'0123456789abcdef'.repeat(64)}\n`.repeat(5000)
    const call = (name: string, args: object) =>
      post({ jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name, arguments: args } }, own).then(
        messageOf,
      )
    const written = await call('note_create', { path: 'big.md', content })
    expect(written.result.isError).toBeUndefined()
    const read = await call('note_read', { path: 'big.md', max_bytes: 262_144 })
    expect(read.result.structuredContent.content).toBe(content.slice(0, 262_144))
    await call('note_delete', { path: 'big.md', confirm: true, permanent: true })
  })
})
