import { VaultError } from '../errors.ts'
import { lineStart, nextLine, withEol } from './lines.ts'
import { lineShapes, topBlocks } from './outline.ts'

export interface JoinRequest {
  /** The body of a note alone, without its property block. */
  readonly body: string
  /** Offset in `body` of a line's start, or its end: the content comes in front of that line. */
  readonly at: number
  /** The start of the first line that stays, where lines from `at` on are replaced; default `at`. */
  readonly end?: number
  /** `''` where lines are only taken out. */
  readonly content: string
  readonly eol: '\n' | '\r\n'
  /** Lines of one paragraph may go on where the content is plain text: a line is added to a log. */
  readonly joinParagraphs?: boolean
  /** The containers that the content stands in, as in line shapes (`BulletList>ListItem>`), and its lines bear their marks. */
  readonly inside?: string
  /** The note ends with a line end; default: its body does. */
  readonly ended?: boolean
  /** What a blank line between has to bear there: the marks of quotes. */
  readonly blank?: string
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
  const window = windowAround(request)
  const right = contentShapes(request)
  const tries = CANDIDATES.map((blanks) => assemble(request, blanks))
  const insert =
    tries.find((one) => fits(request, window, one, right)) ??
    tries.find((one) => fitsIntoList(request, window, one, right.length))
  if (insert !== undefined) return { insert, swallowed: false }
  const { before, after } = sides(request)
  if (after.trim() === '' && request.inside === undefined) {
    return {
      insert: assemble(request, { left: before.trim() !== '', right: false }),
      swallowed: right.length > 0,
    }
  }
  throw new VaultError('bad_argument', 'The change would turn the text around it into something else.', {
    hint: 'Close every code fence, comment and HTML block of the content, and send a part of a list as list items.',
  })
}

interface Blanks {
  readonly left: boolean
  readonly right: boolean
}

/** Fewest blank lines first. */
const CANDIDATES: readonly Blanks[] = [
  { left: false, right: false },
  { left: true, right: false },
  { left: false, right: true },
  { left: true, right: true },
]

function sides({ body, at, end = at }: JoinRequest): { before: string; after: string } {
  return { before: body.slice(0, at), after: body.slice(end) }
}

function assemble(request: JoinRequest, { left, right }: Blanks): string {
  const { eol, blank = '' } = request
  const { before, after } = sides(request)
  const content = withEol(request.content, eol)
  if (content === '') return left ? blank + eol : ''
  const opened = before === '' || before.endsWith('\n') ? '' : eol
  // A note keeps its last line end, or the lack of one.
  const { ended = request.body.endsWith('\n') } = request
  const open = after === '' && !ended
  const closed = content.endsWith('\n') || open ? '' : eol
  const line = blank + eol
  return opened + (left && before !== '' ? line : '') + content + closed + (right && after !== '' ? line : '')
}

/** The blocks next to the change; what lies further away stays, since no block reaches over its neighbour. */
interface Window {
  readonly start: number
  readonly end: number
  /** Lines of the window before and after the change, blank ones left out, by what they are. */
  readonly before: readonly string[]
  readonly after: readonly string[]
  /** The last line before the change ends in a block id. */
  readonly closed: boolean
}

function windowAround({ body, at, end: stop = at }: JoinRequest): Window {
  const blocks = topBlocks(body)
  const last = blocks.findLast(({ start }) => start < at)
  const next = blocks.find(({ start }) => start >= stop)
  const over = blocks.findLast(({ start }) => start < stop)
  const start = last === undefined ? 0 : lineStart(body, last.start)
  const end = nextLine(body, Math.max(stop, last?.end ?? 0, over?.end ?? 0, next?.end ?? 0))
  const text = body.slice(start, end)
  const filled = filledShapes(text)
  const first = countLines(text.slice(0, at - start))
  const rest = stop === at ? first : countLines(text.slice(0, stop - start))
  return {
    start,
    end,
    before: filled.filter(({ line }) => line < first).map(({ shape }) => shape),
    after: filled.filter(({ line }) => line >= rest).map(({ shape }) => shape),
    closed: endsInId(body.slice(start, at)),
  }
}

function contentShapes({ content, inside }: JoinRequest): readonly string[] {
  const own = inside === undefined ? content : unindent(content, inside)
  return filledShapes(own).map(({ shape }) => (inside ?? '') + shape)
}

/** Which line is the first of a container may change where the content stands in it. */
function withoutOuterStars(shape: string | undefined, inside: string | undefined): string | undefined {
  if (shape === undefined || inside === undefined) return shape
  const depth = inside.split('>').length - 1
  return shape
    .split('>')
    .map((part, i) => (i < depth ? part.replace('*', '') : part))
    .join('>')
}

/** The content as it was before its lines got the marks of their containers. */
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
  const outer = (shape: string | undefined) => withoutOuterStars(shape, request.inside)
  const seams = [window.before.length, window.before.length + right.length]
  return now.every(({ shape, line }, i) => {
    const above = i === 0 ? undefined : now[i - 1]
    if (!seams.includes(i) || above === undefined) return outer(shape) === outer(wanted[i])
    // Not every reader of Markdown lets a table begin right under text.
    if (shape === 'Table*' && isParagraph(above.shape) && line === above.line + 1) return false
    if (outer(shape) === outer(wanted[i])) return true
    const plain = request.joinParagraphs === true && isParagraph(wanted[i - 1]) && wanted[i] === 'Paragraph*'
    return plain && shape === 'Paragraph' && !(window.closed && i === seams[0])
  })
}

/** Indented content after a list becomes a part of its last item: a child, or a paragraph after a blank line. */
function fitsIntoList(request: JoinRequest, window: Window, insert: string, count: number): boolean {
  if (count === 0 || !/^\s*\n?[ \t]/.test(request.content) || !inList(window.before.at(-1))) return false
  const now = shapesWith(request, window, insert).map(({ shape }) => shape)
  const first = window.before.length
  return (
    now.length === first + count + window.after.length &&
    window.before.every((shape, i) => shape === now[i]) &&
    window.after.every((shape, i) => shape === now[first + count + i]) &&
    now.slice(first, first + count).every(inList) &&
    now[first]!.endsWith('*')
  )
}

function inList(shape: string | undefined): boolean {
  return /^(?:Bullet|Ordered)List>/.test(shape ?? '')
}

function isParagraph(shape: string | undefined): boolean {
  return shape === 'Paragraph' || shape === 'Paragraph*'
}

/** A block id belongs to the paragraph that it ends: a line more and it would be plain text. */
function endsInId(text: string): boolean {
  return /(?:^|\s)\^[A-Za-z0-9-]+[ \t]*\r?\n?$/.test(text.slice(-300))
}

interface Filled {
  readonly line: number
  readonly shape: string
}

function shapesWith({ body, at, end = at }: JoinRequest, window: Window, insert: string): Filled[] {
  return filledShapes(body.slice(window.start, at) + insert + body.slice(end, window.end))
}

/** Lines that hold something, with what they are. */
function filledShapes(text: string): Filled[] {
  const shapes = lineShapes(text)
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
