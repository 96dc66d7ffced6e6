import { mkdir, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { VaultError } from '../errors.ts'
import type { Limits } from './limits.ts'
import { isFetchable } from './source.ts'

/** What a server said of a file, to ask later whether it is still the same. */
export interface Validators {
  readonly etag: string | null
  readonly modified: string | null
}

export interface DownloadOptions {
  /** Where the bytes go; removed when anything fails. */
  readonly into: string
  readonly limits: Limits
  readonly signal: AbortSignal
  /** Of the copy that is there, where one is. */
  readonly known?: Validators | undefined
  /** What the file begins with, and how its kind is called. */
  readonly begins: Uint8Array
  readonly kind: string
  readonly progress?: (bytes: number) => void
}

/**
 * Fetches a file: within the limits of time and size, over https (plain http on this machine alone), and only if it is
 * another one than the known. Redirects are followed a few times and never from outside into this machine.
 * @returns null where the known copy is still right
 * @throws VaultError `unavailable`, `timeout`, `too_large`, `bad_argument` (an address that may not be fetched)
 */
export async function download(address: string, options: DownloadOptions): Promise<Validators | null> {
  const late = AbortSignal.timeout(options.limits.downloadMs)
  const signal = AbortSignal.any([options.signal, late])
  try {
    const response = await follow(address, signal, options)
    if (response.status === 304) return null
    await receive(response, address, options)
    return { etag: response.headers.get('etag'), modified: response.headers.get('last-modified') }
  } catch (error) {
    await rm(options.into, { force: true })
    if (late.aborted)
      throw fault('timeout', `${shown(address)} took more than ${options.limits.downloadMs / 1000} s.`)
    if (error instanceof VaultError) throw error
    if (options.signal.aborted) throw fault('unavailable', 'The download was given up.')
    throw fault('unavailable', `${shown(address)} broke off or cannot be reached.`, error)
  }
}

async function follow(address: string, signal: AbortSignal, options: DownloadOptions): Promise<Response> {
  const { limits, known } = options
  const headers = new Headers({ accept: '*/*', 'user-agent': 'knap' })
  if (known?.etag) headers.set('if-none-match', known.etag)
  else if (known?.modified) headers.set('if-modified-since', known.modified)
  let url = new URL(address)
  if (!isFetchable(url)) throw forbidden(url)
  for (let hops = 0; hops <= limits.redirects; hops++) {
    const response = await fetch(url.href, { signal, headers, redirect: 'manual' })
    const next = response.headers.get('location')
    if (response.status < 300 || response.status >= 400 || response.status === 304) {
      if (response.status === 200 || (response.status === 304 && known !== undefined)) return response
      throw fault('unavailable', `${shown(address)} answered ${response.status}.`)
    }
    await response.body?.cancel()
    if (next === null || !URL.canParse(next, url.href))
      throw fault('unavailable', `${shown(address)} redirects to nowhere.`)
    const target = new URL(next, url)
    if (!isFetchable(target, url)) throw forbidden(target)
    url = target
  }
  throw fault('unavailable', `${shown(address)} redirects more than ${limits.redirects} times.`)
}

async function receive(response: Response, address: string, options: DownloadOptions): Promise<void> {
  const { into, limits, begins, kind, progress } = options
  const stated = Number(response.headers.get('content-length') ?? 0)
  if (stated > limits.downloadBytes) throw tooLarge(address, limits)
  await mkdir(dirname(into), { recursive: true, mode: 0o700 })
  const file = await open(into, 'w', 0o600)
  try {
    let size = 0
    let head: Uint8Array = new Uint8Array(0)
    for await (const part of (response.body ?? []) as unknown as AsyncIterable<Uint8Array>) {
      size += part.length
      if (size > limits.downloadBytes) throw tooLarge(address, limits)
      if (head.length < begins.length) {
        head = Buffer.concat([head, part.subarray(0, begins.length)])
        if (!startsAlike(head, begins)) throw wrongKind(address, kind, response)
      }
      await file.writeFile(part)
      progress?.(size)
    }
    if (head.length < begins.length) throw wrongKind(address, kind, response)
  } finally {
    await file.close()
  }
}

function startsAlike(head: Uint8Array, begins: Uint8Array): boolean {
  return head.subarray(0, begins.length).every((byte, i) => byte === begins[i])
}

function forbidden(url: URL): VaultError {
  return fault(
    'bad_argument',
    `${shown(url.href)} may not be fetched: only https, plain http on this machine, and never from outside into it.`,
  )
}

function tooLarge(address: string, { downloadBytes }: Limits): VaultError {
  return fault('too_large', `${shown(address)} has more than ${downloadBytes} bytes.`)
}

function wrongKind(address: string, kind: string, { headers }: Response): VaultError {
  const type = headers.get('content-type')
  return fault('unavailable', `${shown(address)} gave no ${kind}${type ? `, but ${type}` : ''}.`)
}

/** Without what may hold a secret. */
function shown(address: string): string {
  return URL.canParse(address) ? `${new URL(address).origin}${new URL(address).pathname}` : 'The address'
}

function fault(code: VaultError['code'], message: string, cause?: unknown): VaultError {
  return new VaultError(code, message, {
    hint: 'Check the address of the corpus and the network; what was indexed before stays.',
    ...(cause === undefined ? {} : { cause }),
  })
}
