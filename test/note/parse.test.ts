import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { TextRange } from '../../src/note/note.ts'
import { parseNote } from '../../src/note/parse.ts'

const headingsOf = (text: string) =>
  parseNote(text).headings.map(({ level, text: shown }) => `${level} ${shown}`)

describe('headings', () => {
  const cases = [
    { text: '# A\n## B ##\n###### F\n', right: ['1 A', '2 B', '6 F'] },
    { text: '   # three blanks\n    # four\n', right: ['1 three blanks'] },
    { text: '#Glued\n####### seven\n\\# no\n', right: [] },
    { text: '#\n## \n# #\n', right: ['1 ', '2 ', '1 '] },
    { text: 'Dup\n---\ntext\n\nTop\n===\n', right: ['2 Dup', '1 Top'] },
    { text: 'two\nlines\n===\n', right: ['1 two lines'] },
    { text: '- item\n  ## x\n1. y\n   # z\n', right: [] },
    { text: '> # q\n> [!note] t\n> ## c\n', right: [] },
    { text: '<details>\n## x\n</details>\n\n## y\n', right: ['2 y'] },
    { text: '<div>\r\n## x\r\n</div>\r\n\r\n## y\r\n', right: ['2 y'] },
    { text: '<!--\n## no\n-->\n%%\n## no\n%%\n## yes\n', right: ['2 yes'] },
    { text: 'text\n%%\n\n## no\n\n%% more\n## yes\n', right: ['2 yes'] },
    { text: '%% one line %%\n## yes\n', right: ['2 yes'] },
    { text: '%% never closed\n## yes\n', right: ['2 yes'] },
    { text: '$$\n# no\n$$\n# yes\n', right: ['1 yes'] },
    { text: '```\n# no\n```\n~~~\n# no\n```\n# no\n', right: [] },
    { text: '````\n```\n# no\n````\n# yes\n', right: ['1 yes'] },
    { text: '| ref | `## Links` |\n|---|---|\n| # a | b |\n\n## Links\n', right: ['2 Links'] },
    { text: '---\n# yaml comment\nk: 1\n---\n# Real\n', right: ['1 Real'] },
    { text: '---\n# not yaml\n- x\n---\n', right: ['1 not yaml'] },
    { text: '---\nk: [\n---\n# Real\n', right: ['1 Real'] },
    { text: '---\nk: 1\nno end\n# Real\n', right: ['1 Real'] },
    { text: '\ufeff# A\r\nx\r\n## B', right: ['1 A', '2 B'] },
    { text: '# The `foo` *call* **of** ==us== ~~x~~ <b>y</b>\n', right: ['1 The foo call of us x y'] },
    { text: '# [[Other]] [[a|b]] [c](d.md) ![e](f.png) [g]\n', right: ['1 Other b c e [g]'] },
    { text: '# a \\* b &amp; c %%hid%% #tag ^id\n', right: ['1 a * b & c  #tag'] },
    { text: '# snake_case and 2 * 3 * 4\n', right: ['1 snake_case and 2 * 3 * 4'] },
    { text: '# Información 待整理 A — B 🐘\n', right: ['1 Información 待整理 A — B 🐘'] },
  ]
  test.each(cases)('$text', ({ text, right }) => {
    expect(headingsOf(text)).toEqual(right)
  })

  test('sections end at the next heading of the same or a higher level, bodies at any', () => {
    const text = '# A\na\n## B\r\nb\r\n### C\nc\n## D\nd\n# E'
    const part = ({ start, end }: TextRange) => text.slice(start, end)
    expect(
      parseNote(text).headings.map((h) => [part(h.range), part(h.section), part(h.body), h.parent, h.line]),
    ).toEqual([
      ['# A', '# A\na\n## B\r\nb\r\n### C\nc\n## D\nd\n', 'a\n', -1, 1],
      ['## B', '## B\r\nb\r\n### C\nc\n', 'b\r\n', 0, 3],
      ['### C', '### C\nc\n', 'c\n', 1, 5],
      ['## D', '## D\nd\n', 'd\n', 0, 7],
      ['# E', '# E', '', -1, 9],
    ])
  })

  test('a setext heading is its text and its line', () => {
    const text = 'para\n\nTitle below\n===========\n\nc\n'
    const [heading] = parseNote(text).headings
    expect(text.slice(heading?.range.start, heading?.range.end)).toBe('Title below\n===========')
    expect([heading?.setext, heading?.raw, text.slice(heading?.body.start)]).toEqual([
      true,
      'Title below',
      '\nc\n',
    ])
  })

  test('equal paths are counted, whatever their case', () => {
    const text = '# A\n## Log\n## log\n# B\n## Log\n# a\n## LOG\n'
    expect(parseNote(text).headings.map((h) => h.occurrence)).toEqual([1, 1, 2, 1, 1, 2, 3])
  })
})

describe('tags', () => {
  const tagsOf = (text: string) => parseNote(text).tags.map(({ tag }) => tag)
  const cases = [
    { text: '#1984 #y1984 #a#b _#t_ x.html#hot (#p) **#q**', right: ['y1984', 'a', 't_', 'p', 'q'] },
    {
      text: '#日本 #a/b #a/b/ #x-y_z #été #🎉 #1-2 # h ##no #',
      right: ['日本', 'a/b', 'a/b', 'x-y_z', 'été', '🎉', '1-2'],
    },
    { text: '`#fff` $#x$ %%#c%% <b c="#d"> \\#e &#35; <!-- #f -->', right: [] },
    { text: '```\n#a\n```\n\n    #b\n\n%%\n#c\n%%\n\n$$\n#d\n$$\n', right: [] },
    { text: 'https://a.b/#c [x](y.md#z) [[n#h]] [t](#u) a://b/#d', right: [] },
    {
      text: '# head #in\n\n- item #li\n\n> #quote\n\n| #cell |\n|---|\n| #row |\n',
      right: ['in', 'li', 'quote', 'cell', 'row'],
    },
    { text: '#a, #b; #c. #d! (#e) "#f" [#g]', right: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] },
    { text: '---\ntags: [a, "#b", c/d, 2024]\n---\n#e', right: ['a', 'b', 'c/d', 'e'] },
    { text: '---\ntags: a, b c\ntag: "#d #e"\n---\n', right: ['a', 'b', 'c', 'd', 'e'] },
    { text: '---\nTags:\n  - A\n  - b/c\n  - not.one\n---\n', right: ['A', 'b/c'] },
    { text: '---\ncolor: "#fff"\nkeywords: [x]\n---\n', right: [] },
  ]
  test.each(cases)('$text', ({ text, right }) => {
    expect(tagsOf(text)).toEqual(right)
  })

  test('a range covers the tag without its sign', () => {
    const text = '---\ntags: ["#ab", cd]\n---\nx #ef/gh.\n'
    expect(
      parseNote(text).tags.map((t) => [text.slice(t.range.start, t.range.end), t.line, t.inFrontmatter]),
    ).toEqual([
      ['ab', 2, true],
      ['cd', 2, true],
      ['ef/gh', 4, false],
    ])
  })
})

describe('blocks', () => {
  const cases = [
    { text: 'para ^a\n', right: ['a paragraph "para ^a" " ^a"'] },
    { text: 'two\nlines ^b  \nx^2\n\ny^3', right: [] },
    { text: 'two\nlines ^b  \n', right: ['b paragraph "two\\nlines ^b" " ^b"'] },
    { text: 'two\nlines\n^b\n', right: ['b paragraph "two\\nlines\\n^b" "^b"'] },
    { text: 'x\n\n^own\n', right: ['own paragraph "x\\n\\n^own" "^own"'] },
    { text: '^first\n', right: [] },
    { text: '- one ^c\n  - child\n- two\n', right: ['c list_item "- one ^c\\n  - child" " ^c"'] },
    { text: '- one\n  - child ^d\n', right: ['d list_item "  - child ^d" " ^d"'] },
    { text: '- one\n\n  ^e\n', right: ['e list_item "- one\\n\\n  ^e" "^e"'] },
    { text: '- one\n\n  more ^f\n', right: ['f paragraph "  more ^f" " ^f"'] },
    { text: '- a\n- b\n\n^list\n', right: ['list other "- a\\n- b\\n\\n^list" "^list"'] },
    { text: '> quote ^q\n', right: ['q quote "> quote ^q" " ^q"'] },
    { text: '> [!note] T\n> body\n> ^cal\n', right: ['cal callout "> [!note] T\\n> body\\n> ^cal" "^cal"'] },
    { text: '> a\n\n^after\n', right: ['after quote "> a\\n\\n^after" "^after"'] },
    { text: '> a ^in\n>\n> b\n', right: ['in paragraph "a ^in" " ^in"'] },
    { text: '> - item ^i\n', right: ['i list_item "- item ^i" " ^i"'] },
    { text: '| a |\n|---|\n| 1 ^cell |\n^t\n', right: ['t table "| a |\\n|---|\\n| 1 ^cell |\\n^t" "^t"'] },
    { text: '| a |\n|---|\n| 1 |\n\n^t\n', right: ['t table "| a |\\n|---|\\n| 1 |\\n\\n^t" "^t"'] },
    {
      text: '```\nx ^no\n^no2\n```\n^code\n',
      right: ['code code "```\\nx ^no\\n^no2\\n```\\n^code" "^code"'],
    },
    { text: '## H ^h\n', right: ['h heading "## H ^h" " ^h"'] },
    { text: '%%\nx ^no\n%%\n`y ^no` \n<div>\nz ^no\n</div>\n', right: [] },
    { text: 'under_score ^a_b\nspace ^ a\n', right: [] },
  ]
  test.each(cases)('$text', ({ text, right }) => {
    for (const written of [text, `\ufeff---\na: 1\n---\n${text}`]) {
      const part = ({ start, end }: TextRange) => JSON.stringify(written.slice(start, end))
      expect(
        parseNote(written).blocks.map((b) => `${b.id} ${b.kind} ${part(b.range)} ${part(b.idRange)}`),
      ).toEqual(right)
    }
  })
})

describe('tasks', () => {
  const cases = [
    { text: '- [ ] a', right: [' :a'] },
    { text: '* [x] a\n+ [/] b\n1. [-] c\n2) [🔥] d', right: ['x:a', '/:b', '-:c', '🔥:d'] },
    { text: '> [!todo] t\n> - [b] c', right: ['b:c'] },
    { text: '- a\n\t- [?] tab\n    - [!] four', right: ['?:tab', '!:four'] },
    { text: '- [ ]\n- [x]', right: [' :', 'x:'] },
    { text: '- [x](y.md)\n- [[n]]\n- [xy] z\n- [x]glued\n[ ] no list\n- a [ ] b', right: [] },
    { text: '```\n- [ ] no\n```\n\n%%\n- [ ] no\n%%\n\n-     [ ] code', right: [] },
  ]
  test.each(cases)('$text', ({ text, right }) => {
    expect(parseNote(text).tasks.map(({ status, text: words }) => `${status}:${words}`)).toEqual(right)
  })

  const dated = [
    { text: '- [ ] x ⌛️ 2024-01-01', right: { scheduled: '2024-01-01' } },
    { text: '- [ ] x 📅 2024-01-01 📆 2025-01-01', right: { due: '2024-01-01' } },
    {
      text: '- [ ] x 🗓️2024-01-02 🛫 2024-01-01 ➕ 2023-12-31',
      right: { due: '2024-01-02', start: '2024-01-01', created: '2023-12-31' },
    },
    {
      text: '- [x] x ✅ 2024-01-03 ❌ 2024-01-04 ⏳ 2024-01-05',
      right: { done: '2024-01-03', cancelled: '2024-01-04', scheduled: '2024-01-05' },
    },
    {
      text: '- [x] x [due:: 2026-01-01] (completion:: 2026-01-02)',
      right: { due: '2026-01-01', done: '2026-01-02' },
    },
  ]
  test.each(dated)('$text', ({ text, right }) => {
    expect(parseNote(text).tasks[0]?.dates).toEqual(right)
  })

  test('a task knows its heading, its line, its tags and its status character', () => {
    const text = '- [ ] a\n# H\n- [x] b #t/u #v\n  more #w\n'
    const { tasks } = parseNote(text)
    expect(tasks.map((t) => [t.heading, t.line, t.tags, text[t.statusAt]])).toEqual([
      [-1, 1, [], ' '],
      [0, 3, ['t/u', 'v'], 'x'],
    ])
  })
})

test('inline fields stand at the beginning of a line or in brackets, outside code', () => {
  const text =
    'key:: value\n- **bold**:: [[v2]]\nx [a:: b] (c:: d [[e]]) `[n:: o]`\nstd::vector and x :: y\n\n`f:: g`\n\n```\nh:: i\n```\nempty::\n'
  expect(parseNote(text).inlineFields.map(({ key, value, line }) => `${line} ${key}=${value}`)).toEqual([
    '1 key=value',
    '2 bold=[[v2]]',
    '3 a=b',
    '3 c=d [[e]]',
    '11 empty=',
  ])
})

test('line ends and byte-order mark are told', () => {
  expect(['', 'a\n', 'a\r\nb\r\nc\n', 'a\r\nb\n'].map((text) => parseNote(text).eol)).toEqual([
    '\n',
    '\n',
    '\r\n',
    '\n',
  ])
  expect([parseNote('\ufeffa').bom, parseNote('a').bom]).toEqual([true, false])
})

const piece = fc.constantFrom(
  ...[
    '\n',
    '\n\n',
    '\r\n',
    '# ',
    '## ',
    '- ',
    '1. ',
    '> ',
    '    ',
    '\t',
    '```',
    '~~~',
    '$$',
    '$',
    '%%',
    '[[',
    ']]',
    '![[',
    '[',
    '](',
    ')',
  ],
  ...[
    'a',
    'b c',
    '|',
    '|-|',
    '\\',
    '`',
    '<div>',
    '<!--',
    '-->',
    '*',
    '_',
    '==',
    '^id',
    '#tag',
    '#',
    '::',
    '---',
    '===',
    '[ ]',
    '[x] ',
    'é',
    '🎉',
  ],
  ...[
    '\ufeff',
    '\0',
    '[^1]:',
    '[a]: b',
    'http://x.y/#z',
    '&amp;',
    '"',
    '{{d}}',
    'tags: [a, b]',
    'up: "[[x]]"',
    '<script>',
    '\ud800',
    '~',
  ],
)

test('whatever the text, every place says what it names', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('', '---\n', '\ufeff'),
      fc.array(piece, { maxLength: 40 }),
      (start, pieces) => {
        const text = start + pieces.join('')
        const part = ({ start: from, end }: TextRange) => text.slice(from, end)
        const parsed = parseNote(text)
        for (const link of parsed.links) {
          expect(part(link.range)).toBe(link.raw)
          expect(text.slice(0, link.range.start).split('\n').length).toBe(link.line)
          if (link.fragmentRange !== null) expect(part(link.fragmentRange)).toStartWith('#')
        }
        for (const tag of parsed.tags) expect(part(tag.range)).toBe(tag.tag)
        for (const block of parsed.blocks) {
          expect(part(block.idRange)).toEndWith(`^${block.id}`)
          expect(part(block.range)).toContain(part(block.idRange))
        }
        for (const task of parsed.tasks) expect(text.slice(task.statusAt - 1)).toStartWith(`[${task.status}]`)
        for (const [i, heading] of parsed.headings.entries()) {
          expect(heading.parent).toBeLessThan(i)
          expect(part(heading.section)).toStartWith(part(heading.range))
          expect(heading.body.end).toBe(parsed.headings[i + 1]?.range.start ?? text.length)
        }
      },
    ),
    { numRuns: 2000 },
  )
})

const hostile = [
  { name: 'quotes', text: '>'.repeat(100_000) },
  { name: 'lists', text: '- '.repeat(100_000) },
  { name: 'brackets', text: '['.repeat(200_000) },
  { name: 'addresses that never close', text: '[a]('.repeat(50_000) },
  { name: 'wikilinks that never close', text: '[[a|'.repeat(50_000) },
  { name: 'dollars', text: '$a '.repeat(100_000) },
  { name: 'comments that never close', text: '<!-- '.repeat(50_000) },
  { name: 'emphasis', text: `# ${'*a _b '.repeat(50_000)}` },
  { name: 'fences', text: '```\n~~~\n'.repeat(20_000) },
  { name: 'definitions', text: `[a]: b "${'x\n'.repeat(100_000)}` },
  { name: 'links in one paragraph', text: '[a](b)\n'.repeat(30_000) },
]
test.each(hostile)('a note of $name is read in bounded time, without a throw', ({ text }) => {
  const started = performance.now()
  parseNote(text)
  expect(performance.now() - started).toBeLessThan(5_000)
})
