import { expect, test } from 'bun:test'
import { factsOf, indexDocumentOf } from '../../src/note/facts.ts'
import { fastFacts } from '../../src/note/fast.ts'
import { parseNote } from '../../src/note/parse.ts'

const NOTE = `---
aliases: [AI, Intelligence]
tags: [Lang/Rust, draft]
lang: DE
n: {deep: [zebra, 3]}
up: "[[Home]]"
---
# The \`code\` heading

Words #lang/rust #lang and [[other#H|shown]] ^b1

- [x] done #draft 📅 2026-01-01
key:: value
`

test('facts say what the catalogue keeps', () => {
  expect(fastFacts('a/My note.md', NOTE).facts).toEqual({
    title: 'My note',
    aliases: ['AI', 'Intelligence'],
    tags: ['Lang/Rust', 'draft', 'lang'],
    frontmatter: {
      aliases: ['AI', 'Intelligence'],
      tags: ['Lang/Rust', 'draft'],
      lang: 'DE',
      n: { deep: ['zebra', 3] },
      up: '[[Home]]',
    },
    frontmatterKind: 'mapping',
    headings: [{ level: 1, text: 'The code heading', raw: 'The `code` heading', line: 8 }],
    links: [
      {
        kind: 'wikilink',
        raw: '[[Home]]',
        target: 'Home',
        fragment: null,
        display: null,
        line: 6,
        property: 'up',
      },
      {
        kind: 'wikilink',
        raw: '[[other#H|shown]]',
        target: 'other',
        fragment: 'H',
        display: 'shown',
        line: 10,
        property: null,
      },
    ],
    blocks: [{ id: 'b1', line: 10 }],
    tasks: [
      {
        status: 'x',
        text: 'done #draft 📅 2026-01-01',
        line: 12,
        heading: 'The code heading',
        tags: ['draft'],
        dates: { due: '2026-01-01' },
      },
    ],
    inlineFields: [{ key: 'key', value: 'value', line: 13 }],
    words: 20,
    problems: [],
  })
})

test('the index reads every field; offsets of the body count from bodyStart', () => {
  const { document } = fastFacts('a/My note.md', NOTE)
  expect(document).toMatchObject({
    path: 'a/My note.md',
    title: 'My note',
    aliases: ['AI', 'Intelligence'],
    headings: ['The code heading'],
    tags: ['Lang/Rust', 'draft', 'lang'],
    language: 'de',
  })
  expect(document.body).toBe(NOTE.slice(document.bodyStart))
  expect(document.frontmatter).toContain('n: deep: zebra, 3')
})

const aliases = [
  { yaml: 'aliases: SC', right: ['SC'] },
  { yaml: 'alias: a, b c', right: ['a', 'b c'] },
  { yaml: 'Aliases:\n  - "x, y"\n  - 7\n  -\n', right: ['x, y', '7'] },
  { yaml: 'aliases:', right: [] },
]
test.each(aliases)('$yaml gives the aliases $right', ({ yaml, right }) => {
  expect(fastFacts('a.md', `---\n${yaml}\n---\n`).facts.aliases).toEqual(right)
})

test('a broken block keeps its words, a block that is no mapping is body', () => {
  const broken = fastFacts('a.md', '---\ntags: [zebra\n---\nbody')
  expect([broken.document.frontmatter, broken.document.body, broken.facts.frontmatter]).toEqual([
    'tags: [zebra\n',
    'body',
    null,
  ])
  const other = fastFacts('a.md', '---\nACME Corp\n---\nx')
  expect([other.document.body, other.document.bodyStart]).toEqual(['---\nACME Corp\n---\nx', 0])
})

const words = [
  { text: '', right: 0 },
  { text: "it's two don’t, 'quoted'", right: 4 },
  { text: '---\na: b c\n---\none', right: 1 },
  { text: '日本語 and 한국', right: 6 },
  { text: 'naïve Müller Ελλάς 3.5', right: 5 },
  { text: '🐘 𠀀𠀁 x', right: 3 },
]
test.each(words)('$text holds $right words', ({ text, right }) => {
  expect(fastFacts('a.md', text).facts.words).toBe(right)
})

test('both come from one parse as from two', () => {
  const parsed = parseNote(NOTE)
  expect(fastFacts('b.md', NOTE)).toEqual({
    facts: factsOf('b.md', NOTE, parsed),
    document: indexDocumentOf('b.md', NOTE, parsed),
  })
})
