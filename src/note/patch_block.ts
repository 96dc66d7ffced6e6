import { VaultError } from '../errors.ts'
import { type BlockPlace, blockPlace } from './block_place.ts'
import { rewrittenBlock } from './block_rewrite.ts'
import { joinLines } from './join.ts'
import type { Block } from './note.ts'
import { contentOf, type PatchContext, type PatchEdit, withoutEndLines } from './patch_request.ts'

/**
 * Changes a block, or puts text before or after it. Text beside a list item becomes an item of the same list where it
 * is one, else a part of the item: no list is broken. Marks (`- `, `- [ ] `, `> `) and the id stay.
 */
export function patchBlock(context: PatchContext, block: Block): PatchEdit {
  const { text, parsed, request } = context
  const place = blockPlace(text, parsed, block)
  switch (request.operation) {
    case 'append':
    case 'prepend':
      return { ...beside(context, place, request.operation), grows: block.range }
    case 'replace': {
      // A block begins with its first words: blank lines before them are not its.
      const content = withoutEndLines(contentOf(request)).replace(/^(?:[ \t]*\r?\n)+/, '')
      if (content.trim() === '') return taken(context, place)
      const { lines, notes } = rewrittenBlock(text, block, place, content)
      return placed(
        context,
        { at: place.start, end: place.end, lines, inside: place.inside, margin: place.margin },
        notes,
      )
    }
    case 'delete':
      return taken(context, place)
    default:
      return renamed(context, block)
  }
}

interface Placing {
  readonly at: number
  readonly end: number
  readonly lines: readonly string[]
  readonly inside: string
  readonly margin: string
}

function placed(
  { text, parsed }: PatchContext,
  { at, end, lines, inside, margin }: Placing,
  notes: readonly string[] = [],
): PatchEdit {
  const { bodyStart } = parsed.frontmatter
  const { insert } = joinLines({
    body: text.slice(bodyStart),
    at: at - bodyStart,
    end: end - bodyStart,
    content: lines.join('\n'),
    eol: parsed.eol,
    ...(inside === '' ? {} : { inside }),
    blank: margin.trimEnd(),
  })
  return { range: { start: at, end }, insert, notes }
}

function beside(context: PatchContext, place: BlockPlace, operation: 'append' | 'prepend'): PatchEdit {
  const content = withoutEndLines(contentOf(context.request))
  if (content === '') return { range: { start: place.end, end: place.end }, insert: '', notes: [] }
  const at = operation === 'append' ? place.end : place.start
  const lines = content.split(/\r?\n/)
  const { inside, margin } = place
  if (place.list === null)
    return placed(context, { at, end: at, lines: marked(lines, margin), inside, margin })
  const first = context.text.slice(place.start + place.lead.length)
  const marker = /^([ \t]*)([-+*]|\d{1,9}[.)])([ \t]+)/.exec(first)
  const indent = margin + (marker?.[1] ?? '')
  if (ITEM.test(lines.find((line) => line.trim() !== '') ?? '')) {
    const items = marker === null ? lines : sameMarkers(lines, marker[2]!, operation)
    return placed(context, { at, end: at, lines: marked(items, indent), inside, margin })
  }
  if (operation === 'append') {
    const deeper = indent + ' '.repeat((marker?.[2]?.length ?? 1) + Math.min(4, marker?.[3]?.length ?? 1))
    return placed(context, {
      at,
      end: at,
      lines: marked(lines, deeper),
      inside: `${inside}${place.list}>ListItem>`,
      margin,
    })
  }
  if (!place.hasItemBefore)
    return placed(context, { at, end: at, lines: marked(lines, indent), inside, margin })
  throw new VaultError('bad_argument', 'Text before an item would break its list in two.', {
    hint: 'Send a list item ("- text"), or use append to add text to the item before.',
  })
}

/** An item at the margin: what follows it may be its own children. */
const ITEM = /^(?:[-+*]|\d{1,9}[.)])[ \t]+\S/

/** Another marker would begin another list. */
function sameMarkers(lines: readonly string[], marker: string, operation: 'append' | 'prepend'): string[] {
  const number = Number.parseInt(marker, 10)
  let next = operation === 'append' ? number + 1 : number
  return lines.map((line) => {
    if (!ITEM.test(line)) return line
    const rest = line.replace(/^(?:[-+*]|\d{1,9}[.)])/, '')
    return (Number.isNaN(number) ? marker : `${next++}${marker.at(-1)}`) + rest
  })
}

function marked(lines: readonly string[], margin: string): string[] {
  return lines.map((line) => (line.trim() === '' ? margin.trimEnd() : margin + line))
}

/** Takes the block's lines out, and one of the two blank lines that would meet. */
function taken(context: PatchContext, place: BlockPlace): PatchEdit {
  const { text, parsed } = context
  const { bodyStart } = parsed.frontmatter
  const blankBefore = /(?:^|\n)([ \t]*\r?\n)$/.exec(text.slice(bodyStart, place.start))
  const blankAfter =
    place.end >= text.length || /^[ \t]*(?:\r?\n|$)/.test(text.slice(place.end, place.end + 1000))
  const at = blankBefore !== null && blankAfter ? place.start - blankBefore[1]!.length : place.start
  return placed(context, { at, end: place.end, lines: [], inside: place.inside, margin: place.margin })
}

function renamed({ text, parsed, request }: PatchContext, block: Block): PatchEdit {
  const id = contentOf(request).trim().replace(/^\^/, '')
  if (!/^[A-Za-z0-9-]+$/.test(id)) {
    throw new VaultError('bad_argument', `${JSON.stringify(id)} is no block id.`, {
      hint: 'An id has letters, digits and dashes: ^my-id.',
    })
  }
  if (parsed.blocks.some((other) => other !== block && other.id.toLowerCase() === id.toLowerCase())) {
    throw new VaultError('already_exists', `The note has a block ^${id} already.`, {
      hint: 'Choose another id.',
    })
  }
  const start = text.indexOf('^', block.idRange.start) + 1
  return { range: { start, end: start + block.id.length }, insert: id, notes: [] }
}
