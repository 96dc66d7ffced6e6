import { RE2JS } from 're2js'
import { VaultError } from '../errors.ts'
import { scanFrontmatter } from './frontmatter.ts'
import { keepFrontmatterInPlace } from './guard.ts'
import { eolOf, lineNumberAt, withEol } from './lines.ts'
import type { TextRange } from './note.ts'
import { expandTemplate } from './replace_template.ts'
import { applySplices } from './splice.ts'
import { namesReturn, unixLines } from './unix_lines.ts'

export interface ReplaceRequest {
  readonly search: string
  /** Taken as it stands; with `regex`, `$1`, `${name}`, `$&` and `$$` have their meaning. `''` deletes. */
  readonly replace: string
  /** The search is a pattern in RE2 syntax (`(?i)`, `(?m)`, `(?s)` work), matched in linear time. */
  readonly regex?: boolean
  /** Default true. */
  readonly matchCase?: boolean
  /** Only where no letter or digit goes on before or after. */
  readonly wholeWord?: boolean
  /** Replace the first so many, or all. */
  readonly count?: number | 'all'
  /** Refuse unless there are exactly so many; then all are replaced (or the first `count`). */
  readonly expectedCount?: number
  /** `body` (default) leaves the property block alone. */
  readonly scope?: 'body' | 'whole'
}

export interface Replacement {
  readonly text: string
  /** Matches that were replaced. */
  readonly count: number
  /** Lines (from 1, before the change) on which they began. */
  readonly lines: readonly number[]
}

/** Longest pattern, in UTF-8 bytes. */
const MAX_PATTERN = 1000

/** Lines that an answer names at most. */
const MAX_LINES = 50

/**
 * Replaces text in a note.
 * @throws VaultError `target_not_found` (no match), `ambiguous` (several and neither `count` nor `expectedCount`, or
 * another number than expected), `bad_argument`, `bad_frontmatter` (the properties would break)
 */
export function replaceInText(text: string, request: ReplaceRequest): Replacement {
  checkCounts(request)
  const eol = eolOf(text)
  const start = request.scope === 'whole' ? 0 : scanFrontmatter(text).bodyStart
  const matches = findMatches(text.slice(start), request, eol)
  if (matches.length === 0) throw notFound(text, request, start)
  const lines = linesOf(text, matches, start)
  checkAmbiguity(matches.length, lines, request)
  const wanted = request.count === undefined || request.count === 'all' ? matches.length : request.count
  const chosen = matches.slice(0, wanted)
  const result = applySplices(
    text,
    chosen.map(({ range, text: replacement }) => ({
      range: { start: start + range.start, end: start + range.end },
      text: replacement,
    })),
  )
  keepFrontmatterInPlace(text, result)
  return { text: result, count: chosen.length, lines: lines.slice(0, chosen.length) }
}

interface Match {
  readonly range: TextRange
  readonly text: string
}

function findMatches(text: string, request: ReplaceRequest, eol: '\n' | '\r\n'): Match[] {
  const { search, regex, matchCase = true } = request
  const replace = withEol(request.replace, eol)
  const found = regex
    ? regexMatches(text, search, replace, matchCase)
    : literalMatches(text, search, matchCase).map((range) => ({ range, text: replace }))
  return request.wholeWord ? found.filter(({ range }) => isWhole(text, range)) : found
}

/** A line end in the search fits either kind. */
function literalMatches(original: string, search: string, matchCase: boolean): TextRange[] {
  const { text, back } = unixLines(original)
  return literalRanges(text, withEol(search, '\n'), matchCase).map(({ start, end }) => ({
    start: back(start),
    end: back(end),
  }))
}

function literalRanges(text: string, search: string, matchCase: boolean): TextRange[] {
  const ranges: TextRange[] = []
  if (matchCase) {
    for (let at = text.indexOf(search); at >= 0; at = text.indexOf(search, at + search.length)) {
      ranges.push({ start: at, end: at + search.length })
    }
    return ranges
  }
  const matcher = compile(RE2JS.quote(search), false).matcher(text)
  while (matcher.find()) ranges.push({ start: matcher.start(), end: matcher.end() })
  return ranges
}

function regexMatches(original: string, pattern: string, template: string, matchCase: boolean): Match[] {
  if (new TextEncoder().encode(pattern).length > MAX_PATTERN) {
    throw new VaultError('bad_argument', `The pattern is longer than ${MAX_PATTERN} bytes.`, {
      hint: 'Search for a shorter part.',
    })
  }
  const compiled = compile(pattern, matchCase)
  const numbers = compiled.namedGroups() as Readonly<Record<string, number>>
  const expand = expandTemplate(template, compiled.groupCount(), Object.keys(numbers))
  // `$` stands before LF alone and `.` fits CR: who writes a pattern means the line, not its CR.
  const { text, back } = namesReturn(pattern) ? unchanged(original) : unixLines(original)
  const matcher = compiled.matcher(text)
  const matches: Match[] = []
  while (matcher.find()) {
    const found = (group: number | string) => {
      const number = typeof group === 'number' ? group : numbers[group]!
      const start = matcher.start(number)
      return start < 0 ? '' : original.slice(back(start), back(matcher.end(number)))
    }
    matches.push({ range: { start: back(matcher.start()), end: back(matcher.end()) }, text: expand(found) })
  }
  return matches
}

function unchanged(text: string) {
  return { text, back: (offset: number) => offset }
}

function compile(pattern: string, matchCase: boolean): RE2JS {
  try {
    return RE2JS.compile(pattern, matchCase ? 0 : RE2JS.CASE_INSENSITIVE)
  } catch (cause) {
    throw new VaultError('bad_argument', `The pattern is not understood: ${(cause as Error).message}`, {
      hint: 'The syntax is RE2: no look-around and no back-references; leave regex out to search for plain text.',
      cause,
    })
  }
}

const WORD = /[\p{L}\p{N}\p{M}_]/u

function isWhole(text: string, { start, end }: TextRange): boolean {
  if (start === end) return true
  const before = lastCharacter(text, start)
  const after = text.codePointAt(end)
  const first = text.codePointAt(start)!
  const last = lastCharacter(text, end)
  const inside = (a: number | undefined, b: number | undefined) =>
    a !== undefined &&
    b !== undefined &&
    WORD.test(String.fromCodePoint(a)) &&
    WORD.test(String.fromCodePoint(b))
  return !inside(before, first) && !inside(last, after)
}

function lastCharacter(text: string, end: number): number | undefined {
  if (end === 0) return undefined
  const low = (text.charCodeAt(end - 1) & 0xfc00) === 0xdc00 && end > 1
  return text.codePointAt(low ? end - 2 : end - 1)
}

function linesOf(text: string, matches: readonly Match[], start: number): number[] {
  const lines: number[] = []
  let line = lineNumberAt(text, start)
  let at = start
  for (const { range } of matches) {
    const to = start + range.start
    for (let feed = text.indexOf('\n', at); feed >= 0 && feed < to; feed = text.indexOf('\n', feed + 1)) {
      line++
      at = feed + 1
    }
    lines.push(line)
  }
  return lines
}

function checkCounts({ search, count, expectedCount }: ReplaceRequest): void {
  const bad = (message: string, hint: string) => new VaultError('bad_argument', message, { hint })
  if (search === '') throw bad('search is empty.', 'Send the text to look for.')
  if (typeof count === 'number' && !(Number.isInteger(count) && count >= 1)) {
    throw bad('count is no whole number from 1.', 'Send a number from 1, or "all".')
  }
  if (expectedCount !== undefined && !(Number.isInteger(expectedCount) && expectedCount >= 1)) {
    throw bad('expected_count is no whole number from 1.', 'Send how many matches there should be.')
  }
}

function checkAmbiguity(
  found: number,
  lines: readonly number[],
  { count, expectedCount }: ReplaceRequest,
): void {
  const shown = lines.slice(0, MAX_LINES)
  const where = `line${found === 1 ? '' : 's'} ${shown.join(', ')}${found > shown.length ? ', …' : ''}`
  const details = { count: found, lines: shown }
  if (expectedCount !== undefined && expectedCount !== found) {
    throw new VaultError('ambiguous', `There are ${found} matches, not ${expectedCount} (${where}).`, {
      hint: `Send expected_count ${found} where that is right, or a longer search text.`,
      details,
    })
  }
  if (found > 1 && count === undefined && expectedCount === undefined) {
    throw new VaultError('ambiguous', `There are ${found} matches (${where}).`, {
      hint: 'Send count: "all" or how many of the first to replace, or a longer search text that fits once.',
      details,
    })
  }
}

function notFound(text: string, request: ReplaceRequest, start: number): VaultError {
  const fits = (other: ReplaceRequest, from: number) =>
    findMatches(text.slice(from), other, eolOf(text)).length > 0
  const hints: string[] = []
  if (start > 1 && fits(request, 0))
    hints.push('It stands in the properties: use the frontmatter tool, or scope: "whole".')
  if (request.wholeWord && fits({ ...request, wholeWord: false }, start))
    hints.push('It stands there as a part of longer words: leave whole_word out.')
  if (request.matchCase !== false && fits({ ...request, matchCase: false }, start))
    hints.push('It stands there in other case: send match_case: false.')
  return new VaultError('target_not_found', `No match for ${JSON.stringify(request.search.slice(0, 100))}.`, {
    hint: hints.join(' ') || 'Read the note and copy the text exactly, blanks and line ends included.',
  })
}
