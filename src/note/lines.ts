/** The line end that most lines of a text use; LF where there is none. */
export function eolOf(text: string): '\n' | '\r\n' {
  let lines = 0
  let crlf = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    lines++
    if (text.charCodeAt(at - 1) === 13) crlf++
  }
  return crlf * 2 > lines ? '\r\n' : '\n'
}

/** The same text with every line end turned into `eol`. */
export function withEol(text: string, eol: '\n' | '\r\n'): string {
  const unix = text.includes('\r') ? text.replaceAll('\r\n', '\n') : text
  return eol === '\n' ? unix : unix.replaceAll('\n', '\r\n')
}

/** Offset at which the line that holds `at` begins. */
export function lineStart(text: string, at: number): number {
  return at <= 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1
}

/** Offset of the line end (its CR, where there is one) of the line that holds `at`, or the text's end. */
export function lineStop(text: string, at: number): number {
  const feed = text.indexOf('\n', at)
  if (feed < 0) return text.length
  return feed > at && text.charCodeAt(feed - 1) === 13 ? feed - 1 : feed
}

/** Offset after the line end of the line that holds `at`, or the text's end. */
export function nextLine(text: string, at: number): number {
  const feed = text.indexOf('\n', at)
  return feed < 0 ? text.length : feed + 1
}

/** From 1: the line that holds offset `at`. */
export function lineNumberAt(text: string, at: number): number {
  let line = 1
  for (let feed = text.indexOf('\n'); feed >= 0 && feed < at; feed = text.indexOf('\n', feed + 1)) line++
  return line
}

/** Offset at which each line begins; one more than there are line feeds. */
export function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}
