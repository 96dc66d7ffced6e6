/** Where the lines of a text begin, and which line end most of them use. */
export interface Lines {
  readonly eol: '\n' | '\r\n'
  readonly count: number
  /** Offset at which line `line` (from 1) begins. */
  start(line: number): number
  /** Offset after the line's text, its line end (`\n` or `\r\n`) excluded. */
  end(line: number): number
  /** Line, from 1, that holds the offset. */
  at(offset: number): number
}

/** One pass over the text; every question after it is a binary search. */
export function linesOf(text: string): Lines {
  const starts = startsOf(text)
  let windows = 0
  for (let i = 1; i < starts.length; i++) if (text.charCodeAt(starts[i]! - 2) === 0x0d) windows++
  const count = starts.length
  const start = (line: number) => starts[Math.min(Math.max(line, 1), count) - 1]!
  return {
    eol: windows * 2 > count - 1 ? '\r\n' : '\n',
    count,
    start,
    end(line) {
      if (line >= count) return text.length
      const end = start(line + 1) - 1
      return text.charCodeAt(end - 1) === 0x0d && end > start(line) ? end - 1 : end
    },
    at(offset) {
      let low = 0
      let high = count - 1
      while (low < high) {
        const middle = (low + high + 1) >> 1
        if (starts[middle]! <= offset) low = middle
        else high = middle - 1
      }
      return low + 1
    },
  }
}

function startsOf(text: string): Uint32Array {
  let starts = new Uint32Array(Math.max(16, text.length >> 5))
  let count = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    if (count === starts.length) {
      const longer = new Uint32Array(count * 2)
      longer.set(starts)
      starts = longer
    }
    starts[count++] = at + 1
  }
  return starts.subarray(0, count)
}
