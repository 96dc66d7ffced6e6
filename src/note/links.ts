import type { SyntaxNode } from './markdown/tree.ts'
import type { Link, TextRange } from './note.ts'

/** Where in a note a link was found. */
export interface LinkPlace {
  /** The text that the node's offsets count in. */
  readonly text: string
  /** Added to those offsets. */
  readonly offset: number
  readonly line: number
  readonly property: string | null
}

/** A link from its syntax node, or null where it points out of the vault or at nothing. */
export function linkOf(node: SyntaxNode, place: LinkPlace): Link | null {
  if (node.name === 'WikiLink' || node.name === 'WikiEmbed') return wikiLink(node, place)
  if (node.name === 'Link' || node.name === 'Image') return markdownLink(node, place)
  if (node.name === 'LinkReference') return definition(node, place)
  return null
}

/** `[[target#fragment|display]]`: the first pipe ends the left part, its first `#` the target. */
function wikiLink(node: SyntaxNode, place: LinkPlace): Link | null {
  const raw = place.text.slice(node.from, node.to)
  const embed = node.name === 'WikiEmbed'
  const open = embed ? 3 : 2
  const inner = raw.slice(open, -2)
  const pipe = inner.indexOf('|')
  // In a table the pipe is escaped: the backslash is the table's, not the target's.
  const left = pipe < 0 ? inner.length : pipe > 0 && inner[pipe - 1] === '\\' ? pipe - 1 : pipe
  const hash = inner.slice(0, left).indexOf('#')
  const targetRange = trimmed(inner, 0, hash < 0 ? left : hash)
  const fragmentRange = hash < 0 ? null : trimmed(inner, hash, left)
  const target = inner.slice(targetRange.start, targetRange.end)
  const fragment =
    fragmentRange === null ? null : inner.slice(fragmentRange.start + 1, fragmentRange.end).trim()
  if (target === '' && !fragment) return null
  const base = place.offset + node.from + open
  return {
    kind: embed ? 'embed' : 'wikilink',
    raw,
    target,
    fragment: fragment || null,
    display: pipe < 0 ? null : displayOf(inner.slice(pipe + 1), embed),
    line: place.line,
    range: { start: place.offset + node.from, end: place.offset + node.to },
    targetRange: shifted(targetRange, base),
    fragmentRange: fragmentRange === null ? null : shifted(fragmentRange, base),
    property: place.property,
  }
}

function trimmed(text: string, from: number, to: number): TextRange {
  let start = from
  let end = to
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return { start, end }
}

function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x09 || unit === 0xa0
}

function shifted(range: TextRange, by: number): TextRange {
  return { start: range.start + by, end: range.end + by }
}

/** What follows the pipe; the size of an embed (`100`, `100x145`) is no text. */
function displayOf(written: string, embed: boolean): string | null {
  const text = embed ? written.replace(/(?:^|\\?\|)\s*\d+(?:x\d+)?\s*$/, '') : written
  return text.trim() || null
}

/** `[display](target#fragment "title")`, also with `<target>`. */
function markdownLink(node: SyntaxNode, place: LinkPlace): Link | null {
  const url = node.children.findLast((child) => child.name === 'URL')
  const [open, close] = node.children.filter((child) => child.name === 'LinkMark')
  if (url === undefined || open === undefined || close === undefined || url.from < close.to) return null
  const embed = node.name === 'Image'
  const display = displayOf(place.text.slice(open.to, close.from), embed)
  return toAddress(node, url, embed ? 'markdown_embed' : 'markdown', display, place)
}

/** `[label]: target`: the label stands for the display text. */
function definition(node: SyntaxNode, place: LinkPlace): Link | null {
  const label = node.children.find((child) => child.name === 'LinkLabel')
  const url = node.children.find((child) => child.name === 'URL')
  if (label === undefined || url === undefined) return null
  return toAddress(node, url, 'markdown', place.text.slice(label.from + 1, label.to - 1), place)
}

function toAddress(
  node: SyntaxNode,
  url: SyntaxNode,
  kind: Link['kind'],
  display: string | null,
  place: LinkPlace,
): Link | null {
  const { text, offset } = place
  const pointed = text[url.from] === '<' && text[url.to - 1] === '>'
  const range = { start: pointed ? url.from + 1 : url.from, end: pointed ? url.to - 1 : url.to }
  const written = text.slice(range.start, range.end)
  if (written === '' || isExternal(written)) return null
  const hash = written.indexOf('#')
  const middle = hash < 0 ? range.end : range.start + hash
  const target = decodeAddress(text.slice(range.start, middle))
  const fragment = hash < 0 ? null : decodeAddress(text.slice(middle + 1, range.end))
  if (target === '' && !fragment) return null
  return {
    kind,
    raw: text.slice(node.from, node.to),
    target,
    fragment: fragment || null,
    display,
    line: place.line,
    range: { start: offset + node.from, end: offset + node.to },
    targetRange: { start: offset + range.start, end: offset + middle },
    fragmentRange: hash < 0 ? null : { start: offset + middle, end: offset + range.end },
    property: place.property,
  }
}

/** An address with a scheme (two letters at least) or a host leads out of the vault. */
function isExternal(address: string): boolean {
  return /^(?:[a-z][a-z0-9+.-]+:|\/\/|\\\\)/i.test(address)
}

/** Backslash escapes and percent signs resolved once; what is no valid encoding stays as written. */
function decodeAddress(written: string): string {
  const plain = written.replace(/\\([!-/:-@[-`{-~])/g, '$1').replace(/&amp;/g, '&')
  return plain.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    try {
      return decodeURIComponent(run)
    } catch {
      return run
    }
  })
}
