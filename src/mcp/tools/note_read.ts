import { z } from 'zod'
import { VaultError } from '../../errors.ts'
import { byteMap } from '../../note/encoding.ts'
import { linesOf } from '../../note/line_index.ts'
import type { Heading, ParsedNote } from '../../note/note.ts'
import { parseNote } from '../../note/parse.ts'
import { isNotePath } from '../../note/path.ts'
import { findHeading } from '../../note/sections.ts'
import type { FileRecord } from '../../vault/catalogue.ts'
import {
  type ByteRange,
  DEFAULT_PAGE_BYTES,
  MAX_PAGE_BYTES,
  pageOf,
  WHOLE_NOTE_BYTES,
} from '../../vault/pages.ts'
import { requireReadable } from '../../vault/readable.ts'
import { requireRevision } from '../../vault/revisions.ts'
import { type ReadNote, requireNote, requireParsable } from '../../vault/vault.ts'
import { expectedRevision, path, warnings } from '../fields.ts'
import { defineTool } from '../tool.ts'

const byteRange = z.object({ start_byte: z.int().min(0), end_byte: z.int().min(0) })

export const noteRead = defineTool({
  name: 'note_read',
  title: 'Read a note',
  description:
    'Reads a note or other text file: whole, a section, lines or a byte range. Answers Markdown and revision; long ones come in pages (next_range). Several: note_read_many.',
  input: z.strictObject({
    path,
    expected_revision: expectedRevision,
    range: z
      .object({ start_byte: z.int().min(0), end_byte: z.int().min(0).optional() })
      .optional()
      .describe('Raw bytes, half open'),
    max_bytes: z.int().min(1).max(MAX_PAGE_BYTES).optional().describe('Page size, default 65536'),
    section: z.string().optional().describe('Heading or path "A::B"'),
    lines: z
      .object({ start: z.int().min(1), end: z.int().min(1).optional() })
      .optional()
      .describe('From 1, inclusive'),
    format: z.enum(['raw', 'body', 'outline']).default('raw').describe('body: without frontmatter'),
  }),
  output: z.object({
    path: z.string(),
    content: z.string(),
    revision: z.string(),
    source_revision: z.string(),
    source_bytes: z.number(),
    requested_range: byteRange.optional(),
    returned_range: byteRange.optional(),
    next_range: byteRange.optional(),
    truncated: z.boolean(),
    headings: z.array(z.looseObject({ level: z.number(), text: z.string(), line: z.number() })).optional(),
    problems: z.array(z.object({ code: z.string(), message: z.string(), line: z.number() })).optional(),
    warnings,
  }),
  access: 'read',
  async run({ vault }, args) {
    refuseMixtures(args)
    const located = await vault.locate(args.path)
    const note = await vault.read(located.path)
    requireReadable(note)
    requireRevision(note, args.expected_revision)
    const common = {
      path: note.path,
      revision: note.revision,
      source_revision: note.revision,
      source_bytes: note.bytes.length,
      ...problemsOf(note, vault.file(note.path)),
      ...(located.warnings.length > 0 ? { warnings: located.warnings } : {}),
    }
    if (args.format === 'outline') {
      requireNote(note.path)
      requireParsable(note)
      const headings = headingsOf(note, vault.file(note.path))
      const content = headings.map((h) => `${'#'.repeat(h.level)} ${h.text}`).join('\n')
      return { data: { ...common, content, headings: headings.map(outlineRow), truncated: false } }
    }
    const asked = rangeOf(note, args)
    const whole = { start_byte: 0, end_byte: note.bytes.length }
    const limit = args.max_bytes ?? (asked === null ? WHOLE_NOTE_BYTES : DEFAULT_PAGE_BYTES)
    if (asked === null && note.bytes.length <= limit) {
      return { data: { ...common, content: note.text, truncated: false } }
    }
    const size = asked === null && args.max_bytes === undefined ? DEFAULT_PAGE_BYTES : limit
    const { range, next } = pageOf(note.bytes, asked ?? whole, size)
    const content = new TextDecoder('utf-8', { ignoreBOM: true }).decode(
      note.bytes.subarray(range.start_byte, range.end_byte),
    )
    const page = {
      requested_range: asked ?? whole,
      returned_range: range,
      truncated: next !== null,
      ...(next === null ? {} : { next_range: next }),
    }
    return {
      data: { ...common, content, ...page },
      ...(next === null ? {} : { blocks: [{ type: 'text' as const, text: continuation(note, next) }] }),
    }
  },
})

type Args = {
  range?: { start_byte: number; end_byte?: number | undefined } | undefined
  section?: string | undefined
  lines?: { start: number; end?: number | undefined } | undefined
  format: 'raw' | 'body' | 'outline'
}

function refuseMixtures(args: Args): void {
  const chosen = [
    args.range && 'range',
    args.section !== undefined && 'section',
    args.lines && 'lines',
  ].filter(Boolean)
  if (args.format !== 'raw') chosen.push(`format ${args.format}`)
  if (chosen.length <= 1) return
  throw new VaultError('bad_argument', `${chosen.join(' and ')} do not go together.`, {
    hint: `Ask for one of them; pages of a section come with max_bytes.`,
  })
}

function rangeOf(note: ReadNote, args: Args): ByteRange | null {
  if (args.range)
    return { start_byte: args.range.start_byte, end_byte: args.range.end_byte ?? note.bytes.length }
  if (args.lines) return linesRange(note, args.lines)
  if (args.section === undefined && args.format === 'raw') return null
  requireNote(note.path)
  requireParsable(note)
  const parsed = parseNote(note.text)
  if (args.section === undefined) return unitsToBytes(note, parsed.frontmatter.bodyStart, note.text.length)
  const heading = headingOf(note, parsed, args.section)
  return unitsToBytes(note, heading.section.start, heading.section.end)
}

/** Of several that fit, this tool takes none by its occurrence: their lines tell them apart. */
function headingOf({ text }: ReadNote, parsed: ParsedNote, section: string): Heading {
  try {
    return parsed.headings[findHeading(parsed, section, {})] as Heading
  } catch (error) {
    if (!(error instanceof VaultError) || error.code !== 'ambiguous') throw error
    const fitting = new Set((error.details.candidates as { line: number }[]).map(({ line }) => line))
    const { at } = linesOf(text)
    const each = parsed.headings
      .filter(({ line }) => fitting.has(line))
      .map(({ line, section: { end } }) => `{start: ${line}, end: ${at(Math.max(0, end - 1))}}`)
    throw new VaultError('ambiguous', error.message, {
      hint: `Read the one you mean with lines: ${each.join(' or ')}.`,
      details: error.details,
      cause: error,
    })
  }
}

function unitsToBytes({ bytes }: ReadNote, start: number, end: number): ByteRange {
  const map = byteMap(bytes)
  return { start_byte: map.byteAt(start), end_byte: map.byteAt(end) }
}

function linesRange(note: ReadNote, { start, end }: { start: number; end?: number | undefined }): ByteRange {
  const { text } = note
  const starts = [0]
  for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) starts.push(i + 1)
  const count = starts.at(-1) === text.length && starts.length > 1 ? starts.length - 1 : starts.length
  const last = end ?? count
  if (start > last || start > count) {
    throw new VaultError(
      'bad_argument',
      `Lines ${start} to ${last} are not in "${note.path}", which has ${count}.`,
      {
        hint: `Give lines from 1 to ${count}.`,
      },
    )
  }
  return unitsToBytes(note, starts[start - 1] as number, starts[Math.min(last, count)] ?? text.length)
}

function problemsOf(note: ReadNote, known: FileRecord | undefined) {
  const problems = [...problemsIn(note, known)]
  if (!note.valid) {
    problems.unshift({
      code: 'bad_encoding',
      message: 'The file is not UTF-8; unreadable bytes are shown as U+FFFD.',
      line: 1,
    })
  }
  return problems.length > 0 ? { problems } : {}
}

/** Parsing costs more than reading: what the catalogue knows of this very revision is used, and a large note is not parsed for it. */
function problemsIn(note: ReadNote, known: FileRecord | undefined) {
  if (known?.facts && (known.revision === note.revision || note.bytes.length > WHOLE_NOTE_BYTES)) {
    return known.facts.problems.filter((p) => p.code !== 'bad_encoding')
  }
  return isNotePath(note.path) && note.bytes.length <= WHOLE_NOTE_BYTES ? parseNote(note.text).problems : []
}

type OutlineRow = Pick<Heading, 'level' | 'text' | 'line'>

/** A large note is not parsed again for what the catalogue knows of this very revision. */
function headingsOf(note: ReadNote, known: FileRecord | undefined): readonly OutlineRow[] {
  const isKnown = known?.facts && known.revision === note.revision
  return isKnown ? known.facts.headings : parseNote(note.text).headings
}

function outlineRow({ level, text, line }: OutlineRow): OutlineRow {
  return { level, text, line }
}

function continuation(note: ReadNote, next: ByteRange): string {
  return JSON.stringify({ truncated: true, next_range: next, revision: note.revision })
}
