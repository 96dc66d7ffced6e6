import { VaultError } from '../errors.ts'
import { headingText } from './headings.ts'
import { SWALLOWED } from './insert.ts'
import { joinLines } from './join.ts'
import { lineStop, nextLine } from './lines.ts'
import type { Heading, TextRange } from './note.ts'
import { parseNote } from './parse.ts'
import { contentOf, type PatchContext, type PatchEdit, withoutEndLines } from './patch_request.ts'

/** Changes the text under a heading, or the heading itself (`rename`, `delete` with its section). */
export function patchHeading(context: PatchContext, heading: Heading): PatchEdit {
  const { request } = context
  const place = placeOf(context, heading)
  if (request.operation === 'delete') {
    return request.scope === 'body' ? emptied(context, place) : removed(context, heading)
  }
  if (request.operation === 'rename') return renamed(context, heading)
  const { content, notes } = contentFor(context, heading)
  const edit = {
    append: () =>
      insertedAt(
        context,
        place.filled === null ? place.start : nextLine(context.text, place.filled.end),
        content,
      ),
    prepend: () => insertedAt(context, place.start, content),
    replace: () => replaced(context, place, content),
  }[request.operation]()
  return { ...edit, notes: [...notes, ...edit.notes] }
}

/** Puts whole lines in front of the line that begins at `at`. */
export function insertedAt({ text, parsed }: PatchContext, at: number, content: string, end = at): PatchEdit {
  if (content === '' && end === at) return { range: { start: at, end: at }, insert: '', notes: [] }
  const { bodyStart } = parsed.frontmatter
  const body = text.slice(bodyStart)
  const { insert, swallowed } = joinLines({
    body,
    at: at - bodyStart,
    end: end - bodyStart,
    content,
    eol: parsed.eol,
    ended: text.endsWith('\n'),
  })
  return { range: { start: at, end }, insert, notes: swallowed ? [SWALLOWED] : [] }
}

/** The text that an operation with its scope is about. */
interface Place extends TextRange {
  /** From the first line that holds something to the end of the last one (its line end left out), or null. */
  readonly filled: TextRange | null
}

function placeOf({ text, request }: PatchContext, heading: Heading): Place {
  const { start } = heading.body
  const end = request.scope === 'body' ? heading.body.end : Math.max(start, heading.section.end)
  const content = text.slice(start, end)
  const first = content.search(/\S/)
  if (first < 0) return { start, end, filled: null }
  const last = start + content.trimEnd().length - 1
  const from = text.lastIndexOf('\n', start + first) + 1
  return { start, end, filled: { start: Math.max(start, from), end: lineStop(text, last) } }
}

/**
 * Drops a first line that repeats the heading, and refuses headings that would end the section.
 * @throws VaultError `bad_argument`
 */
function contentFor({ request }: PatchContext, heading: Heading): { content: string; notes: string[] } {
  const given = contentOf(request)
  // Behind a line end no `---` can open a property block.
  const own = parseNote(`\n${given}`)
  const [first, ...rest] = own.headings
  const repeats =
    first !== undefined &&
    first.level === heading.level &&
    headingText(first.text) === headingText(heading.text) &&
    given.slice(0, first.range.start - 1).trim() === ''
  const higher = (repeats ? rest : own.headings).find(({ level }) => level <= heading.level)
  if (higher !== undefined && !request.allowHeadings) {
    throw new VaultError(
      'bad_argument',
      `The content holds the heading "${higher.text}" of level ${higher.level}, which would end the section "${heading.text}" of level ${heading.level}.`,
      {
        hint: `Use headings of level ${heading.level + 1} or deeper, leave it out, or send allow_headings: true.`,
        details: { line: higher.line - 1 },
      },
    )
  }
  if (!repeats) return { content: given, notes: [] }
  return {
    content: given.slice(nextLine(`\n${given}`, first.range.end) - 1),
    notes: [`The first line of the content repeated the heading "${heading.text}" and was left out.`],
  }
}

/** Blank lines around the old text stay, so that writing back what was read changes nothing. */
function replaced(context: PatchContext, place: Place, content: string): PatchEdit {
  const core = withoutEndLines(content)
  const { start, filled } = place
  if (core.trim() === '') return emptied(context, place)
  if (filled === null) return insertedAt(context, start, core)
  const lead = /^[ \t]*\r?\n/.test(core) ? '' : context.text.slice(start, filled.start)
  const end = nextLine(context.text, filled.end)
  return insertedAt(context, start, lead + core, end)
}

/** Takes the text away; the blank lines behind it stay. */
function emptied(context: PatchContext, { start, filled }: Place): PatchEdit {
  if (filled === null) return { range: { start, end: start }, insert: '', notes: [] }
  return insertedAt(context, start, '', nextLine(context.text, filled.end))
}

function removed(context: PatchContext, { section }: Heading): PatchEdit {
  const { text, parsed } = context
  const { bodyStart } = parsed.frontmatter
  const above = text.slice(bodyStart, section.start).trimEnd().length
  if (section.end < text.length || above === 0) return insertedAt(context, section.start, '', section.end)
  // At the end of the note the blank lines before the section go as well, those behind it stay.
  const start = lineStop(text, bodyStart + above - 1)
  const end = lineStop(text, section.start + text.slice(section.start).trimEnd().length - 1)
  return { range: { start, end }, insert: '', notes: [] }
}

/** Another text for the heading; its marks stay, and so does its block id. */
function renamed({ text, request }: PatchContext, heading: Heading): PatchEdit {
  const wanted = contentOf(request).trim()
  const marks = /^(#{1,6})[ \t]+/.exec(wanted)
  if (marks !== null && marks[1]!.length !== heading.level) {
    throw new VaultError(
      'bad_argument',
      `"${wanted}" has level ${marks[1]!.length}, the heading has ${heading.level}.`,
      {
        hint: 'rename changes the text alone: send it without # marks.',
      },
    )
  }
  const plain = marks === null ? wanted : wanted.slice(marks[0].length).trim()
  if (plain === '' || /[\r\n]/.test(plain)) {
    throw new VaultError('bad_argument', 'A heading is one line that is not empty.', {
      hint: 'Send the new text of the heading as content.',
    })
  }
  const id = /[ \t]+\^[A-Za-z0-9-]+$/.exec(heading.raw)?.[0] ?? ''
  const kept = id !== '' && !/[ \t]\^[A-Za-z0-9-]+$/.test(plain) ? id : ''
  const words = wordsOf(text, heading)
  const lead = text.slice(heading.range.start, words.start)
  const tail = text.slice(words.end, Math.max(words.end, heading.range.end))
  const insert = `${lead}${/\S$/.test(lead) ? ' ' : ''}${plain}${kept}${tail.startsWith('#') ? ' ' : ''}${tail}`
  return {
    range: { start: heading.range.start, end: Math.max(words.end, heading.range.end) },
    insert,
    notes: [],
  }
}

/** Where a heading's text stands, without its marks and the blanks around it. */
function wordsOf(text: string, { range, setext }: Heading): TextRange {
  const written = text.slice(range.start, range.end)
  if (setext) {
    const above = written.slice(0, written.lastIndexOf('\n'))
    return { start: range.start + above.search(/\S/), end: range.start + above.trimEnd().length }
  }
  const [marks] = /^\s*#{1,6}[ \t]*/.exec(written)!
  const rest = written.slice(marks.length).trimEnd()
  const words = /^#+$/.test(rest) ? '' : rest.replace(/[ \t]+#+$/, '')
  const start = range.start + marks.length
  return { start, end: start + words.length }
}
