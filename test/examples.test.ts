import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'yaml'
import { parseNote } from '../src/note/parse.ts'
import { isNotePath, stemOf } from '../src/note/path.ts'

const EXAMPLES = path.join(import.meta.dir, '..', 'examples')
const VAULT = path.join(EXAMPLES, 'vault')
const files = readdirSync(VAULT, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) =>
    path.relative(VAULT, path.join(entry.parentPath, entry.name)).replaceAll('\\', '/').normalize('NFC'),
  )
const notes = new Map(files.filter(isNotePath).map((file) => [file, parseNote(text(file))]))

function text(file: string): string {
  return readFileSync(path.join(VAULT, file), 'utf8')
}

interface Question {
  query: string
  expectedSources: string[]
  folders: string[]
  tags: string[]
}

const questions: Question[] = readFileSync(path.join(EXAMPLES, 'evals.jsonl'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line))

test('the notes of the example vault have no problem', () => {
  for (const [file, note] of notes) expect({ file, problems: note.problems }).toEqual({ file, problems: [] })
  expect(notes.size).toBeGreaterThanOrEqual(24)
})

test('every link in it leads to a file, and its heading or block is there', () => {
  const stems = new Map(
    files.map((file) => [isNotePath(file) ? stemOf(file) : path.posix.basename(file), file]),
  )
  for (const [file, note] of notes) {
    for (const link of note.links) {
      const target = link.target === '' ? file : stems.get(link.target)
      expect({ file, link: link.raw, target: typeof target }).toEqual({
        file,
        link: link.raw,
        target: 'string',
      })
      if (link.fragment === null) continue
      const there = notes.get(target as string)
      const names = [
        ...(there?.headings.map((h) => h.text) ?? []),
        ...(there?.blocks.map((b) => `^${b.id}`) ?? []),
      ]
      expect({ file, link: link.raw, names }).toEqual({
        file,
        link: link.raw,
        names: expect.arrayContaining([link.fragment]),
      })
    }
  }
})

test('it shows what notes can hold', () => {
  const all = [...notes.values()]
  const some = (has: (note: (typeof all)[number]) => boolean) => all.filter(has).length
  const shown = {
    aliases: some((n) => n.frontmatter.data?.aliases !== undefined),
    nested_tags: some((n) => n.tags.some((t) => t.tag.includes('/'))),
    inline_tags: some((n) => n.tags.some((t) => !t.inFrontmatter)),
    dated_tasks: some((n) => n.tasks.some((t) => t.dates.due !== undefined)),
    blocks: some((n) => n.blocks.length > 0),
    embeds: some((n) => n.links.some((l) => l.kind === 'embed')),
    links_in_properties: some((n) => n.links.some((l) => l.property !== null)),
    inline_fields: some((n) => n.inlineFields.length > 0),
  }
  for (const [what, count] of Object.entries(shown))
    expect({ what, enough: count > 0 }).toEqual({ what, enough: true })
})

test('canvas and base are sound', () => {
  const canvas = JSON.parse(text('Boards/Spring.canvas')) as { nodes: { file?: string }[] }
  for (const { file } of canvas.nodes) if (file !== undefined) expect(files).toContain(file)
  expect(Object.keys(parse(text('Boards/Projects.base')))).toEqual(['filters', 'views'])
})

test('the questions name notes that are there, under the folders and tags they ask for', () => {
  expect(questions.length).toBe(40)
  expect(new Set(questions.map((q) => q.query)).size).toBe(40)
  for (const { query, expectedSources, folders, tags } of questions) {
    expect({ query, sources: expectedSources.length > 0 }).toEqual({ query, sources: true })
    for (const source of expectedSources) {
      const note = notes.get(source)
      const inFolder = folders.length === 0 || folders.some((folder) => source.startsWith(`${folder}/`))
      const tagged = tags.length === 0 || note?.tags.some((use) => tags.includes(use.tag))
      expect({ query, source, there: note !== undefined, inFolder, tagged }).toEqual({
        query,
        source,
        there: true,
        inFolder: true,
        tagged: true,
      })
    }
  }
})
