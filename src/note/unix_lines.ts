/** A text with LF for every CRLF, so that "the end of a line" means the same in both. */
export interface UnixLines {
  readonly text: string
  /** The offset in the original of an offset in `text`; before a line end it stands before its CR. */
  readonly back: (offset: number) => number
}

export function unixLines(original: string): UnixLines {
  if (!original.includes('\r\n')) return { text: original, back: (offset) => offset }
  const text = original.replaceAll('\r\n', '\n')
  const feeds: number[] = []
  for (let at = original.indexOf('\r\n'); at >= 0; at = original.indexOf('\r\n', at + 2)) {
    feeds.push(at - feeds.length)
  }
  return { text, back: (offset) => offset + countBelow(feeds, offset) }
}

/** Does a pattern in RE2 syntax speak of a carriage return itself? */
export function namesReturn(pattern: string): boolean {
  return /\r|\\r|\\x0?[dD]|\\x\{0*[dD]\}|\\015/.test(pattern)
}

/** How many of the ascending numbers are below `limit`. */
function countBelow(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (numbers[middle]! < limit) low = middle + 1
    else high = middle
  }
  return low
}
