import { VaultError } from '../errors.ts'
import { headingText } from './headings.ts'
import { nextLine } from './lines.ts'
import type { Heading, ParsedNote } from './note.ts'
import { parseNote } from './parse.ts'
import { insertedAt } from './patch_heading.ts'
import { contentOf, type PatchContext, type PatchEdit, withoutEndLines } from './patch_request.ts'
import { findHeading } from './sections.ts'

/**
 * Makes the heading that a target names, with the content under it: below the part of its path that is there, at the
 * end of that section, else at the end of the note. Marks in the target set the level; without them it is one below its
 * parent, and at the top that of the note's other sections.
 * @throws VaultError `bad_argument`, `ambiguous` (a parent that fits several headings)
 */
export function createHeading(context: PatchContext): PatchEdit {
  const { text, parsed, request } = context
  const content = contentOf(request)
  const parts = partsOf(request.target)
  const { parent, depth } = parentOf(parsed, parts)
  const headings = headingLines(parsed, parts.slice(depth), parent)
  const last = headings.at(-1)!
  const { content: own, notes } = withoutRepeated(content, last)
  const lines = [
    ...headings.map(({ level, text: name }) => `${'#'.repeat(level)} ${name}`),
    withoutEndLines(own),
  ]
  const block = lines.filter((line) => line !== '').join(parsed.eol)
  const end = parent === null ? text.length : parent.section.end
  const edit = end < text.length ? beforeHeading(context, end, block) : atEnd(context, block)
  const made = headings.map(({ text: name }) => `"${name}"`).join(', ')
  return { ...edit, notes: [...notes, `Made the heading ${made}.`, ...edit.notes] }
}

/** The new section is all that comes, so that taking it away leaves what was there. */
function beforeHeading(context: PatchContext, at: number, block: string): PatchEdit {
  const { text, parsed } = context
  const spaced = /\n[ \t]*\r?\n$/.test(text.slice(Math.max(0, at - 500), at))
  return insertedAt(context, at, block + parsed.eol + (spaced ? parsed.eol : ''))
}

function atEnd(context: PatchContext, block: string): PatchEdit {
  const { text, parsed } = context
  const { bodyStart } = parsed.frontmatter
  const filled = text.slice(bodyStart).trimEnd().length
  if (filled === 0) return insertedAt(context, bodyStart, block)
  return insertedAt(context, nextLine(text, bodyStart + filled - 1), parsed.eol + block)
}

interface NewHeading {
  readonly level: number
  readonly text: string
}

interface Part {
  readonly written: string
  readonly level: number
  readonly text: string
}

function partsOf(target: string): Part[] {
  const parts = splitPath(target).map((part) => {
    const marks = /^\s*(#{1,6})\s+/.exec(part)
    const rest = part.slice(marks?.[0].length ?? 0).trim()
    const plain = /^".*::.*"$/s.test(rest) ? rest.slice(1, -1) : rest
    return { written: part, level: marks?.[1]?.length ?? 0, text: plain }
  })
  if (parts.every(({ text }) => text !== '' && !/[\r\n]/.test(text) && !/^#/.test(text))) return parts
  throw new VaultError('bad_argument', `${JSON.stringify(target)} is no heading that could be made.`, {
    hint: 'Send its text, with its parents in front: "Projects::Open".',
  })
}

/** A part in quotes at its beginning; it may hold `::`. */
const QUOTED = /\s*(?:#{1,6}\s+)?"(?:[^"]|"(?!\s*(?:::|$)))*"\s*(?=::|$)/y

function splitPath(target: string): string[] {
  const parts: string[] = []
  for (let at = 0; ; ) {
    QUOTED.lastIndex = at
    const colons = target.indexOf('::', QUOTED.test(target) ? QUOTED.lastIndex : at)
    parts.push(target.slice(at, colons < 0 ? undefined : colons))
    if (colons < 0) return parts
    at = colons + 2
  }
}

/** The longest beginning of the path that is there. */
function parentOf(parsed: ParsedNote, parts: readonly Part[]): { parent: Heading | null; depth: number } {
  for (let depth = parts.length - 1; depth > 0; depth--) {
    const path = parts
      .slice(0, depth)
      .map(({ written }) => written)
      .join('::')
    try {
      return { parent: parsed.headings[findHeading(parsed, path)]!, depth }
    } catch (error) {
      if (!(error instanceof VaultError) || error.code !== 'target_not_found') throw error
    }
  }
  return { parent: null, depth: 0 }
}

function headingLines(parsed: ParsedNote, parts: readonly Part[], parent: Heading | null): NewHeading[] {
  let above = parent?.level ?? topLevel(parsed) - 1
  return parts.map(({ level: wanted, text }, i) => {
    const level = wanted === 0 ? above + 1 : wanted
    const lowest = i === 0 && parent === null ? 1 : above + 1
    if (level > 6 || level < lowest) {
      throw new VaultError('bad_argument', `"${text}" cannot have level ${level} there.`, {
        hint: `Its level must be from ${lowest} to 6.`,
      })
    }
    above = level
    return { level, text }
  })
}

/** A first heading that stands alone on its level is the note's title: sections are one below it. */
function topLevel({ headings }: ParsedNote): number {
  const [first, ...rest] = headings
  if (first === undefined) return 1
  const top = Math.min(...headings.map(({ level }) => level))
  const title = first.level === 1 && rest.length > 0 && rest.every(({ level }) => level > 1)
  return title ? 2 : top
}

function withoutRepeated(content: string, { level, text }: NewHeading): { content: string; notes: string[] } {
  const own = parseNote(`\n${content}`)
  const [first] = own.headings
  const repeats =
    first?.level === level &&
    headingText(first.text) === headingText(text) &&
    content.slice(0, first.range.start - 1).trim() === ''
  if (!repeats) return { content, notes: [] }
  const rest = content.slice(first.range.end - 1).replace(/^\r?\n/, '')
  return {
    content: rest,
    notes: [`The first line of the content repeated the heading "${text}" and was left out.`],
  }
}
