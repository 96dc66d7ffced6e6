import { z } from 'zod'
import { type ByteMap, byteMap } from '../../note/encoding.ts'
import { factsOf } from '../../note/facts.ts'
import type { Block, Heading, ParsedNote, TextRange } from '../../note/note.ts'
import { stemOf } from '../../note/path.ts'
import { headingPath } from '../../note/sections.ts'
import { backlinks, outgoing } from '../../vault/link_queries.ts'
import { MAX_PAGE_BYTES } from '../../vault/pages.ts'
import { requireRevision } from '../../vault/revisions.ts'
import type { ReadNote, Vault } from '../../vault/vault.ts'
import { expectedRevision, path, warnings } from '../fields.ts'
import { defineTool } from '../tool.ts'

const FIELDS = [
  'tags',
  'aliases',
  'frontmatter',
  'headings',
  'outgoing_links',
  'block_refs',
  'tasks',
  'inline_fields',
  'backlinks_count',
  'stat',
  'problems',
] as const

type Field = (typeof FIELDS)[number]

export const noteInspect = defineTool({
  name: 'note_inspect',
  title: 'Inspect a note',
  description:
    'What a note holds, without its text: tags, properties, headings, links, blocks, tasks, problems. view targets: what note_patch can aim at.',
  input: z.strictObject({
    path,
    view: z.enum(['metadata', 'targets']).default('metadata'),
    fields: z.array(z.enum(FIELDS)).optional().describe('Only these'),
    expected_revision: expectedRevision,
    heading_offset: z.int().min(0).default(0),
    max_headings: z.int().min(1).max(1000).default(100),
    max_bytes: z.int().min(1).max(MAX_PAGE_BYTES).default(65_536).describe('Of each list'),
  }),
  output: z.looseObject({
    path: z.string(),
    title: z.string(),
    revision: z.string(),
    headings: z.array(z.looseObject({})).optional(),
    headings_total: z.number().optional(),
    next_heading_offset: z.number().optional(),
    block_refs: z.array(z.looseObject({ id: z.string() })).optional(),
    warnings,
  }),
  access: 'read',
  async run({ vault }, args) {
    const located = await vault.locate(args.path)
    const note = await vault.readParsed(located.path)
    requireRevision(note, args.expected_revision)
    const map = byteMap(note.bytes)
    const common = {
      path: note.path,
      title: stemOf(note.path),
      revision: note.revision,
      ...(located.warnings.length > 0 ? { warnings: [...located.warnings] } : {}),
    }
    const wanted = (field: Field) => args.fields === undefined || args.fields.includes(field)
    const found =
      args.view === 'targets'
        ? targets(note.parsed, map, args)
        : await metadata(vault, note, map, wanted, args)
    return { data: { ...common, ...bounded(found, args.max_bytes) } }
  },
})

interface HeadingPage {
  readonly heading_offset: number
  readonly max_headings: number
  readonly max_bytes: number
  readonly fields?: readonly Field[] | undefined
}

async function metadata(
  vault: Vault,
  note: ReadNote & { parsed: ParsedNote },
  map: ByteMap,
  wanted: (field: Field) => boolean,
  page: HeadingPage,
): Promise<Record<string, unknown>> {
  const { parsed } = note
  const facts = factsOf(note.path, note.text, parsed)
  const out: Record<string, unknown> = {}
  if (wanted('tags')) out.tags = facts.tags
  if (wanted('aliases')) out.aliases = facts.aliases
  if (wanted('frontmatter')) out.frontmatter = facts.frontmatter
  if (wanted('headings')) Object.assign(out, headingRows(parsed, map, page))
  if (wanted('outgoing_links') || wanted('backlinks_count')) {
    await vault.searchable()
    const { graph } = vault.catalogue
    if (wanted('outgoing_links')) out.outgoing_links = outgoing(graph, note.path)
    if (wanted('backlinks_count')) out.backlinks_count = backlinks(graph, note.path).length
  }
  if (wanted('block_refs')) out.block_refs = parsed.blocks.map((block) => blockRow(block, map))
  if (wanted('tasks')) out.tasks = facts.tasks
  if (wanted('inline_fields')) out.inline_fields = facts.inlineFields
  if (wanted('stat')) {
    const file = vault.file(note.path)
    out.word_count = facts.words
    out.stat = { size: note.bytes.length, modified: isoTime(file?.mtimeMs), created: isoTime(file?.ctimeMs) }
  }
  if (wanted('problems')) out.problems = problemsOf(note, facts.problems)
  return out
}

function problemsOf(note: ReadNote, problems: ParsedNote['problems']): ParsedNote['problems'] {
  if (note.valid) return problems
  return [
    { code: 'bad_encoding', message: 'The file is not UTF-8; it can be read but not changed.', line: 1 },
    ...problems,
  ]
}

function isoTime(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString()
}

function targets(parsed: ParsedNote, map: ByteMap, page: HeadingPage): Record<string, unknown> {
  const from = page.heading_offset
  const rows = parsed.headings.slice(from, from + page.max_headings).map((heading, i) => ({
    target: `${'#'.repeat(heading.level)} ${heading.raw}`,
    path: headingPath(parsed.headings, from + i),
    occurrence: heading.occurrence,
    line: heading.line,
  }))
  return {
    ...paged(parsed, within(rows, page.max_bytes), from),
    block_refs: parsed.blocks.map((block) => blockRow(block, map)),
    frontmatter_fields: Object.keys(parsed.frontmatter.data ?? {}),
  }
}

/** With ranges only where headings were asked for by name: they are four numbers a row. */
function headingRows(parsed: ParsedNote, map: ByteMap, page: HeadingPage): Record<string, unknown> {
  const from = page.heading_offset
  const ranges = page.fields?.includes('headings') ?? false
  const rows = parsed.headings.slice(from, from + page.max_headings).map((heading, i) => ({
    ordinal: from + i,
    level: heading.level,
    text: heading.text.slice(0, MAX_SHOWN),
    line: heading.line,
    parent: heading.parent < 0 ? null : heading.parent,
    ...(heading.text.length > MAX_SHOWN ? { text_truncated: true } : {}),
    ...(ranges ? rangesOf(heading, map) : {}),
  }))
  return paged(parsed, within(rows, page.max_bytes), from)
}

/** UTF-16 units of a heading that are shown. */
const MAX_SHOWN = 256

function rangesOf(heading: Heading, map: ByteMap) {
  return { heading_range: bytesOf(heading.range, map), section_range: bytesOf(heading.section, map) }
}

function paged(parsed: ParsedNote, rows: readonly object[], from: number): Record<string, unknown> {
  const next = from + rows.length
  return {
    headings: rows,
    headings_total: parsed.headings.length,
    ...(next < parsed.headings.length ? { next_heading_offset: next } : {}),
  }
}

/** Lists that are longer than an answer may be are cut, and say how long they are. Headings have pages of their own. */
function bounded(found: Record<string, unknown>, maxBytes: number): Record<string, unknown> {
  const out: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(found)) {
    const rows = Array.isArray(value) && field !== 'headings' ? within(value, maxBytes) : value
    out[field] = rows
    if (Array.isArray(value) && Array.isArray(rows) && rows.length < value.length) {
      out[`${field}_total`] = value.length
      out.truncated = true
    }
  }
  return out
}

/** As many rows as fit into the bytes, at least one. */
function within<Row>(rows: readonly Row[], maxBytes: number): Row[] {
  const out: Row[] = []
  let bytes = 2
  for (const row of rows) {
    bytes += Buffer.byteLength(JSON.stringify(row)) + 1
    if (bytes > maxBytes && out.length > 0) break
    out.push(row)
  }
  return out
}

function blockRow(block: Block, map: ByteMap) {
  return { id: block.id, line: block.line, kind: block.kind, range: bytesOf(block.range, map) }
}

function bytesOf({ start, end }: TextRange, map: ByteMap) {
  return { start_byte: map.byteAt(start), end_byte: map.byteAt(end) }
}
