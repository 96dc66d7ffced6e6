/** Splits a stream of bytes at its line ends. */
export class LineReader {
  readonly #mostBytes: number
  #parts: Buffer[] = []
  #size = 0

  /** @param mostBytes the longest line taken */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  /**
   * Takes the next bytes.
   * @returns the lines that they complete, without their ends
   * @throws RangeError for a line that is too long
   */
  take(chunk: Buffer): Buffer[] {
    const lines: Buffer[] = []
    let from = 0
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, from)) {
      this.#keep(chunk.subarray(from, end))
      lines.push(this.#parts.length === 1 ? (this.#parts[0] as Buffer) : Buffer.concat(this.#parts))
      this.#parts = []
      this.#size = 0
      from = end + 1
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from))
    return lines
  }

  #keep(part: Buffer): void {
    this.#size += part.length
    if (this.#size > this.#mostBytes) throw new RangeError(`A line is longer than ${this.#mostBytes} bytes.`)
    this.#parts.push(part)
  }
}

const LF = 0x0a
