import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { TextIndex } from '../../src/index/text_index.ts'
import type { IndexDocument } from '../../src/note/note.ts'
import { parseNote } from '../../src/note/parse.ts'
import { type Passage, type PassageOptions, passages } from '../../src/search/passages.ts'
import { type SearchOptions, searchText } from '../../src/search/search.ts'
import { doc } from '../index/doc.ts'

interface Asked extends PassageOptions {
  search?: SearchOptions
  note?: Partial<IndexDocument>
}

function shown(text: string, query: string, { search, note, ...options }: Asked = {}): Passage[] {
  const { headings, frontmatter } = parseNote(text)
  const index = new TextIndex()
  const { bodyStart } = frontmatter
  index.put(
    doc('Note.md', text.slice(bodyStart), { bodyStart, headings: headings.map((h) => h.text), ...note }),
  )
  const [hit] = searchText(index, query, search).hits
  return hit === undefined ? [] : passages({ text, bodyStart, headings }, hit.matched, options)
}

function marked({ text, highlights }: Passage): string {
  return [...highlights]
    .reverse()
    .reduce(
      (out, { start, end }) => `${out.slice(0, start)}[${out.slice(start, end)}]${out.slice(end)}`,
      text,
    )
}

const cases: { what: string; text: string; query: string; asked?: Asked; right: string[] }[] = [
  { what: 'the word', text: 'The quick fox.', query: 'fox', right: ['The quick [fox].'] },
  {
    what: 'its forms',
    text: 'We deployed it. Deployments are nice.',
    query: 'deploying',
    right: ['We [deployed] it. [Deployments] are nice.'],
  },
  { what: 'other accents', text: 'Ein CAFÉ.', query: 'cafe', right: ['Ein [CAFÉ].'] },
  {
    what: 'near words',
    text: 'An architecture.',
    query: 'architeture',
    asked: { search: { fuzzy: true } },
    right: ['An [architecture].'],
  },
  { what: 'a prefix', text: 'Present and past.', query: 'pre*', right: ['[Present] and past.'] },
  {
    what: 'a phrase where it is one',
    text: 'A red fox, a red dog and a fox.',
    query: '"red fox"',
    right: ['A [red] [fox], a red dog and a fox.'],
  },
  {
    what: 'a phrase with slop',
    text: 'a red and quick fox; there are red dogs and elsewhere a fox',
    query: '"red fox"~2',
    right: ['a [red] and quick [fox]; there are red dogs and elsewhere a fox'],
  },
  { what: 'overlapping matches as one', text: '使用令牌实现', query: '令牌实现', right: ['使用[令牌实现]'] },
  {
    what: 'a part of an identifier',
    text: 'see kebab-case here',
    query: 'case',
    right: ['see kebab-[case] here'],
  },
  {
    what: 'a whole identifier',
    text: 'see kebab-case here',
    query: 'kebab-case',
    right: ['see [kebab-case] here'],
  },
  { what: 'not what was excluded', text: 'fox here', query: 'fox -dog', right: ['[fox] here'] },
  {
    what: 'the beginning for a match in the title',
    text: '---\na: 1\n---\n\nSome text.',
    query: 'note',
    right: ['Some text.'],
  },
  {
    what: 'the beginning for a field that is not shown',
    text: 'fox text',
    query: 'title:note fox',
    asked: { search: { fields: ['title'] } },
    right: ['fox text'],
  },
  { what: 'nothing of an empty note', text: '---\na: 1\n---\n\n', query: 'note', right: [] },
  {
    what: 'headings for a heading',
    text: '# The fox\n\nA fox here.',
    query: 'headings:fox',
    right: ['# The [fox]\n\nA fox here.'],
  },
  {
    what: 'no properties where the body has it',
    text: '---\nowner: fox\n---\nA fox here.',
    query: 'fox',
    right: ['A [fox] here.'],
  },
  {
    what: 'the property where the body does not have it',
    text: '---\nowner: Red Fox\n---\nA dog here.',
    query: 'fox',
    asked: { note: { frontmatter: 'owner: Red Fox' } },
    right: ['owner: Red [Fox]'],
  },
  {
    what: 'no property for a word of the body alone',
    text: '---\nowner: fox\n---\nA dog here.',
    query: 'body:fox title:note',
    asked: { note: { frontmatter: 'owner: fox' } },
    right: ['A dog here.'],
  },
  { what: 'after an emoji', text: '😀 👨‍👩‍👧 fox', query: 'fox', right: ['😀 👨‍👩‍👧 [fox]'] },
]

describe('shown is', () => {
  test.each(cases)('$what', ({ text, query, asked, right }) => {
    expect(shown(text, query, asked).map(marked)).toEqual(right)
  })
})

test('a passage says its line and the headings above', () => {
  const text = '---\na: 1\n---\n# Top\n\nx\n\n## Sub\n\ny\n\nThe fox is here.\n\n## Other\n\nz\n'
  const [passage] = shown(text, 'fox', { contextLength: 10 })
  expect(passage!.line).toBe(12)
  expect(passage!.headingPath).toEqual(['Top', 'Sub'])
  expect(text.slice(passage!.range.start, passage!.range.end)).toBe(passage!.text)
})

test('a passage of properties says its line and stands under no heading', () => {
  const text = '\ufeff---\r\na: 1\r\nowner: fox\r\n---\r\n# Top\r\n\r\nx\r\n'
  const [passage] = shown(text, 'fox', { note: { frontmatter: 'owner: fox' } })
  expect([passage!.line, passage!.headingPath]).toEqual([3, []])
  expect(text.slice(passage!.range.start, passage!.range.end)).toBe(passage!.text)
})

test('CR LF counts as one line end', () => {
  expect(shown('a\r\nb\r\nfox\r\n', 'fox')[0]!.line).toBe(3)
})

test('the place where most words stand together comes first', () => {
  const filler = 'padding words here. '.repeat(40)
  const text = `The fox alone. ${filler}The red fox and the lazy dog. ${filler}A dog alone.`
  const [first, second] = shown(text, 'red fox lazy dog')
  expect(marked(first!)).toContain('[red] [fox] and the [lazy] [dog]')
  expect(second).toBeUndefined()
})

test('there are three passages at most, and they do not overlap', () => {
  const text = Array.from({ length: 9 }, (_, i) => `A fox number ${i}. ${'padding words. '.repeat(30)}`).join(
    '\n\n',
  )
  const found = shown(text, 'fox')
  expect(found.length).toBe(3)
  const ranges = found.map(({ range }) => range).sort((a, b) => a.start - b.start)
  for (let i = 1; i < ranges.length; i++) expect(ranges[i]!.start).toBeGreaterThanOrEqual(ranges[i - 1]!.end)
  expect(shown(text, 'fox', { max: 1 }).length).toBe(1)
})

const lengths = [
  { contextLength: 0, least: 6, most: 12 },
  { contextLength: 20, least: 30, most: 60 },
  { contextLength: 100, least: 150, most: 240 },
  { contextLength: 400, least: 700, most: 840 },
  { contextLength: 2000, least: 3500, most: 4100 },
]
test.each(lengths)(
  '$contextLength characters of context make $least to $most',
  ({ contextLength, least, most }) => {
    const text = `${'padding words here '.repeat(400)}quokka ${'more words there '.repeat(400)}\n`
    const [{ text: passage }] = shown(text, 'quokka', { contextLength }) as [Passage]
    expect(passage).toContain('quokka')
    expect(passage.length).toBeGreaterThanOrEqual(least)
    expect(passage.length).toBeLessThanOrEqual(most)
    expect(passage).toMatch(/^(\w+ ?)+$/)
  },
)

test('cuts fall between sentences where that keeps half of the room', () => {
  const text = `${'Something long stands before all of it. '.repeat(5)}Here is the fox. ${'And more comes after all of it. '.repeat(9)}`
  expect(shown(text, 'fox', { contextLength: 60 }).map(({ text: t }) => t)).toEqual([
    'Something long stands before all of it. Here is the fox. And more comes after all of it.',
  ])
})

test('a match in the middle of megabytes is found, and soon', () => {
  const text = `${'line of text without it\n'.repeat(60_000)}the fox\n${'line of text without it\n'.repeat(60_000)}`
  const before = performance.now()
  const [passage] = shown(text, 'fox')
  expect([passage!.line, marked(passage!).includes('[fox]')]).toEqual([60_001, true])
  expect(performance.now() - before).toBeLessThan(5000)
})

test('many matches of a phrase of frequent words take linear time', () => {
  const text = 'of the '.repeat(30_000)
  const before = performance.now()
  expect(shown(text, '"of the"').length).toBeGreaterThan(0)
  expect(performance.now() - before).toBeLessThan(3000)
})

const piece = fc.constantFrom(
  'fox',
  'Foxes',
  ' ',
  ' ',
  '\n',
  '\r\n',
  '. ',
  '。',
  '令牌',
  '令牌怎么实现',
  '😀',
  '👨‍👩‍👧',
  'e\u0301',
  'kebab-case',
  '# ',
  '**',
  '\ud83d',
)
const anyText = fc.array(piece, { maxLength: 80 }).map((list) => list.join(''))

test('whatever the text: ranges lie inside it, highlights inside the passage and apart, no character is cut', () => {
  fc.assert(
    fc.property(
      anyText,
      fc.constantFrom('fox', '令牌', '令牌怎么实现', '"fox 令牌"~3', 'fox* case', '😀'),
      fc.nat(60),
      (text, query, contextLength) => {
        for (const { text: passage, range, highlights, line } of shown(text, query, { contextLength })) {
          expect(text.slice(range.start, range.end)).toBe(passage)
          expect(passage.trim()).toBe(passage)
          for (const at of [range.start, range.end])
            expect(/[\ud800-\udbff]/.test(text[at - 1] ?? '') && /[\udc00-\udfff]/.test(text[at] ?? '')).toBe(
              false,
            )
          let last = 0
          for (const { start, end } of highlights) {
            expect(start).toBeGreaterThanOrEqual(last)
            expect(end).toBeGreaterThan(start)
            last = end
          }
          expect(last).toBeLessThanOrEqual(passage.length)
          const at = range.start + (highlights[0]?.start ?? 0)
          expect(line).toBe(text.slice(0, at).split('\n').length)
        }
      },
    ),
    { numRuns: 500 },
  )
})
