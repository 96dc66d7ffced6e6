import { VaultError } from '../errors.ts'
import type { BlockPlace } from './block_place.ts'
import { lineStart } from './lines.ts'
import type { Block } from './note.ts'
import { lineShapes } from './outline.ts'

/** The lines of a block with other content: its marks and its id stay where they were. */
export interface RewrittenBlock {
  readonly lines: string[]
  readonly notes: string[]
}

/**
 * @param content without line ends at its end, not blank
 * @throws VaultError `bad_argument` (the content does not fit the block's kind)
 */
export function rewrittenBlock(
  text: string,
  block: Block,
  place: BlockPlace,
  content: string,
): RewrittenBlock {
  const notes: string[] = []
  const given = withoutId(content, block, notes).split(/\r?\n/)
  const old = text.slice(place.start + place.lead.length, place.end).split(/\r?\n/)
  const body = bodyOf({ block, place, old, given, notes })
  return { lines: withId(text, block, place, body), notes }
}

function withoutId(content: string, { id }: Block, notes: string[]): string {
  const own = new RegExp(`(?:[ \\t]+|(?:^|\\n)[ \\t>]*)\\^${id}[ \\t]*$`, 'i')
  if (!own.test(content)) return content
  notes.push(`The id ^${id} of the content was left out: the block keeps its own.`)
  return content.replace(own, '').trimEnd()
}

interface Rewrite {
  readonly block: Block
  readonly place: BlockPlace
  /** The block's lines without what stands before the first. */
  readonly old: readonly string[]
  readonly given: readonly string[]
  readonly notes: string[]
}

/** The lines with their marks, as yet without the id, and where an id on the same line would go. */
interface Body {
  readonly lines: string[]
  /** Index of the line that may bear the id, -1 where none can. */
  readonly idLine: number
}

function bodyOf(rewrite: Rewrite): Body {
  const { block, place, given } = rewrite
  switch (block.kind) {
    case 'list_item':
      return itemBody(rewrite)
    case 'quote':
    case 'callout':
      return quoteBody(rewrite)
    case 'heading':
      return headingBody(rewrite)
    case 'code':
      return { lines: behind(codeLines(rewrite), place), idLine: -1 }
    default:
      return { lines: behind(given, place), idLine: lastParagraphLine(given) }
  }
}

/** First line behind the lead, the others behind the margin. */
function behind(lines: readonly string[], { lead, margin }: BlockPlace): string[] {
  return lines.map((line, i) =>
    i === 0 ? lead + line : line.trim() === '' ? margin.trimEnd() : margin + line,
  )
}

const MARKER = /^([ \t]*)((?:[-+*]|\d{1,9}[.)])[ \t]+)(\[[^\]\r\n]\][ \t]+)?/

function itemBody({ place, old, given, notes }: Rewrite): Body {
  const marker = MARKER.exec(old[0] ?? '')
  if (marker === null) return { lines: behind(given, place), idLine: lastParagraphLine(given) }
  const [, indent = '', mark = '', box = ''] = marker
  const own = MARKER.exec(given[0]!)
  if (own !== null) {
    const shown = own[0].trim()
    if (shown !== (mark + box).trim())
      notes.push(`The marker "${shown}" of the content was left out: the item keeps its own.`)
  }
  const text = own === null ? given : [given[0]!.slice(own[0].length), ...given.slice(1)]
  const deeper =
    own === null ? ' '.repeat(mark.trimEnd().length + Math.min(4, mark.length - mark.trimEnd().length)) : ''
  const lines = text.map((line, i) => {
    if (i === 0) return place.lead + indent + mark + box + line
    return line.trim() === '' ? place.margin.trimEnd() : place.margin + indent + deeper + line
  })
  const shapes = lineShapes(given.join('\n'))
  const leaf = (shape: string) => shape.replace(/^(?:(?:Bullet|Ordered)List>ListItem\*?>)?/, '')
  let last = 0
  while (last + 1 < shapes.length && leaf(shapes[last + 1]!) === 'Paragraph') last++
  return { lines, idLine: /^Paragraph/.test(leaf(shapes[0] ?? '')) ? last : -1 }
}

function quoteBody({ block, place, old, given, notes }: Rewrite): Body {
  const quoted = given.every((line) => line.trim() === '' || line.startsWith('>'))
  const bare = quoted ? given.map((line) => line.replace(/^> ?/, '')) : [...given]
  const title = /^>\s?(\[![^\]\n]+\].*)$/.exec(old[0] ?? '')?.[1]
  const keepsTitle = block.kind === 'callout' && title !== undefined && !/^\[![^\]]+\]/.test(bare[0] ?? '')
  if (keepsTitle) notes.push(`The callout keeps its first line ${title}.`)
  const inner = keepsTitle ? [title, ...bare] : bare
  const lines = behind(
    inner.map((line) => (line.trim() === '' ? '>' : `> ${line}`)),
    place,
  )
  return { lines, idLine: lastParagraphLine(inner) }
}

function headingBody({ block, place, old, given }: Rewrite): Body {
  const marks = /^ {0,3}#{1,6}[ \t]+/.exec(old[0] ?? '')?.[0]
  const own = /^(#{1,6})[ \t]+/.exec(given[0]!)
  const sameLevel = own === null || own[1]!.length === marks?.trim().length
  if (marks === undefined || given.length !== 1 || !sameLevel) {
    throw new VaultError(
      'bad_argument',
      `^${block.id} is a heading: it takes one line of text of its own level.`,
      {
        hint: 'Use target_type heading to change what stands under it.',
      },
    )
  }
  return { lines: [place.lead + marks + given[0]!.slice(own?.[0].length ?? 0)], idLine: 0 }
}

/** A whole fence takes the place of the old one; other text goes between its marks. */
function codeLines({ block, place, old, given }: Rewrite): string[] {
  const fence = /^([ \t]*)(`{3,}|~{3,})/.exec(old[0] ?? '')
  if (/^[ \t]*(?:`{3,}|~{3,})/.test(given[0]!)) return [...given]
  if (fence === null) {
    const indented = given.every((line) => line.trim() === '' || /^(?: {4}|\t)/.test(line))
    return given.map((line) => (line.trim() === '' ? '' : indented ? line : `    ${line}`))
  }
  const closing = old.findLastIndex((line, i) => i > 0 && line.slice(place.margin.length).trim() === fence[2])
  const end = closing < 0 ? fence[2]! : old[closing]!.slice(place.margin.length)
  if (given.some((line) => line.trim().startsWith(fence[2]!))) {
    throw new VaultError('bad_argument', `The content would close the code block ^${block.id}.`, {
      hint: 'Send the whole block with a longer fence around it.',
    })
  }
  return [old[0]!, ...given, end]
}

/** Index of the last line where it is plain text that can bear an id, else -1. */
export function lastParagraphLine(lines: readonly string[]): number {
  const shape = lineShapes(lines.join('\n'))[lines.length - 1] ?? ''
  return /^Paragraph\*?$/.test(shape) ? lines.length - 1 : -1
}

/** Behind the text where it was, or on a line of its own where it was that or where no text can bear it. */
function withId(text: string, block: Block, place: BlockPlace, { lines, idLine }: Body): string[] {
  const { start, end } = block.idRange
  const written = text.slice(start, end)
  const line = lineStart(text, start)
  const apart = line > place.start && /^[ \t>]*$/.test(text.slice(line, start))
  if (!apart && idLine >= 0)
    return lines.map((one, i) =>
      i === idLine ? one.trimEnd() + (/^\s/.test(written) ? written : ` ${written}`) : one,
    )
  if (!apart) return [...lines, place.margin.trimEnd(), place.margin + written.trim()]
  const blanks = text.slice(place.start, line).split(/\r?\n/).slice(0, -1)
  const gap: string[] = []
  while (blanks.length > 0 && /^[ \t>]*$/.test(blanks.at(-1)!)) gap.unshift(blanks.pop()!)
  return [...lines, ...gap, text.slice(line, end)]
}
