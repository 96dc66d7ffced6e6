import { RE2JS } from 're2js'
import { type MatchOptions, matchFile, type NoteMatches } from './regex_match.ts'

/** What the thread is asked: match these files, in this order, until `most` of them matched. */
export interface RegexJob {
  readonly id: number
  readonly pattern: string
  readonly files: readonly Uint8Array<ArrayBuffer>[]
  readonly most: number
  readonly options: MatchOptions
}

export interface RegexAnswer {
  readonly id: number
  /** Indexes into `files` that matched, with what matched there. */
  readonly hits: readonly (readonly [index: number, matches: NoteMatches])[]
  /** What went wrong, or null. */
  readonly error: string | null
}

declare const self: Worker

self.onmessage = (event: MessageEvent<RegexJob>) => {
  const { id, pattern } = event.data
  try {
    self.postMessage({ id, hits: run(event.data), error: null } satisfies RegexAnswer)
  } catch (error) {
    self.postMessage({ id, hits: [], error: `${pattern}: ${error}` } satisfies RegexAnswer)
  }
}

let last: { readonly pattern: string; readonly regex: RE2JS } | undefined

function compiled(pattern: string): RE2JS {
  // The engine builds its automaton while it matches, so the batches of one search share it.
  if (last?.pattern !== pattern) last = { pattern, regex: RE2JS.compile(pattern) }
  return last.regex
}

function run({ pattern, files, most, options }: RegexJob): RegexAnswer['hits'] {
  const regex = compiled(pattern)
  const hits: [number, NoteMatches][] = []
  for (const [index, bytes] of files.entries()) {
    if (hits.length === most) break
    const matches = matchFile(regex, bytes, options)
    if (matches !== null) hits.push([index, matches])
  }
  return hits
}
