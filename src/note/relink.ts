import { scanBlock } from './frontmatter.ts'
import { writeAddress, writeFragment } from './link_address.ts'
import type { Link } from './note.ts'
import { parseNote } from './parse.ts'
import { applySplices, insertion, type Splice } from './splice.ts'
import { readYaml, type YamlText } from './yaml.ts'

/** What a link becomes; what is not named stays byte for byte. */
export interface LinkRewrite {
  /** Decoded, in the form it shall have: with or without `.md`, relative or from the root. */
  readonly target?: string
  /** Without the first `#`; null takes it away. */
  readonly fragment?: string | null
  /** Alias of a wikilink, text of a Markdown link. */
  readonly display?: string
}

/**
 * Rewrites links of a note where they stand, in the body and in properties: only their target, fragment and display
 * text change. The way a link is written stays: `<…>` or `%20`, the `\|` of tables, the quotes of properties.
 * @param rewrite asked for each link in the order of the text; null leaves it
 * @returns `count`: links whose bytes changed
 */
export function rewriteLinks(
  text: string,
  rewrite: (link: Link) => LinkRewrite | null,
): { text: string; count: number } {
  const { links, frontmatter } = parseNote(text)
  const texts = frontmatter.yaml === null ? [] : propertyTexts(text, frontmatter.yaml.start)
  const splices: Splice[] = []
  const inTexts = new Map<YamlText, Splice[]>()
  let count = 0
  for (const link of links) {
    const wanted = rewrite(link)
    if (wanted === null) continue
    const holder = texts.find(({ start, end }) => start <= link.range.start && link.range.end <= end)
    const changes = changesOf(text, link, wanted, holder?.quote ?? '').filter(
      ({ range, text: written }) => text.slice(range.start, range.end) !== written,
    )
    if (changes.length === 0) continue
    count++
    if (holder === undefined) splices.push(...changes)
    else inTexts.set(holder, [...(inTexts.get(holder) ?? []), ...changes])
  }
  for (const [holder, changes] of inTexts) splices.push(...keptAsText(text, holder, changes))
  return { text: applySplices(text, splices), count }
}

function propertyTexts(text: string, offset: number): YamlText[] {
  return scanBlock(text).texts.map((one) => ({ ...one, start: one.start + offset, end: one.end + offset }))
}

function changesOf(text: string, link: Link, wanted: LinkRewrite, quote: YamlText['quote']): Splice[] {
  const wiki = link.kind === 'wikilink' || link.kind === 'embed'
  const quoted = (written: string) => inQuotes(written, quote)
  const changes: Splice[] = []
  const { targetRange, fragmentRange } = link
  if (wanted.target !== undefined && wanted.target !== link.target) {
    const old = text.slice(targetRange.start, targetRange.end)
    const pointed = text[targetRange.start - 1] === '<'
    const written = wiki ? wanted.target : writeAddress(wanted.target, { old, pointed })
    changes.push({ range: targetRange, text: quoted(written) })
  }
  if (wanted.fragment !== undefined && wanted.fragment !== link.fragment) {
    const range = fragmentRange ?? { start: targetRange.end, end: targetRange.end }
    const pointed = text[targetRange.start - 1] === '<'
    const { fragment } = wanted
    const written = fragment === null ? '' : `#${wiki ? fragment : writeFragment(fragment, pointed)}`
    changes.push({ range, text: quoted(written) })
  }
  if (wanted.display !== undefined && wanted.display !== link.display) {
    changes.push(
      ...displayChange(text, link, wanted.display, wiki).map((s) => ({ ...s, text: quoted(s.text) })),
    )
  }
  return changes
}

function displayChange(text: string, link: Link, display: string, wiki: boolean): Splice[] {
  const { raw, range, targetRange, fragmentRange } = link
  if (!wiki) {
    const open = range.start + (link.kind === 'markdown_embed' ? 2 : 1)
    const close = open + (link.display?.length ?? 0)
    // Only a text that stands there as it is read can be exchanged.
    return link.display === null || text.slice(open, close) === link.display
      ? [{ range: { start: open, end: close }, text: display }]
      : []
  }
  const left = fragmentRange?.end ?? targetRange.end
  const pipe = raw.indexOf('|', left - range.start)
  if (pipe >= 0) return [{ range: { start: range.start + pipe + 1, end: range.end - 2 }, text: display }]
  return [insertion(left, `${inTable(text, range.start) ? '\\|' : '|'}${display}`)]
}

/** Is the line a table's row, in which a bare pipe would end the cell? */
function inTable(text: string, at: number): boolean {
  const start = text.lastIndexOf('\n', at - 1) + 1
  const feed = text.indexOf('\n', at)
  const line = text.slice(start, feed < 0 ? text.length : feed)
  return /^[\s>]*\|/.test(line) || /\s\|\s/.test(line.replace(/\[\[[^\]]*\]\]/g, ''))
}

function inQuotes(written: string, quote: YamlText['quote']): string {
  if (quote === "'") return written.replaceAll("'", "''")
  return quote === '"' ? JSON.stringify(written).slice(1, -1) : written
}

/** Text without quotes may need them now. */
function keptAsText(text: string, { start, end, quote }: YamlText, changes: readonly Splice[]): Splice[] {
  if (quote !== '') return [...changes]
  const moved = changes.map(({ range, text: written }) => ({
    range: { start: range.start - start, end: range.end - start },
    text: written,
  }))
  const content = applySplices(text.slice(start, end), moved)
  const alone = readYaml(`k: ${content}\n`)
  if (content.includes('\n') || (alone.data !== null && alone.data.k === content)) return [...changes]
  return [{ range: { start, end }, text: JSON.stringify(content) }]
}
