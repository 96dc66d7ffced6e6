import type { Growable } from './growable.ts'

/**
 * Appends the positions of one term in one field as differences, seven bits a byte, low bits first, the eighth bit
 * saying that more follow.
 * @param positions never descending
 */
export function encodePositions(
  out: Growable<Uint8Array>,
  positions: Uint32Array,
  from: number,
  to: number,
): void {
  out.reserve((to - from) * 5)
  const bytes = out.items
  let at = out.length
  let last = 0
  for (let i = from; i < to; i++) {
    let rest = positions[i]! - last
    last = positions[i]!
    while (rest > 127) {
      bytes[at++] = (rest & 127) | 128
      rest >>>= 7
    }
    bytes[at++] = rest
  }
  out.length = at
}

/** The positions that {@link encodePositions} put into `bytes[from .. to)`, appended to `into`. */
export function decodePositions(bytes: Uint8Array, from: number, to: number, into: number[]): void {
  let position = 0
  let shift = 0
  let difference = 0
  for (let i = from; i < to; i++) {
    const byte = bytes[i]!
    difference |= (byte & 127) << shift
    if (byte > 127) shift += 7
    else {
      position += difference
      into.push(position)
      difference = 0
      shift = 0
    }
  }
}
