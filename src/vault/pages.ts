import { VaultError } from '../errors.ts'

/** Half-open range of raw bytes of one revision of a file. */
export interface ByteRange {
  readonly start_byte: number
  readonly end_byte: number
}

/** Raw bytes of a page that the caller did not limit. */
export const DEFAULT_PAGE_BYTES = 65_536
export const MAX_PAGE_BYTES = 262_144
/** A note up to this size is answered whole where nothing but its path is given. */
export const WHOLE_NOTE_BYTES = 1024 * 1024

export interface Page {
  readonly range: ByteRange
  /** What is left of the asked range, or null. */
  readonly next: ByteRange | null
}

/**
 * Cuts a page of at most `maxBytes` from the asked range, never inside a character: both borders move to the
 * beginning of the character they fall into (the end forward where a single character is larger than the page).
 * @throws VaultError `bad_argument` for a range that is empty or outside the file
 */
export function pageOf(bytes: Uint8Array, asked: ByteRange, maxBytes: number): Page {
  const { start_byte: from, end_byte: to } = asked
  if (from > to || from > bytes.length) {
    throw new VaultError(
      'bad_argument',
      `The range ${from}–${to} does not lie in the file's ${bytes.length} bytes.`,
      {
        hint: 'Take ranges from next_range, from search evidence or from note_inspect, of the same revision.',
      },
    )
  }
  const start = characterStart(bytes, from)
  const stop = Math.min(to, bytes.length)
  let end = stop - start <= maxBytes ? characterStart(bytes, stop) : characterStart(bytes, start + maxBytes)
  if (end === start && stop > start) end = nextCharacter(bytes, start)
  return {
    range: { start_byte: start, end_byte: end },
    next: end < characterStart(bytes, stop) ? { start_byte: end, end_byte: stop } : null,
  }
}

function characterStart(bytes: Uint8Array, at: number): number {
  let i = Math.min(at, bytes.length)
  for (let back = 0; back < 3 && i > 0 && i < bytes.length && isContinuation(bytes[i]); back++) i--
  return i
}

function nextCharacter(bytes: Uint8Array, at: number): number {
  let i = at + 1
  while (i < bytes.length && isContinuation(bytes[i])) i++
  return i
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}
