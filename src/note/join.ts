import { VaultError } from '../errors.ts'
import { lineStart, nextLine, withEol } from './lines.ts'
import { lineShapes, topBlocks } from './outline.ts'

export interface JoinRequest {
  /** The body of a note alone, without its property block. */
  readonly body: string
  /** Offset in `body` of a line's start, or its end: the content comes in front of that line. */
  readonly at: number
  readonly content: string
  readonly eol: '\n' | '\r\n'
  /** Lines of one paragraph may go on where the content is plain text: a line is added to a log. */
  readonly joinParagraphs?: boolean
  /** The containers that the content stands in, as in line shapes: `BulletList>ListItem>`; it is indented already. */
  readonly inside?: string
}

export interface Join {
  /** What to put at `at`: the content as whole lines, with a blank line before or after it where one is needed. */
  readonly insert: string
  /** Nothing helps and nothing follows: the content is a part of the block above, a code block without end perhaps. */
  readonly swallowed: boolean
}

/**
 * How content is put between two lines so that it, the text before it and the text after it stay what they are: where
 * joined text would become something else (one paragraph, a setext heading, a longer table, a part of a list item),
 * one blank line goes between, and none elsewhere.
 * @throws VaultError `bad_argument` where the content would change what follows it whatever stands between
 */
export function joinLines(request: JoinRequest): Join {
  const before = request.body.slice(0, request.at)
  const after = request.body.slice(request.at)
  const content = contentLines(request, before, after)
  const window = windowAround(request.body, request.at)
  const right = shapesOf(content, request.inside)
  for (const [left, rear] of CANDIDATES) {
    const insert = assemble(request, { before, after, content, left, rear })
    if (fits(request, window, insert, right)) return { insert, swallowed: false }
  }
  return lastResort(request, { before, after, content, window, right })
}

/** Blank line before, blank line after: fewest first. */
const CANDIDATES = [
  [false, false],
  [true, false],
  [false, true],
  [true, true],
] as const

/** The blocks next to `at`; what lies further away cannot change, since no block reaches over its neighbour. */
interface Window {
  readonly start: number
  readonly end: number
  /** Lines of the window before and after `at`, blank ones left out, by what they are. */
  readonly before: readonly string[]
  readonly after: readonly string[]
  readonly beforeText: string
}

function contentLines({ content, eol }: JoinRequest, before: string, after: string): string {
  const lines = withEol(content, eol)
  if (lines.endsWith('\n') || (after === '' && before !== '' && !before.endsWith('\n'))) return lines
  return lines + (after === '' && before === '' ? '' : eol)
}

function assemble(
  { eol }: JoinRequest,
  {
    before,
    after,
    content,
    left,
    rear,
  }: { before: string; after: string; content: string; left: boolean; rear: boolean },
): string {
  const open = before !== '' && !before.endsWith('\n') ? eol : ''
  return open + (left && before !== '' ? eol : '') + content + (rear && after !== '' ? eol : '')
}

function windowAround(body: string, at: number): Window {
  const blocks = topBlocks(body)
  const last = blocks.findLast(({ start }) => start < at)
  const next = blocks.find(({ start }) => start >= at)
  const start = last === undefined ? 0 : lineStart(body, last.start)
  const end = nextLine(body, Math.max(at, last?.end ?? 0, next?.end ?? 0))
  const text = body.slice(start, end)
  const shapes = lineShapes(text)
  const split = at - start
  const count = countLines(text.slice(0, split))
  const filled = filledShapes(text, shapes)
  return {
    start,
    end,
    before: filled.filter(({ line }) => line < count).map(({ shape }) => shape),
    after: filled.filter(({ line }) => line >= count).map(({ shape }) => shape),
    beforeText: text.slice(0, split),
  }
}

function shapesOf(content: string, inside: string | undefined): readonly string[] {
  const own = inside === undefined ? content : unindent(content, inside)
  return filledShapes(own, lineShapes(own)).map(({ shape }) => (inside ?? '') + shape)
}

/** The content as it was before it was moved into its container. */
function unindent(content: string, inside: string): string {
  const depth = inside.split('>').filter((name) => name === 'Blockquote').length
  const quotes = new RegExp(`^(?:[ \\t]*> ?){0,${depth}}`)
  const lines = content.split('\n').map((line) => line.replace(quotes, ''))
  const filled = lines.filter((line) => line.trim() !== '')
  const indent = Math.min(...filled.map((line) => /^[ \t]*/.exec(line)![0].length))
  return lines.map((line) => line.slice(Math.min(indent, line.length))).join('\n')
}

function fits(request: JoinRequest, window: Window, insert: string, right: readonly string[]): boolean {
  const now = shapesWith(request, window, insert)
  const wanted = [...window.before, ...right, ...window.after]
  if (now.length !== wanted.length) return false
  const seams = [window.before.length, window.before.length + right.length]
  const closed = endsInId(window.beforeText)
  return now.every(({ shape, line }, i) => {
    const above = i === 0 ? undefined : now[i - 1]
    if (!seams.includes(i) || above === undefined) return shape === wanted[i]
    // Not every reader of Markdown lets a table begin right under text.
    if (shape === 'Table*' && isParagraph(above.shape) && line === above.line + 1) return false
    if (shape === wanted[i]) return true
    const plain = request.joinParagraphs === true && isParagraph(wanted[i - 1]) && wanted[i] === 'Paragraph*'
    return plain && shape === 'Paragraph' && !(closed && i === seams[0])
  })
}

function shapesWith({ body, at }: JoinRequest, { start, end }: Window, insert: string): Filled[] {
  const text = body.slice(start, at) + insert + body.slice(at, end)
  return filledShapes(text, lineShapes(text))
}

function isParagraph(shape: string | undefined): boolean {
  return shape === 'Paragraph' || shape === 'Paragraph*'
}

/** Indented content after a list becomes a part of its last item: a child, or a paragraph after a blank line. */
function fitsIntoList(request: JoinRequest, window: Window, insert: string, count: number): boolean {
  if (!/^\s*\n?[ \t]/.test(request.content) || !/^(?:Bullet|Ordered)List>/.test(window.before.at(-1) ?? ''))
    return false
  const now = shapesWith(request, window, insert).map(({ shape }) => shape)
  const first = window.before.length
  return (
    now.length === first + count + window.after.length &&
    window.before.every((shape, i) => shape === now[i]) &&
    window.after.every((shape, i) => shape === now[first + count + i]) &&
    now.slice(first, first + count).every((shape) => /^(?:Bullet|Ordered)List>/.test(shape)) &&
    (now[first]?.endsWith('*') ?? false)
  )
}

/** A block id belongs to the paragraph that it ends: a line more and it would be plain text. */
function endsInId(text: string): boolean {
  return /(?:^|\s)\^[A-Za-z0-9-]+[ \t]*\r?\n?$/.test(text.slice(-300))
}

function lastResort(
  request: JoinRequest,
  parts: { before: string; after: string; content: string; window: Window; right: readonly string[] },
): Join {
  for (const [left, rear] of CANDIDATES) {
    const insert = assemble(request, { ...parts, left, rear })
    if (fitsIntoList(request, parts.window, insert, parts.right.length)) return { insert, swallowed: false }
  }
  if (parts.after.trim() === '') {
    const left = parts.before.trim() !== ''
    return { insert: assemble(request, { ...parts, left, rear: false }), swallowed: true }
  }
  throw new VaultError('bad_argument', 'The content would change what the text around it is.', {
    hint: 'Close every code fence, comment and HTML block of the content; a part of a list is sent as list items.',
  })
}

interface Filled {
  readonly line: number
  readonly shape: string
}

/** Lines that hold something, with what they are. */
function filledShapes(text: string, shapes: readonly string[]): Filled[] {
  const filled: Filled[] = []
  text.split('\n').forEach((line, i) => {
    if (/[^\s>]/.test(line)) filled.push({ line: i, shape: shapes[i] ?? '' })
  })
  return filled
}

function countLines(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return text === '' || text.endsWith('\n') ? count : count + 1
}
