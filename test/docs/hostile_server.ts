import { type ZipEntry, zipOf } from './zip.ts'

const A: ZipEntry = { name: 'manual-main/en/A.md', text: '# A\nwords of the manual' }

/** An archive that is all right, with an ETag. */
export const GOOD: readonly ZipEntry[] = [A, { name: 'manual-main/de/B.md', text: '# B\nWörter' }]

/** What is asked of the server: paths with the condition, where one came along. */
export interface Asked {
  readonly path: string
  readonly ifNoneMatch: string | null
}

export interface HostileServer {
  readonly url: string
  readonly asked: Asked[]
  /** What `/changing.zip` holds now. */
  content: readonly ZipEntry[]
  /** The path whose answer `/turned.zip` gives. */
  turned: string
  /** What `/prebuilt/manual.knap` gives. */
  prebuilt: Uint8Array<ArrayBuffer>
  stop(): void
}

/** An HTTP server on this machine that serves good and bad archives, each under a path of its own. */
export function hostileServer(): HostileServer {
  const asked: Asked[] = []
  const state = { content: GOOD, turned: '/good.zip', prebuilt: new Uint8Array(0) }
  const zip = (entries: readonly ZipEntry[], headers: Record<string, string> = {}) =>
    new Response(zipOf(entries), { headers: { 'content-type': 'application/zip', ...headers } })
  const answers: Record<string, () => Response> = {
    '/good.zip': () => zip(GOOD),
    '/prebuilt/manual.knap': () => new Response(state.prebuilt),
    '/dated.zip': () => zip(GOOD, { 'last-modified': 'Tue, 01 Dec 2020 00:00:00 GMT' }),
    '/bomb.zip': () => zip([A, { name: 'manual-main/Bomb.md', text: '0'.repeat(3_000_000) }]),
    '/slip.zip': () => zip([A, { name: '../../evil.md', text: 'x' }]),
    '/absolute.zip': () => zip([A, { name: '/etc/evil.md', text: 'x' }]),
    '/links.zip': () => zip([A, { name: 'manual-main/en/L.md', text: '/etc/passwd', mode: 0o120777 }]),
    '/truncated.zip': () => new Response(zipOf([A]).slice(0, -40)),
    '/stalled.zip': () => stalled(),
    '/late.zip': () => stalled(),
    '/page': () =>
      new Response('<html>Not what you want</html>', { headers: { 'content-type': 'text/html' } }),
    '/empty': () => new Response(''),
    '/missing.zip': () => new Response('no', { status: 404 }),
    '/broken.zip': () => new Response('no', { status: 500 }),
    '/nothing': () => new Response(null, { status: 304 }),
    '/large.zip': () => new Response(endless(), { headers: { 'content-type': 'application/zip' } }),
    '/claims.zip': () => new Response(new Uint8Array(3000).fill(80)),
    '/loop': () => redirect('/loop2'),
    '/loop2': () => redirect('/loop'),
    '/moved': () => redirect('/good.zip'),
    '/nowhere': () => new Response(null, { status: 302 }),
    '/outside': () => redirect('http://example.org/a.zip'),
    '/file': () => redirect('file:///etc/passwd'),
  }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request): Response | Promise<Response> {
      const { pathname: path } = new URL(request.url)
      const ifNoneMatch = request.headers.get('if-none-match')
      asked.push({ path, ifNoneMatch })
      if (path === '/silent.zip') return new Promise(() => {})
      if (path === '/changing.zip') {
        const etag = `"${Bun.hash(JSON.stringify(state.content)).toString(36)}"`
        return ifNoneMatch === etag ? new Response(null, { status: 304 }) : zip(state.content, { etag })
      }
      if (path === '/dated.zip' && request.headers.get('if-modified-since'))
        return new Response(null, { status: 304 })
      return answers[path === '/turned.zip' ? state.turned : path]?.() ?? new Response('no', { status: 404 })
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    asked,
    get content() {
      return state.content
    },
    set content(entries) {
      state.content = entries
    },
    get turned() {
      return state.turned
    },
    set turned(path) {
      state.turned = path
    },
    get prebuilt() {
      return state.prebuilt
    },
    set prebuilt(bytes) {
      state.prebuilt = bytes
    },
    stop: () => void server.stop(true),
  }
}

function redirect(location: string): Response {
  return new Response(null, { status: 302, headers: { location } })
}

/** Begins like an archive and then says nothing more. */
function stalled(): Response {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(Buffer.from('PK\x03\x04'))
    },
  })
  return new Response(body, { headers: { 'content-type': 'application/zip' } })
}

function endless(): ReadableStream {
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(Buffer.from('PK\x03\x04'.repeat(256)))
    },
  })
}
