import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { download, type Validators } from '../../src/docs/download.ts'
import { LIMITS, type Limits } from '../../src/docs/limits.ts'
import { isFetchable } from '../../src/docs/source.ts'
import { VaultError } from '../../src/errors.ts'
import { GOOD, hostileServer } from './hostile_server.ts'
import { zipOf } from './zip.ts'

const folder = mkdtempSync(join(tmpdir(), 'knap-download-'))
const server = hostileServer()
afterAll(() => {
  server.stop()
  rmSync(folder, { recursive: true, force: true })
})

let files = 0
function fetched(path: string, limits: Partial<Limits> = {}, known?: Validators, signal?: AbortSignal) {
  const into = join(folder, 'sub', `${files++}.part`)
  const result = download(/^[a-z]+:/.test(path) ? path : server.url + path, {
    into,
    limits: { ...LIMITS, ...limits },
    signal: signal ?? new AbortController().signal,
    begins: Buffer.from('PK'),
    kind: 'ZIP archive',
    ...(known ? { known } : {}),
  })
  return { into, result }
}

describe('what arrives', () => {
  test.each(['/good.zip', '/moved'])('%s', async (path) => {
    const { into, result } = fetched(path)
    expect(await result).toEqual({ etag: null, modified: null })
    expect(new Uint8Array(readFileSync(into))).toEqual(new Uint8Array(zipOf(GOOD)))
  })

  test('a file that has not changed is not sent again', async () => {
    const first = await fetched('/changing.zip').result
    expect(first?.etag).toMatch(/^"/)
    const { into, result } = fetched('/changing.zip', {}, first as Validators)
    expect(await result).toBeNull()
    expect(existsSync(into)).toBe(false)
    server.content = GOOD.slice(1)
    expect((await fetched('/changing.zip', {}, first as Validators).result)?.etag).not.toBe(first?.etag)
  })

  test('without an ETag its date decides', async () => {
    const first = await fetched('/dated.zip').result
    expect(await fetched('/dated.zip', {}, first as Validators).result).toBeNull()
  })
})

describe('what is refused, and leaves nothing behind', () => {
  const cases: { path: string; limits?: Partial<Limits>; code: string; says: RegExp }[] = [
    { path: '/missing.zip', code: 'unavailable', says: /answered 404/ },
    { path: '/broken.zip', code: 'unavailable', says: /answered 500/ },
    { path: '/nothing', code: 'unavailable', says: /answered 304/ },
    { path: '/page', code: 'unavailable', says: /gave no ZIP archive, but text\/html/ },
    { path: '/empty', code: 'unavailable', says: /gave no ZIP archive/ },
    { path: '/stalled.zip', limits: { downloadMs: 100 }, code: 'timeout', says: /more than 0.1 s/ },
    { path: '/silent.zip', limits: { downloadMs: 100 }, code: 'timeout', says: /more than 0.1 s/ },
    {
      path: '/large.zip',
      limits: { downloadBytes: 10_000 },
      code: 'too_large',
      says: /more than 10000 bytes/,
    },
    { path: '/claims.zip', limits: { downloadBytes: 2999 }, code: 'too_large', says: /more than 2999 bytes/ },
    { path: '/loop', code: 'unavailable', says: /redirects more than 5 times/ },
    { path: '/nowhere', code: 'unavailable', says: /redirects to nowhere/ },
    { path: '/outside', code: 'bad_argument', says: /example.org\/a.zip may not be fetched/ },
    { path: '/file', code: 'bad_argument', says: /may not be fetched/ },
    { path: 'http://example.org/a.zip', code: 'bad_argument', says: /may not be fetched/ },
    { path: 'http://127.0.0.1:9/a.zip?token=SECRET', code: 'unavailable', says: /cannot be reached/ },
  ]
  test.each(cases)('$path', async ({ path, limits, code, says }) => {
    const { into, result } = fetched(path, limits)
    const error = await result.catch((e) => e)
    expect(error).toBeInstanceOf(VaultError)
    expect(error.code).toBe(code)
    expect(error.message).toMatch(says)
    expect(error.message).not.toContain('SECRET')
    expect(existsSync(into)).toBe(false)
  })

  test('a download that is given up', async () => {
    const abort = new AbortController()
    const { result } = fetched('/late.zip', {}, undefined, abort.signal)
    abort.abort()
    expect((await result.catch((e) => e)).message).toBe('The download was given up.')
  })
})

test.each([
  { url: 'https://x.org/a', from: undefined, right: true },
  { url: 'http://x.org/a', from: undefined, right: false },
  { url: 'http://localhost:1/a', from: undefined, right: true },
  { url: 'http://[::1]:1/a', from: undefined, right: true },
  { url: 'https://y.org/a', from: 'https://x.org', right: true },
  { url: 'https://127.0.0.1/a', from: 'https://x.org', right: false },
  { url: 'http://127.9.9.9/a', from: 'https://x.org', right: false },
  { url: 'http://127.0.0.1:2/a', from: 'http://127.0.0.1:1', right: true },
  { url: 'http://127.0.0.1.evil.org/a', from: undefined, right: false },
  { url: 'ftp://127.0.0.1/a', from: undefined, right: false },
])('may $url be fetched, from $from? $right', ({ url, from, right }) => {
  expect(isFetchable(new URL(url), from === undefined ? undefined : new URL(from))).toBe(right)
})
