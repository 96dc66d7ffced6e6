import type { LinkFact, NoteFacts } from '../../src/note/note.ts'
import { stemOf, type VaultPath } from '../../src/note/path.ts'

/** What a note that holds these lines says, as far as tests of the graph need it: links, headings, block ids. */
export function factsOf(path: VaultPath, text: string, more: Partial<NoteFacts> = {}): NoteFacts {
  const lines = text.split('\n')
  return {
    title: stemOf(path),
    aliases: [],
    tags: [],
    frontmatter: null,
    frontmatterKind: 'absent',
    headings: lines.flatMap((line, i) => {
      const found = /^(#{1,6}) (.*)$/.exec(line)
      return found ? [{ level: found[1]!.length, text: found[2]!, line: i + 1 }] : []
    }),
    links: lines.flatMap((line, i) => linksIn(line, i + 1)),
    blocks: lines.flatMap((line, i) => {
      const id = / \^([\w-]+)$/.exec(line)?.[1]
      return id === undefined ? [] : [{ id, line: i + 1 }]
    }),
    tasks: [],
    inlineFields: [],
    words: 0,
    problems: [],
    ...more,
  }
}

/** Links in simple spellings: `[[a#H|x]]`, `![[a]]`, `[t](a.md#h)`, `![t](a.png)`. */
export function linksIn(line: string, number = 1): LinkFact[] {
  const pattern = /(!?)\[\[([^\]]+)\]\]|(!?)\[([^\]]*)\]\(([^)]+)\)/g
  return [...line.matchAll(pattern)].map(([raw, wikiEmbed, wiki, markdownEmbed, text, destination]) => {
    const [inner, display] =
      wiki === undefined ? [decodeURIComponent(destination!), text!] : halves(wiki, '|')
    const [target, fragment] = halves(inner!, '#')
    const kind =
      wiki === undefined
        ? markdownEmbed === '!'
          ? 'markdown_embed'
          : 'markdown'
        : wikiEmbed === '!'
          ? 'embed'
          : 'wikilink'
    return { kind, raw, target: target!, fragment, display, line: number, property: null }
  })
}

function halves(text: string, mark: string): [string, string | null] {
  const at = text.indexOf(mark)
  return at < 0 ? [text, null] : [text.slice(0, at), text.slice(at + 1)]
}
