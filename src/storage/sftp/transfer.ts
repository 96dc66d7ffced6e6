import { VaultError } from '../../errors.ts'
import type { VaultPath } from '../../note/path.ts'
import { limiter } from '../limiter.ts'
import { type Calls, CHUNK } from './calls.ts'

/** Packets of one file that are under way at once. */
const PACKETS_AT_ONCE = 8

/** How often a file may change under our hands before we give up. */
const ATTEMPTS = 3

/**
 * The whole file at an absolute path. All packets of the size that was seen are asked for at once, and one more that
 * must come back empty; where the file has another length by now, it is read again.
 */
export async function readRemote(
  calls: Calls,
  absolute: string,
  { size, path, maxBytes }: { size: number; path: VaultPath; maxBytes: number },
): Promise<Uint8Array> {
  const handle = await calls.open(absolute, 'r')
  try {
    return await readHandle(calls, handle, { size, path, maxBytes })
  } finally {
    calls.closeSoon(handle)
  }
}

/** @throws VaultError `too_large`, `unavailable` (it is being written all the time) */
async function readHandle(
  calls: Calls,
  handle: Buffer,
  { size, path, maxBytes }: { size: number; path: VaultPath; maxBytes: number },
): Promise<Uint8Array> {
  let expected = size
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    if (expected > maxBytes) throw tooLarge(path, expected, maxBytes)
    const limit = limiter(PACKETS_AT_ONCE)
    const parts: Promise<Uint8Array>[] = []
    for (let at = 0; at < expected; at += CHUNK)
      parts.push(limit(() => readExactly(calls, handle, at, Math.min(CHUNK, expected - at))))
    const [rest, ...got] = await Promise.all([calls.read(handle, expected, CHUNK), ...parts])
    const bytes = Buffer.concat(got)
    if (rest.length === 0 && bytes.length === expected) return new Uint8Array(bytes)
    expected = rest.length > 0 ? await lengthFrom(calls, handle, expected + rest.length) : bytes.length
  }
  throw new VaultError('unavailable', `${path} is being written all the time.`, {
    hint: 'Try again in a moment.',
  })
}

/** Servers may send less than was asked for: the rest is asked for again, up to the end of the file. */
async function readExactly(
  calls: Calls,
  handle: Buffer,
  position: number,
  length: number,
): Promise<Uint8Array> {
  let got = await calls.read(handle, position, length)
  while (got.length < length) {
    const more = await calls.read(handle, position + got.length, length - got.length)
    if (more.length === 0) break
    got = Buffer.concat([got, more])
  }
  return got
}

/** The file is longer than was seen. */
async function lengthFrom(calls: Calls, handle: Buffer, from: number): Promise<number> {
  let at = from
  for (;;) {
    const more = await calls.read(handle, at, CHUNK)
    if (more.length === 0) return at
    at += more.length
  }
}

/** Many packets at once; all are answered before the first failure is told. */
export async function writeHandle(calls: Calls, handle: Buffer, bytes: Uint8Array): Promise<void> {
  const limit = limiter(PACKETS_AT_ONCE)
  const parts: Promise<void>[] = []
  for (let at = 0; at < bytes.length; at += CHUNK)
    parts.push(limit(() => calls.write(handle, bytes.subarray(at, at + CHUNK), at)))
  const settled = await Promise.allSettled(parts)
  for (const part of settled) if (part.status === 'rejected') throw part.reason
}

function tooLarge(path: VaultPath, size: number, maxBytes: number): VaultError {
  return new VaultError('too_large', `${path} has ${size} bytes, more than the ${maxBytes} allowed here.`, {
    hint: 'Read a part of it.',
    details: { size, max_bytes: maxBytes },
  })
}
