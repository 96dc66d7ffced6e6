import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseNote } from '../../src/note/parse.ts'
import { type LinkRewrite, rewriteLinks } from '../../src/note/relink.ts'

/** Renames `old` to what the case says, in every link that names it. */
const rename = (text: string, from: string, to: LinkRewrite) =>
  rewriteLinks(text, (link) => (link.target === from ? to : null)).text

const cases: [before: string, from: string, to: LinkRewrite, after: string][] = [
  [
    '[[old]] ![[old]] [[old|x]] [[old#H|x]]',
    'old',
    { target: 'a b' },
    '[[a b]] ![[a b]] [[a b|x]] [[a b#H|x]]',
  ],
  ['[[ old ]] [[old#^b]] ![[old|100x20]]', 'old', { target: 'n' }, '[[ n ]] [[n#^b]] ![[n|100x20]]'],
  ['| a |\n| - |\n| [[old\\|x]] |\n', 'old', { target: 'n' }, '| a |\n| - |\n| [[n\\|x]] |\n'],
  ['[t](old.md) ![t](old.md "T")', 'old.md', { target: 'a b.md' }, '[t](a%20b.md) ![t](a%20b.md "T")'],
  ['[t](<old file.md>)', 'old file.md', { target: 'a (b).md' }, '[t](<a (b).md>)'],
  ['[t](<old.md#H x>)', 'old.md', { target: 'a#b.md' }, '[t](<a%23b.md#H x>)'],
  [
    '[t](old.md#h)',
    'old.md',
    { target: 'We!rd (name) [x] #1 50%.md' },
    '[t](We!rd%20%28name%29%20%5Bx%5D%20%231%2050%25.md#h)',
  ],
  ['[t](%C3%BC.md)', 'ü.md', { target: 'ö/日 本.md' }, '[t](%C3%B6/%E6%97%A5%20%E6%9C%AC.md)'],
  ['[t](ü.md)', 'ü.md', { target: 'ö.md' }, '[t](ö.md)'],
  ['[t](old.md)', 'old.md', { target: 'Plan: x.md' }, '[t](Plan%3A%20x.md)'],
  ['[r]: old.md "T"\n\n[r]', 'old.md', { target: 'n m.md' }, '[r]: n%20m.md "T"\n\n[r]'],
  ['[[old#A#B|x]]', 'old', { fragment: 'C' }, '[[old#C|x]]'],
  ['[[old#A]]', 'old', { fragment: null }, '[[old]]'],
  ['[[old]]', 'old', { fragment: '^id', display: 'd' }, '[[old#^id|d]]'],
  ['[t](old.md#A%20b)', 'old.md', { fragment: 'C d (e)' }, '[t](old.md#C%20d%20%28e%29)'],
  ['[[old|x]] [t](old)', 'old', { display: 'y' }, '[[old|y]] [y](old)'],
  ['| a |\n| - |\n| [[old]] |\n', 'old', { display: 'y' }, '| a |\n| - |\n| [[old\\|y]] |\n'],
  [
    '---\nup: "[[old]]"\nl:\n  - \'[[old|x]]\'\n---\n[[old]]',
    'old',
    { target: "it's" },
    "---\nup: \"[[it's]]\"\nl:\n  - '[[it''s|x]]'\n---\n[[it's]]",
  ],
  ['---\nup: see [[old]]\n---\n', 'old', { target: 'a: b # c' }, '---\nup: "see [[a: b # c]]"\n---\n'],
  [
    '---\nup: "[[old]] and [[x]]" # c\n---\n',
    'old',
    { target: 'q"\\' },
    '---\nup: "[[q\\"\\\\]] and [[x]]" # c\n---\n',
  ],
  [
    '`[[old]]` %%[[old]]%%\n\n```\n[[old]]\n```\n',
    'old',
    { target: 'n' },
    '`[[old]]` %%[[n]]%%\n\n```\n[[old]]\n```\n',
  ],
  ['[![i](old)](old)', 'old', { target: 'n' }, '[![i](n)](n)'],
  ['[[other]] [[old', 'old', { target: 'n' }, '[[other]] [[old'],
  ['a\r\n[[old]]\r\n', 'old', { target: 'n' }, 'a\r\n[[n]]\r\n'],
]
test.each(cases)('in %j, %s becomes %j', (before, from, to, after) => {
  expect(rename(before, from, to)).toBe(after)
})

test('only links whose bytes change are counted', () => {
  expect(
    rewriteLinks('[[a]] [[b]] [[a]]', ({ target }) => (target === 'a' ? { target: 'a' } : { target: 'c' })),
  ).toEqual({
    text: '[[a]] [[c]] [[a]]',
    count: 1,
  })
})

test('a rewritten link is read as what was meant, and nothing else changes', () => {
  const name = fc
    .string({
      unit: fc.constantFrom(
        'a',
        'b',
        ' ',
        '%',
        '(',
        ')',
        "'",
        '"',
        '\\',
        'ü',
        '日',
        '🐘',
        '&',
        ';',
        '.',
        '-',
        ':',
        '!',
        '2',
        '0',
      ),
      minLength: 1,
      maxLength: 10,
    })
    .map((s) => `n${s.trim()}x`)
  const hashed = name.map((s) => `${s}#[1]`)
  const shell = fc.constantFrom(
    '[[old]]',
    '![[old|d]]',
    '[d](old)',
    '![d](<old> "t")',
    '[[old#H]]',
    '[d](old#H)',
    '[r]: old\n',
  )
  fc.assert(
    fc.property(shell, name, hashed, fc.boolean(), (link, plain, odd, property) => {
      const wiki = link.includes('[[')
      const target = wiki ? plain : odd
      const before = property && wiki ? `---\nup: "${link}"\nx: 1\n---\n` : `before\n\n${link}\n\nafter\n`
      const after = rename(before, 'old', { target })
      const [read] = parseNote(after).links
      expect(read?.target).toBe(target)
      expect(read?.fragment ?? null).toBe(link.includes('#H') ? 'H' : null)
      expect(rename(after, target, { target: 'old' })).toBe(before)
    }),
    { numRuns: 2000 },
  )
})
