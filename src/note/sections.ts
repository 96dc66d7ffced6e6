import { VaultError } from '../errors.ts'
import { nearest } from '../text/nearest.ts'
import { headingText } from './headings.ts'
import type { Block, Heading, ParsedNote } from './note.ts'

/** Which of several headings that fit is meant. */
export interface HeadingChoice {
  /** From 1, among the headings that fit the target, in the order of the note. */
  readonly occurrence?: number | undefined
  /** Line of the heading's first line, from 1. */
  readonly line?: number | undefined
}

/**
 * The heading that a target means: its text, or texts from the outside in, joined by `::` (ancestors may be left
 * out). Case, Unicode form and kinds of blanks do not matter; raw and rendered text both fit; `## Text` wants that
 * level; a part that holds `::` itself stands in quotes.
 * @returns index into `parsed.headings`
 * @throws VaultError `target_not_found` (the nearest in `details.nearest`), `ambiguous` (`details.candidates` with
 * path, occurrence and line)
 */
export function findHeading(parsed: ParsedNote, target: string, choice: HeadingChoice = {}): number {
  const { headings } = parsed
  const fitting = fits(headings, target)
  if (fitting.length === 0) throw notFound(headings, target)
  const { occurrence, line } = choice
  const onLine = line === undefined ? fitting : fitting.filter((i) => headings[i]!.line === line)
  const chosen = occurrence === undefined ? onLine : onLine.slice(occurrence - 1, occurrence)
  if (chosen.length === 1) return chosen[0]!
  if (chosen.length === 0) throw notThere(headings, target, fitting, choice)
  throw ambiguous(headings, target, chosen)
}

/**
 * The block with an id, a leading `^` allowed, case ignored.
 * @throws VaultError `target_not_found`, `ambiguous` (the id stands in several places)
 */
export function findBlock(parsed: ParsedNote, id: string): Block {
  const wanted = id.trim().replace(/^\^/, '').toLowerCase()
  const found = parsed.blocks.filter((block) => block.id.toLowerCase() === wanted)
  const [first] = found
  if (first === undefined) throw noBlock(parsed, wanted)
  if (found.length === 1) return first
  const lines = found.map((block) => block.line)
  throw new VaultError('ambiguous', `The id ^${wanted} stands in ${found.length} places.`, {
    hint: `Make the ids distinct first: they are in lines ${lines.join(', ')}.`,
    details: { candidates: found.map(({ id: spelled, line, kind }) => ({ id: spelled, line, kind })) },
  })
}

/** Texts from the root down, as a target that {@link findHeading} understands. */
export function headingPath(headings: readonly Heading[], index: number): string {
  const parts: string[] = []
  for (let i = index; i >= 0; i = headings[i]!.parent) {
    const { text } = headings[i]!
    parts.push(text.includes('::') ? `"${text}"` : text)
  }
  return parts.reverse().join('::')
}

interface Part {
  /** As compared. */
  readonly text: string
  /** As written but for blanks and Unicode form. */
  readonly exact: string
  /** 0 = any. */
  readonly level: number
}

function fits(headings: readonly Heading[], target: string): number[] {
  const parts = partsOf(target)
  const whole = partOf(target)
  const found: number[] = []
  for (let i = 0; i < headings.length; i++) {
    if (fitsPath(headings, i, parts) || (parts.length > 1 && fitsPart(headings[i]!, whole))) found.push(i)
  }
  return narrowed(headings, found, parts)
}

/** Where a spelling or a whole path fits exactly, the looser ones are not meant. */
function narrowed(headings: readonly Heading[], found: readonly number[], parts: readonly Part[]): number[] {
  const last = parts.at(-1)!
  const exact = found.filter((i) => isExact(headings[i]!, last))
  const left = exact.length > 0 ? exact : [...found]
  if (parts.length === 1) return left
  const rooted = left.filter((i) => depthOf(headings, i) === parts.length)
  return rooted.length > 0 ? rooted : left
}

function isExact({ text, raw }: Heading, { exact }: Part): boolean {
  return tidy(text) === exact || tidy(raw) === exact
}

function depthOf(headings: readonly Heading[], index: number): number {
  let depth = 0
  for (let i = index; i >= 0; i = headings[i]!.parent) depth++
  return depth
}

/** Does the heading fit the last part, and do its ancestors fit the others in order? */
function fitsPath(headings: readonly Heading[], index: number, parts: readonly Part[]): boolean {
  if (!fitsPart(headings[index]!, parts.at(-1)!)) return false
  let left = parts.length - 1
  for (let i = headings[index]!.parent; i >= 0 && left > 0; i = headings[i]!.parent) {
    if (fitsPart(headings[i]!, parts[left - 1]!)) left--
  }
  return left === 0
}

function fitsPart(heading: Heading, { text, level }: Part): boolean {
  if (level === 0 ? text === '' : heading.level !== level) return false
  return headingText(heading.text) === text || headingText(heading.raw) === text
}

/** A part in quotes runs to the quote that a `::` or the end follows. */
const QUOTED = /\s*(?:#{1,6}\s+)?"[\s\S]*?"\s*(?=::|$)/y

/** `A::"B::C"` → A, B::C. */
function partsOf(target: string): Part[] {
  const parts: Part[] = []
  for (let at = 0; ; ) {
    QUOTED.lastIndex = at
    const colons = target.indexOf('::', QUOTED.test(target) ? QUOTED.lastIndex : at)
    parts.push(partOf(target.slice(at, colons < 0 ? undefined : colons)))
    if (colons < 0) return parts
    at = colons + 2
  }
}

function partOf(written: string): Part {
  const marks = /^\s*(#{1,6})(?:\s+|$)/.exec(written)
  const rest = (marks === null ? written : written.slice(marks[0].length)).trim()
  const closed = marks === null ? rest : rest.replace(/(?:^|\s+)#+$/, '')
  const plain = /^".*::.*"$/s.test(closed) ? closed.slice(1, -1) : closed
  return { text: headingText(plain), exact: tidy(plain), level: marks === null ? 0 : marks[1]!.length }
}

function tidy(text: string): string {
  return text.normalize('NFC').replace(/\s+/g, ' ').trim()
}

function notFound(headings: readonly Heading[], target: string): VaultError {
  const near = nearHeadings(headings, target)
  const hint =
    headings.length === 0
      ? 'The note has no headings.'
      : near.length > 0
        ? `Did you mean ${near.map((text) => `"${text}"`).join(' or ')}?`
        : `Its headings: ${listed(headings.slice(0, 5))}${headings.length > 5 ? ', …' : ''}.`
  return new VaultError('target_not_found', `There is no heading "${target}" in this note.`, {
    hint,
    details: { nearest: near },
  })
}

function listed(headings: readonly Heading[]): string {
  return headings.map(({ text }) => `"${text}"`).join(', ')
}

/** Texts and paths that look like the target, up to five; tags at a heading's end are no difference. */
function nearHeadings(headings: readonly Heading[], target: string): string[] {
  const last = partsOf(target).at(-1)!.exact
  const byKey = new Map<string, string>()
  for (const { text } of headings) {
    byKey.set(text, text)
    const bare = withoutTags(text)
    if (!byKey.has(bare)) byKey.set(bare, text)
  }
  const near = nearest(last, byKey.keys(), 10).map((key) => byKey.get(key)!)
  return [...new Set(near)].slice(0, 5)
}

function withoutTags(text: string): string {
  const words = text.split(' ')
  while (words.length > 1 && words.at(-1)!.startsWith('#')) words.pop()
  return words.join(' ')
}

function notThere(
  headings: readonly Heading[],
  target: string,
  fitting: readonly number[],
  { occurrence, line }: HeadingChoice,
): VaultError {
  const wanted = [
    ...(line === undefined ? [] : [`in line ${line}`]),
    ...(occurrence === undefined ? [] : [`as occurrence ${occurrence}`]),
  ].join(' ')
  const candidates = candidatesOf(headings, fitting)
  const lines = candidates.map((candidate) => candidate.line).join(', ')
  return new VaultError('target_not_found', `There is no heading "${target}" ${wanted}.`, {
    hint: `It stands ${fitting.length === 1 ? 'once, in line' : `${fitting.length} times, in lines`} ${lines}.`,
    details: { candidates },
  })
}

function ambiguous(headings: readonly Heading[], target: string, fitting: readonly number[]): VaultError {
  const candidates = candidatesOf(headings, fitting)
  const each = candidates.map(
    ({ path, occurrence, line }) => `"${path}" (occurrence ${occurrence}, line ${line})`,
  )
  return new VaultError('ambiguous', `"${target}" fits ${fitting.length} headings of this note.`, {
    hint: `Give the path, the occurrence or the line of the one you mean: ${each.join('; ')}.`,
    details: { candidates, total: fitting.length },
  })
}

const MAX_CANDIDATES = 50

function candidatesOf(
  headings: readonly Heading[],
  fitting: readonly number[],
): { path: string; occurrence: number; line: number; level: number }[] {
  return fitting.slice(0, MAX_CANDIDATES).map((i, at) => ({
    path: headingPath(headings, i),
    occurrence: at + 1,
    line: headings[i]!.line,
    level: headings[i]!.level,
  }))
}

function noBlock(parsed: ParsedNote, wanted: string): VaultError {
  const near = nearest(wanted, new Set(parsed.blocks.map((block) => block.id)))
  const known = parsed.blocks.slice(0, 5).map((block) => `^${block.id}`)
  const hint =
    near.length > 0
      ? `Did you mean ${near.map((id) => `^${id}`).join(' or ')}?`
      : known.length > 0
        ? `Its block ids: ${known.join(', ')}${parsed.blocks.length > 5 ? ', …' : ''}.`
        : 'The note has no block ids.'
  return new VaultError('target_not_found', `There is no block ^${wanted} in this note.`, {
    hint,
    details: { nearest: near },
  })
}
