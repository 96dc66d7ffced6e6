import { type BodyReading, readBody } from './body.ts'
import { scanBlock } from './frontmatter.ts'
import { headingsOf } from './headings.ts'
import { type Lines, linesOf } from './line_index.ts'
import type { Link, ParsedNote, TagUse, Task } from './note.ts'
import { brokenPropertyLinks, propertyLinks, propertyTags } from './property_links.ts'

/**
 * Reads a note as the application does: properties, headings, links, tags, blocks, tasks and inline fields with
 * their places. Never throws; linear in the length of the text.
 */
export function parseNote(text: string): ParsedNote {
  const { frontmatter, texts } = scanBlock(text)
  const { yaml, kind, problems } = frontmatter
  const lines = linesOf(text)
  const body = readBody(text, frontmatter.bodyStart, lines)
  let links: Link[] = body.links
  let tags: TagUse[] = body.tags
  if (yaml !== null && kind === 'mapping') {
    const source = text.slice(yaml.start, yaml.end)
    links = [...propertyLinks(source, texts, yaml.start, lines), ...links]
    tags = [...propertyTags(source, texts, yaml.start, lines), ...tags]
  } else if (yaml !== null && kind === 'broken') links = [...brokenPropertyLinks(text, yaml, lines), ...links]
  return {
    bom: text.charCodeAt(0) === 0xfeff,
    eol: lines.eol,
    frontmatter,
    headings: headingsOf(text, body.headings, lines),
    links,
    tags,
    blocks: body.blocks,
    tasks: tasksOf(body, lines),
    inlineFields: body.inlineFields,
    problems,
  }
}

/** Each task with the tags of its line. */
function tasksOf({ tasks, tags }: BodyReading, lines: Lines): Task[] {
  if (tasks.length === 0) return []
  const byLine = new Map<number, string[]>()
  for (const { tag, range } of tags) {
    const line = lines.at(range.start)
    const known = byLine.get(line)
    if (known === undefined) byLine.set(line, [tag])
    else known.push(tag)
  }
  return tasks.map((task) => ({ ...task, tags: byLine.get(task.line) ?? [] }))
}
