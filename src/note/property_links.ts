import type { Lines } from './line_index.ts'
import { linkOf } from './links.ts'
import { parseInline } from './markdown/grammar.ts'
import { tagAt } from './markdown/tag.ts'
import type { SyntaxNode } from './markdown/tree.ts'
import type { Link, TagUse, TextRange } from './note.ts'
import type { YamlText } from './yaml.ts'

const NEEDS_LINKS = /\[\[|\]\(/

/** Links that stand in the text values of properties. `offset` is where the YAML begins in the note. */
export function propertyLinks(
  yaml: string,
  texts: readonly YamlText[],
  offset: number,
  lines: Lines,
): Link[] {
  const links: Link[] = []
  for (const text of texts) {
    const written = yaml.slice(text.start, text.end)
    if (!NEEDS_LINKS.test(written)) continue
    for (const link of linksIn(written, offset + text.start, text.property, lines))
      links.push(unquoted(link, text.quote))
  }
  return links.sort((a, b) => a.range.start - b.range.start)
}

/** The same for a block that does not parse: what looks like a link counts, so that a rename does not lose it. */
export function brokenPropertyLinks(note: string, yaml: TextRange, lines: Lines): Link[] {
  const links: Link[] = []
  let property = ''
  for (let at = yaml.start; at < yaml.end; ) {
    const feed = note.indexOf('\n', at)
    const end = feed < 0 || feed >= yaml.end ? yaml.end : feed
    const line = note.slice(at, end)
    property = /^["']?([^\s"'#:-][^"':]*)["']?:/.exec(line)?.[1] ?? property
    if (NEEDS_LINKS.test(line)) links.push(...linksIn(line, at, property, lines))
    at = end + 1
  }
  return links
}

function linksIn(text: string, offset: number, property: string, lines: Lines): Link[] {
  const links: Link[] = []
  const visit = (node: SyntaxNode): void => {
    const place = { text, offset, line: lines.at(offset + node.from), property }
    const link = linkOf(node, place)
    if (link !== null) links.push(link)
    node.children.forEach(visit)
  }
  parseInline(text, 0).forEach(visit)
  return links
}

/** Targets as the value has them: the escapes of the quotes resolved. */
function unquoted(link: Link, quote: YamlText['quote']): Link {
  const plain = (text: string) =>
    quote === "'" ? text.replaceAll("''", "'") : quote === '"' ? text.replace(/\\(["\\/])/g, '$1') : text
  if (quote !== "'" && quote !== '"') return link
  return {
    ...link,
    target: plain(link.target),
    fragment: link.fragment === null ? null : plain(link.fragment),
    display: link.display === null ? null : plain(link.display),
  }
}

/** Tags of the properties `tags` and `tag` (any case): lists and texts, parted by commas or blanks, `#` optional. */
export function propertyTags(
  yaml: string,
  texts: readonly YamlText[],
  offset: number,
  lines: Lines,
): TagUse[] {
  const tags: TagUse[] = []
  for (const text of texts) {
    if (!/^tags?$/i.test(text.property)) continue
    const written = yaml.slice(text.start, text.end)
    for (const token of written.matchAll(/[^\s,"']+/g)) {
      const hash = token[0].startsWith('#') ? 1 : 0
      const tag = tagAt(written, token.index + hash)
      if (tag === '' || hash + tag.length !== token[0].replace(/\/+$/, '').length) continue
      const start = offset + text.start + token.index + hash
      tags.push({
        tag,
        line: lines.at(start),
        range: { start, end: start + tag.length },
        inFrontmatter: true,
      })
    }
  }
  return tags.sort((a, b) => a.range.start - b.range.start)
}
