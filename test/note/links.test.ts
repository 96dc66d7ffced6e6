import { describe, expect, test } from 'bun:test'
import type { TextRange } from '../../src/note/note.ts'
import { parseNote } from '../../src/note/parse.ts'

describe('links', () => {
  const linksOf = (text: string) =>
    parseNote(text).links.map(({ target, fragment, display }) =>
      [target, fragment, display].filter((x) => x !== null),
    )
  const cases = [
    { text: '[[a]] ![[b]] [[c#H|d]]', right: [['a'], ['b'], ['c', 'H', 'd']] },
    { text: '[[note#A|B|C]]', right: [['note', 'A', 'B|C']] },
    { text: '[[a|b#c]]', right: [['a', 'b#c']] },
    {
      text: '[[a#H#Sub]] [[a#^blk]] [[#here]]',
      right: [
        ['a', 'H#Sub'],
        ['a', '^blk'],
        ['', 'here'],
      ],
    },
    { text: '[[]] [[|x]] [[#]] [[ ]]', right: [] },
    { text: '[[Sq]uare]] [[Sp ace]] [[ trimmed ]]', right: [['Sq]uare'], ['Sp ace'], ['trimmed']] },
    { text: '[[Nested [[Inner]] x]] [[[q]]]', right: [['Inner'], ['q']] },
    { text: '[[Multi\nLine]] [[Multi\r\nLine]]', right: [] },
    { text: '\\[[no]] [\\[no]] `[[no]]` $[[no]]$ <!-- [[no]] -->', right: [] },
    { text: '```\n[[no]]\n```\n\n    [[no]]\n\n$$\n[[no]]\n$$\n\n<!--\n[[no]]\n-->\n', right: [] },
    { text: '<script>\n[[no]]\n</script>\n\n<div>\n[[yes]] <a b="[[no]]">\n</div>\n', right: [['yes']] },
    { text: '%%[[Hidden]]%%\n\n%%\n[[too]] #no\n%%\n', right: [['Hidden'], ['too']] },
    {
      text: '| [[Note\\|Alias]] | [[a#b\\|c]] |\n|---|---|\n| ![[x.png\\|100]] | y |\n',
      right: [['Note', 'Alias'], ['a', 'b', 'c'], ['x.png']],
    },
    {
      text: '![[image.png]] ![[a.pdf#page=3]] ![[e.jpg|100x145]] ![[e.jpg|alt|100]]',
      right: [['image.png'], ['a.pdf', 'page=3'], ['e.jpg'], ['e.jpg', 'alt']],
    },
    { text: '[[https://e.com]]', right: [['https://e.com']] },
    {
      text: '[y](My%20Note.md) [b](b%5B1%5D.md) [p](50%25%20done.md) [q](50% done.md)',
      right: [
        ['My Note.md', 'y'],
        ['b[1].md', 'b'],
        ['50% done.md', 'p'],
      ],
    },
    { text: '[w](Sub/My Note.md) [v](<Sub/My Note.md#A b> "t")', right: [['Sub/My Note.md', 'A b', 'v']] },
    {
      text: '[D](x/tally.md#sec) [h](#h) [e](#) [n]() [z](%zz.md)',
      right: [
        ['x/tally.md', 'sec', 'D'],
        ['', 'h', 'h'],
        ['%zz.md', 'z'],
      ],
    },
    {
      text: '[a](https://e.com) [m](mailto:x@y.z) [o](obsidian://open) [p](//host/x) <https://e.com>',
      right: [],
    },
    {
      text: '![i|200](p.png) ![alt](q%23r.png)',
      right: [
        ['p.png', 'i'],
        ['q#r.png', 'alt'],
      ],
    },
    { text: '[x][ref]\n\n[ref]: some/path.md#x "t"\n', right: [['some/path.md', 'x', 'ref']] },
    { text: '[^1] [^2]\n\n[^1]: word\n[^2]: see [[n]]\n', right: [['n']] },
    { text: '# see [[h]]\n\n- [[i]]\n  > [[q]]\n\n> [!note] [[t]]\n', right: [['h'], ['i'], ['q'], ['t']] },
    { text: '[see [[in]] here](out.md)', right: [['out.md', 'see [[in]] here'], ['in']] },
    { text: 'costs $5, [[a]] and $6', right: [['a']] },
    {
      text: '---\nup: "[[Home#H|x]]"\nrel:\n  - "[[A]], [[B]]"\n  - \'![[It\'\'s]]\'\nn: {m: "[t](c%20d.md)"}\n# [[no]]\nno: [[list]]\n---\n[[body]]',
      right: [['Home', 'H', 'x'], ['A'], ['B'], ["It's"], ['c d.md', 't'], ['body']],
    },
    { text: '---\npeople: [[A]], [[B]]\n---\n[[c]]', right: [['A'], ['B'], ['c']] },
  ]
  test.each(cases)('$text', ({ text, right }) => {
    expect(linksOf(text)).toEqual(right)
    expect(linksOf(text.replaceAll('\n', '\r\n'))).toEqual(right)
  })

  test('places are those of the note, byte-order mark and properties counted', () => {
    const text = '\ufeff---\r\nup: "[[Home#H]]"\r\n---\r\nx ![a](<b c.md#d>)\r\n'
    const part = (range: TextRange | null) => range && text.slice(range.start, range.end)
    expect(
      parseNote(text).links.map((l) => [
        l.kind,
        l.raw,
        part(l.range),
        part(l.targetRange),
        part(l.fragmentRange),
        l.line,
        l.property,
      ]),
    ).toEqual([
      ['wikilink', '[[Home#H]]', '[[Home#H]]', 'Home', '#H', 2, 'up'],
      ['markdown_embed', '![a](<b c.md#d>)', '![a](<b c.md#d>)', 'b c.md', '#d', 4, null],
    ])
  })

  test('a property link names its key, and keys inside it after dots', () => {
    const { links } = parseNote('---\na:\n  b: ["[[x]]", "[[y]]"]\n---\n')
    expect(links.map((l) => [l.property, l.target])).toEqual([
      ['a.b', 'x'],
      ['a.b', 'y'],
    ])
  })
})
