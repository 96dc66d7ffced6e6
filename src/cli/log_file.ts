import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** Bytes of a log file after which the next one begins. */
const MOST_BYTES = 5 * 1024 * 1024
/** Earlier log files that are kept: `.1` is the latest of them. */
const KEPT = 3

/**
 * A log file that never grows without end: a full one becomes `FILE.1`, that one `FILE.2`, and so on.
 * @returns what takes one line with its line end; a full disk loses lines and harms nothing else
 */
export function openLogFile(file: string, mostBytes = MOST_BYTES): (line: string) => void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  let handle = openSync(file, 'a', 0o600)
  let size = fstatSync(handle).size
  return (line) => {
    try {
      if (size >= mostBytes) {
        closeSync(handle)
        for (let i = KEPT; i >= 1; i--) shift(i === 1 ? file : `${file}.${i - 1}`, `${file}.${i}`)
        handle = openSync(file, 'a', 0o600)
        size = 0
      }
      size += writeSync(handle, line)
    } catch {
      // What cannot be logged is not worth ending a server for.
    }
  }
}

function shift(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch {
    // There were fewer of them so far.
  }
}
