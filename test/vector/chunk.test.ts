import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseNote } from '../../src/note/parse.ts'
import { chunkNote } from '../../src/vector/chunk.ts'

/** A token a word and one for each border, as a model's counter would do it. */
const countTokens = async (texts: readonly string[]) => texts.map((t) => 2 + (t.match(/\S+/g)?.length ?? 0))

async function chunksOf(text: string, maxTokens: number, aliases: string[] = []) {
  const { headings, frontmatter } = parseNote(text)
  const source = { path: 'Note.md', text, title: 'Note', aliases, bodyStart: frontmatter.bodyStart, headings }
  return await chunkNote(source, { maxTokens, countTokens, identity: 'test' })
}

describe('chunkNote', () => {
  test('a note that fits is one piece with its names before it', async () => {
    const text = '---\naliases: [N]\n---\n# A\n\none two\n'
    const chunks = await chunksOf(text, 100, ['N'])
    expect(chunks.map((c) => [c.scope, c.text])).toEqual([['note', 'Note (N)\n\n# A\n\none two']])
    expect(text.slice(chunks[0]!.range.start, chunks[0]!.range.end)).toBe('# A\n\none two')
  })

  test('a longer one is cut at its headings, each piece with its path, and one stands for the whole', async () => {
    const words = (n: number, w: string) => Array.from({ length: n }, (_, i) => `${w}${i}`).join(' ')
    const chunks = await chunksOf(
      `# A\n\n${words(9, 'a')}\n\n## B\n\n${words(9, 'b')}\n\n## Empty\n\n### C\n\n${words(9, 'c')}\n`,
      24,
    )
    expect(chunks.map((c) => [c.scope, c.headingPath.join('>')])).toEqual([
      ['note', ''],
      ['passage', 'A'],
      ['passage', 'A>B'],
      ['passage', 'A>Empty>C'],
    ])
    expect(chunks[3]!.text).toStartWith('Note\nA > Empty > C\n\nc0 ')
  })

  test('a note of several sections that would fit has a piece for each beside the one for all of it', async () => {
    const words = (n: number, w: string) => Array.from({ length: n }, (_, i) => `${w}${i}`).join(' ')
    const text = `# A\n\n${words(60, 'a')}\n\n## B\n\n${words(60, 'b')}\n`
    const chunks = await chunksOf(text, 1000)
    expect(chunks.map((c) => [c.scope, c.headingPath.join('>')])).toEqual([
      ['note', ''],
      ['passage', 'A'],
      ['passage', 'A>B'],
    ])
    expect(text.slice(chunks[0]!.range.start, chunks[0]!.range.end)).toBe(text.trimEnd())
    expect((await chunksOf(text.slice(0, 390), 1000)).map((c) => c.scope)).toEqual(['note'])
    expect((await chunksOf(words(90, 'a'), 1000)).map((c) => c.scope)).toEqual(['note'])
  })

  test('a passage has 512 tokens at most, however much the model reads', async () => {
    const text = `# A\n\n${'word '.repeat(900)}\n\n# B\n\nshort`
    const counts = await countTokens((await chunksOf(text, 8000)).map((c) => c.text))
    expect(Math.max(...counts.slice(1))).toBeLessThanOrEqual(512)
  })

  test('the same text has the same id wherever it stands, another model gives another', async () => {
    const [a] = await chunksOf('one two', 100)
    const [b] = await chunksOf('one two\n\n', 100)
    expect(a!.id).toBe(b!.id)
    const other = await chunkNote(
      { path: 'x', text: 'one two', title: 'Note', aliases: [], bodyStart: 0, headings: [] },
      { maxTokens: 100, countTokens, identity: 'other' },
    )
    expect(other[0]!.id).not.toBe(a!.id)
  })

  test('a note without text is known by its name', async () => {
    expect((await chunksOf('', 100)).map((c) => c.text)).toEqual(['Note'])
  })

  test('nothing is left out, nothing is too long, no character is cut, whatever the note', async () => {
    const line = fc.oneof(
      fc.lorem({ maxCount: 30 }),
      fc.constantFrom('# Heading', '## Other', '', '- item', '```', '🐘🐘🐘 日本語'),
      fc.string({ unit: 'grapheme', maxLength: 80 }),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 60 }),
        fc.integer({ min: 40, max: 120 }),
        async (lines, maxTokens) => {
          const text = lines.join('\n')
          const { headings, frontmatter } = parseNote(text)
          const chunks = await chunksOf(text, maxTokens)
          const counts = await countTokens(chunks.map((c) => c.text))
          expect(Math.max(...counts)).toBeLessThanOrEqual(maxTokens)
          const covered = new Uint8Array(text.length)
          for (const { range, scope } of chunks)
            if (scope === 'passage' || chunks.length === 1) covered.fill(1, range.start, range.end)
          for (const { range } of headings) covered.fill(1, range.start, range.end)
          for (let i = frontmatter.bodyStart; i < text.length; i++) {
            if (covered[i] === 0) expect(text[i]).toMatch(/\s|\ufeff|[-=#]/)
          }
          for (const { text: embedded } of chunks) expect(embedded).toBe(embedded.toWellFormed())
        },
      ),
      { numRuns: 150 },
    )
  })
})
