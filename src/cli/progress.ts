/** Where progress is shown: standard error, as far as this needs it. */
export interface ProgressStream {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  write(text: string): unknown
}

export interface Progress {
  /** Takes a line; one that says `3 of 10` is a bar on a terminal, and is overwritten by the next one. */
  readonly say: (line: string) => void
  /** Takes the last bar away. */
  readonly end: () => void
}

const BAR = 24

/** On a terminal a bar in one line, elsewhere plain lines. */
export function progressOn(stream: ProgressStream): Progress {
  if (stream.isTTY !== true) return { say: (line) => stream.write(`${line}\n`), end: () => {} }
  let isShown = false
  const clear = () => {
    if (isShown) stream.write('\r\u001b[K')
    isShown = false
  }
  return {
    say: (line) => {
      clear()
      const share = shareIn(line)
      if (share === null) return void stream.write(`${line}\n`)
      const filled = Math.round(share * BAR)
      const text = `${'█'.repeat(filled)}${'░'.repeat(BAR - filled)} ${line}`
      stream.write([...text].slice(0, Math.max(20, (stream.columns ?? 80) - 1)).join(''))
      isShown = true
    },
    end: clear,
  }
}

/** From 0 to 1, where a line names how far something is: `3 of 10`, `1.5 MB of 2.0 MB`. */
function shareIn(line: string): number | null {
  const found = /(\d+(?:\.\d+)?)(?: \w+)? of (\d+(?:\.\d+)?)/.exec(line)
  const [done, all] = [Number(found?.[1]), Number(found?.[2])]
  return found === null || !(all > 0) ? null : Math.min(1, done / all)
}
