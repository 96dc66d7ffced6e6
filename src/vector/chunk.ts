import { VaultError } from '../errors.ts'
import type { Heading, TextRange } from '../note/note.ts'
import { MAX_CHUNKS, MAX_PREFIX } from './limits.ts'

/** A note as far as its meaning is concerned. */
export interface ChunkSource {
  readonly path: string
  readonly text: string
  readonly title: string
  readonly aliases: readonly string[]
  readonly bodyStart: number
  readonly headings: readonly Heading[]
}

export interface ChunkOptions {
  /** Tokens of one embedded text, special ones included. */
  readonly maxTokens: number
  readonly countTokens: (texts: readonly string[]) => Promise<number[]>
  /** Of the model; part of each id. */
  readonly identity: string
}

/** One embedded text and the place of the note that it stands for. */
export interface Chunk {
  /** Hash of the embedded text and of the model: the same text is never embedded twice. */
  readonly id: string
  /** `note`: the whole body (or, beside the passages of a long note, its beginning and outline). */
  readonly scope: 'note' | 'passage'
  /** What is embedded: title, aliases and headings before the text itself. */
  readonly text: string
  /** UTF-16 units of the note. */
  readonly range: TextRange
  readonly headingPath: readonly string[]
  /** The section that the passage stands in, its heading included. */
  readonly section: TextRange | null
}

/** Tokens left free for what joins pieces. */
const MARGIN = 8
/** UTF-16 units: sections of a note this long speak of several things, of which one vector says little. */
const ONE_SUBJECT = 400
/** Tokens of a passage, whatever the model could read: more of them blur what it is about. */
const PASSAGE_TOKENS = 512
/** UTF-16 units of the piece before that are repeated, so that a thought across the border is found. */
const OVERLAP = 120

/**
 * Cuts a note into what is embedded: a short note, or one without sections, is one piece where it fits; others are cut
 * at headings, then blocks, then sentences, never inside a character, and have a piece for the whole of them beside the
 * passages. Nothing is left out.
 * @returns no piece for a note without text
 * @throws VaultError `too_large`
 */
export async function chunkNote(note: ChunkSource, options: ChunkOptions): Promise<Chunk[]> {
  const body = trimmed(note.text, { start: note.bodyStart, end: note.text.length })
  const name = nameOf(note)
  if (body.start >= body.end)
    return [chunkOf(note, options, { scope: 'note', prefix: name, range: body, heading: -1 })]
  const whole = chunkOf(note, options, { scope: 'note', prefix: name, range: body, heading: -1 })
  const sections = sectionsOf(note, body)
  const isWhole = (await fits([whole.text], options))[0] === true
  if (isWhole && (sections.length < 2 || body.end - body.start < ONE_SUBJECT)) return [whole]
  const chunks: Chunk[] = [isWhole ? whole : await outlineChunk(note, options, name)]
  for (const section of sections) {
    chunks.push(...(await cutSection(note, options, section)))
    if (chunks.length > MAX_CHUNKS) throw tooMany(note.path)
  }
  return chunks
}

async function fits(texts: readonly string[], { maxTokens, countTokens }: ChunkOptions): Promise<boolean[]> {
  // A token stands for at least one byte: short texts need no counting.
  if (texts.every((t) => Buffer.byteLength(t) + 2 <= maxTokens)) return texts.map(() => true)
  return (await countTokens(texts)).map((n) => n <= maxTokens)
}

function nameOf({ title, aliases }: ChunkSource): string {
  const names = aliases.length === 0 ? title : `${title} (${aliases.join(', ')})`
  return names.slice(0, MAX_PREFIX)
}

interface Section {
  /** Index of its heading, or -1 before the first. */
  readonly heading: number
  readonly range: TextRange
}

/** The text under each heading alone. A heading without text is in the paths of those below it. */
function sectionsOf({ text, headings }: ChunkSource, body: TextRange): Section[] {
  const out: Section[] = []
  const first = headings[0]?.range.start ?? body.end
  const before = trimmed(text, { start: body.start, end: first })
  if (before.start < before.end) out.push({ heading: -1, range: before })
  for (const [i, heading] of headings.entries()) {
    const isLeaf = headings[i + 1]?.parent !== i
    const own = trimmed(text, heading.body)
    if (own.start < own.end) out.push({ heading: i, range: own })
    else if (isLeaf) out.push({ heading: i, range: heading.range })
  }
  return out
}

async function cutSection(note: ChunkSource, given: ChunkOptions, section: Section): Promise<Chunk[]> {
  const options = { ...given, maxTokens: Math.min(given.maxTokens, PASSAGE_TOKENS) }
  const prefix = prefixOf(note, section.heading)
  const make = (range: TextRange) =>
    chunkOf(note, options, { scope: 'passage', prefix, range, heading: section.heading })
  const whole = make(section.range)
  if ((await fits([whole.text], options))[0]) return [whole]
  const room = options.maxTokens - ((await options.countTokens([prefix]))[0] ?? 0) - MARGIN
  if (room < 16) throw prefixTooLong(note.path)
  const pieces = await pieceRanges(note.text, section.range, room, options)
  return pieces.map((range, i) =>
    make(i === 0 ? range : { start: overlapStart(note.text, range.start, pieces[i - 1]), end: range.end }),
  )
}

/** Blocks packed into pieces of at most `room` tokens; a block that is larger itself is cut at sentences, then anywhere. */
async function pieceRanges(
  text: string,
  range: TextRange,
  room: number,
  options: ChunkOptions,
): Promise<TextRange[]> {
  // The overlap is taken from the room: it is in every piece but the first.
  const most = Math.max(8, room - Math.ceil(OVERLAP / 2))
  let atoms = splitAt(text, range, /\n[ \t]*\n+/g)
  for (const cut of [/(?<=[.!?。！？…])\s+|\n/g, /\s+/g]) {
    const sizes = await options.countTokens(atoms.map((a) => text.slice(a.start, a.end)))
    atoms = atoms.flatMap((a, i) => ((sizes[i] ?? 0) <= most ? [a] : splitAt(text, a, cut)))
  }
  const sizes = await options.countTokens(atoms.map((a) => text.slice(a.start, a.end)))
  const small = atoms.flatMap((a, i) =>
    (sizes[i] ?? 0) <= most ? [{ range: a, size: sizes[i] ?? 0 }] : halves(text, a, most),
  )
  return pack(small, most)
}

function pack(atoms: readonly { range: TextRange; size: number }[], most: number): TextRange[] {
  const out: TextRange[] = []
  let current: { start: number; end: number } | undefined
  let used = 0
  for (const { range, size } of atoms) {
    if (current !== undefined && used + size <= most) {
      current.end = range.end
      used += size
      continue
    }
    current = { ...range }
    out.push(current)
    used = size
  }
  return out
}

function splitAt(text: string, range: TextRange, separator: RegExp): TextRange[] {
  const out: TextRange[] = []
  let from = range.start
  for (const match of text.slice(range.start, range.end).matchAll(separator)) {
    const at = range.start + match.index
    if (at > from) out.push({ start: from, end: at })
    from = at + match[0].length
  }
  if (from < range.end) out.push({ start: from, end: range.end })
  return out
}

/** A stretch without any border, in steps that are surely small enough: a token has at least one byte. */
function halves(text: string, range: TextRange, most: number): { range: TextRange; size: number }[] {
  const step = Math.max(1, Math.floor(most / 3))
  const out: { range: TextRange; size: number }[] = []
  for (let start = range.start; start < range.end; ) {
    let end = Math.min(range.end, start + step)
    const unit = text.charCodeAt(end - 1)
    if (end < range.end && unit >= 0xd800 && unit < 0xdc00) end++
    out.push({ range: { start, end }, size: most })
    start = end
  }
  return out
}

function overlapStart(text: string, start: number, before: TextRange | undefined): number {
  if (before === undefined) return start
  const from = Math.max(before.start, start - OVERLAP)
  const blank = text.slice(from, start).search(/\s\S/)
  return blank < 0 ? start : from + blank + 1
}

/** The whole of a long note in one text: its name, its headings, its beginning, as much as fits. */
async function outlineChunk(note: ChunkSource, options: ChunkOptions, name: string): Promise<Chunk> {
  const outline = note.headings.map((h) => h.text).join('\n')
  const body = trimmed(note.text, { start: note.bodyStart, end: note.text.length })
  for (
    let units = Math.min(body.end - body.start, options.maxTokens * 4);
    ;
    units = Math.floor(units * 0.7)
  ) {
    const end = safeEnd(note.text, Math.min(body.end, body.start + units))
    const head = `${name}\n${outline.slice(0, Math.max(0, Math.floor(units / 2)))}`
    const text = `${head}\n\n${note.text.slice(body.start, end)}`
    if (units < 16 || (await fits([text], options))[0]) {
      return {
        id: idOf(text, options),
        scope: 'note',
        text,
        range: { start: body.start, end },
        headingPath: [],
        section: null,
      }
    }
  }
}

function safeEnd(text: string, end: number): number {
  const unit = text.charCodeAt(end - 1)
  return unit >= 0xd800 && unit < 0xdc00 ? end - 1 : end
}

function chunkOf(
  note: ChunkSource,
  options: ChunkOptions,
  {
    scope,
    prefix,
    range,
    heading,
  }: { scope: Chunk['scope']; prefix: string; range: TextRange; heading: number },
): Chunk {
  const own = note.text.slice(range.start, range.end)
  const text = own === '' ? prefix : `${prefix}\n\n${own}`
  return {
    id: idOf(text, options),
    scope,
    text,
    range,
    headingPath: pathOf(note.headings, heading),
    section: heading < 0 ? null : (note.headings[heading]?.section ?? null),
  }
}

function prefixOf(note: ChunkSource, heading: number): string {
  const path = pathOf(note.headings, heading).join(' > ')
  return (path === '' ? nameOf(note) : `${nameOf(note)}\n${path}`).slice(0, MAX_PREFIX)
}

function pathOf(headings: readonly Heading[], heading: number): string[] {
  const out: string[] = []
  for (let i = heading; i >= 0; i = headings[i]?.parent ?? -1) out.push(headings[i]?.text ?? '')
  return out.reverse()
}

function idOf(text: string, { identity }: ChunkOptions): string {
  return new Bun.CryptoHasher('sha256').update(identity).update('\0').update(text).digest('hex').slice(0, 32)
}

function trimmed(text: string, { start, end }: TextRange): TextRange {
  let from = start
  let to = end
  while (from < to && isBlank(text.charCodeAt(from))) from++
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--
  return { start: from, end: to }
}

function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || code === 0xfeff || code === 0xa0
}

function tooMany(path: string): VaultError {
  return new VaultError('too_large', `"${path}" has more than ${MAX_CHUNKS} passages.`, {
    hint: 'It is found by its words; split it into several notes to find it by meaning.',
  })
}

function prefixTooLong(path: string): VaultError {
  return new VaultError(
    'too_large',
    `Title and headings of "${path}" leave the model no room for the text.`,
    {
      hint: 'Shorten its headings, or use a model with a larger window.',
    },
  )
}
