/**
 * Length-prefixed frames between the server and its indexing child: u32 LE length of the JSON head, u32 LE length of
 * the bytes, the head, the bytes.
 */
export interface Frame {
  readonly head: unknown
  readonly bytes: Uint8Array
}

export function encodeFrame(head: unknown, bytes: Uint8Array): Uint8Array[] {
  const json = new TextEncoder().encode(JSON.stringify(head))
  const lengths = new Uint8Array(8)
  const view = new DataView(lengths.buffer)
  view.setUint32(0, json.length, true)
  view.setUint32(4, bytes.length, true)
  return [lengths, json, bytes]
}

/** Cuts a byte stream into frames. A stream that ends inside a frame ends the iteration without it. */
export async function* readFrames(stream: ReadableStream<Uint8Array>): AsyncGenerator<Frame> {
  const pending: Uint8Array[] = []
  let have = 0
  for await (const chunk of stream) {
    pending.push(chunk)
    have += chunk.length
    for (;;) {
      if (have < 8) break
      const start = peek(pending, 8)
      const view = new DataView(start.buffer, start.byteOffset, 8)
      const headLength = view.getUint32(0, true)
      const whole = 8 + headLength + view.getUint32(4, true)
      if (have < whole) break
      const frame = take(pending, whole)
      have -= whole
      yield {
        head: JSON.parse(new TextDecoder().decode(frame.subarray(8, 8 + headLength))),
        // A copy of its own: a segment's numbers must lie at a multiple of their size.
        bytes: new Uint8Array(frame.subarray(8 + headLength)),
      }
    }
  }
}

function peek(pending: Uint8Array[], count: number): Uint8Array {
  const first = pending[0] as Uint8Array
  if (first.length >= count) return first.subarray(0, count)
  const joined = Buffer.concat(pending)
  pending.length = 0
  pending.push(joined)
  return joined.subarray(0, count)
}

function take(pending: Uint8Array[], count: number): Uint8Array {
  const joined = pending.length === 1 ? (pending[0] as Uint8Array) : Buffer.concat(pending)
  pending.length = 0
  if (joined.length > count) pending.push(joined.subarray(count))
  return joined.subarray(0, count)
}
