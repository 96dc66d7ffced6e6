import { describe, expect, test } from 'bun:test'
import { VaultError } from '../../src/errors.ts'
import { patchNote } from '../../src/note/patch.ts'
import type { PatchRequest } from '../../src/note/patch_request.ts'

type Case = [
  what: string,
  before: string,
  target: string,
  content: string,
  after: string,
  more?: Partial<PatchRequest> | undefined,
]

const run = (
  operation: PatchRequest['operation'],
  targetType: PatchRequest['targetType'],
  [, before, target, content, , more]: Case,
) => patchNote(before, { operation, targetType, target, content, ...more }).text

function each(
  operation: PatchRequest['operation'],
  targetType: PatchRequest['targetType'],
  cases: readonly Case[],
): void {
  for (const one of cases) {
    test(`${operation}, ${targetType}: ${one[0]}`, () => {
      expect(run(operation, targetType, one)).toBe(one[4])
    })
  }
}

describe('appending under a heading', () => {
  const cases: Case[] = [
    ['at the end of the section', '# t1\nfoo\n# t2\nbar', 't1', 'baz', '# t1\nfoo\n\nbaz\n# t2\nbar'],
    [
      'with its line ends',
      '# t1\r\nfoo\r\n# t2\r\nbar',
      't1',
      'a\nb',
      '# t1\r\nfoo\r\n\r\na\r\nb\r\n# t2\r\nbar',
    ],
    ['blank lines below stay', '# A\nfoo\n\n\n# B\n', 'A', '- x', '# A\nfoo\n- x\n\n\n# B\n'],
    ['after subsections', '# A\n\n## B\nx\n\n# C\n', 'A', 'y', '# A\n\n## B\nx\n\ny\n\n# C\n'],
    ['before subsections', '# A\nw\n\n## B\nx\n', 'A', 'y', '# A\nw\n\ny\n\n## B\nx\n', { scope: 'body' }],
    ['an empty section', '## A\n\n## B\n', 'A', 'x', '## A\nx\n\n## B\n'],
    ['an empty section at the end', '## Only', 'Only', 'x', '## Only\nx'],
    ['the end without a line end', '## B\n\ny', 'B', 'z', '## B\n\ny\n\nz'],
    ['a setext heading follows', '# A\n\nx\n\nNext\n====\n', 'A', 'new', '# A\n\nx\n\nnew\n\nNext\n====\n'],
    [
      'a setext heading follows at once',
      '# A\n```\nx\n```\nNext\n====\n',
      'A',
      'new',
      '# A\n```\nx\n```\nnew\n\nNext\n====\n',
    ],
    ['a list goes on', '# A\n- x\n- y\n\n# B\n', 'A', '- z', '# A\n- x\n- y\n- z\n\n# B\n'],
    ['text after a list', '# A\n- x\n\n# B\n', 'A', 'z', '# A\n- x\n\nz\n\n# B\n'],
    ['text after a table', '# A\n| a |\n| - |\n', 'A', '| b |', '# A\n| a |\n| - |\n\n| b |\n'],
    ['text after a callout', '# A\n> [!note] T\n> x\n', 'A', 'z', '# A\n> [!note] T\n> x\n\nz\n'],
    ['an id ends the paragraph', '# A\nx ^id\n', 'A', 'y', '# A\nx ^id\n\ny\n'],
    ['a deeper heading', '# A\nx\n', 'A', '## N\ny', '# A\nx\n## N\ny\n'],
    ['an open fence', '# A\n```\nx\n', 'A', 'y', '# A\n```\nx\n\ny\n'],
    ['a repeated heading', '# A\nx\n', 'A', '# A\ny', '# A\nx\n\ny\n'],
    ['after a byte-order mark', '\ufeff# A\nx', 'A', '- y', '\ufeff# A\nx\n- y'],
    ['after properties', '---\na: 1\n---\n# A\n', 'A', 'x', '---\na: 1\n---\n# A\nx\n'],
    ['nothing', '# A\nx\n', 'A', '', '# A\nx\n'],
    ['a hard break stays', '# A\nx  \n# B\n', 'A', '- y  ', '# A\nx  \n- y  \n# B\n'],
  ]
  each('append', 'heading', cases)
})

describe('prepending under a heading', () => {
  const cases: Case[] = [
    ['a blank line follows', '# A\n\nx\n', 'A', 'new', '# A\nnew\n\nx\n'],
    ['text follows', '# A\nx\n', 'A', 'new', '# A\nnew\n\nx\n'],
    ['a list item before a list', '# A\n- x\n', 'A', '- n', '# A\n- n\n- x\n'],
    ['under a setext heading', 'A\n=\nx\n', 'A', '- n', 'A\n=\n- n\n\nx\n'],
    ['a subsection follows', '# A\n## B\n', 'A', 'n', '# A\nn\n## B\n'],
  ]
  each('prepend', 'heading', cases)
})

describe('replacing the text under a heading', () => {
  const cases: Case[] = [
    ['its subsections go', '# A\n\nx\n\n## B\ny\n\n# C\n', 'A', 'new', '# A\n\nnew\n\n# C\n'],
    [
      'its subsections stay',
      '# A\n\nx\n\n## B\ny\n',
      'A',
      'new',
      '# A\n\nnew\n\n## B\ny\n',
      { scope: 'body' },
    ],
    ['a root-level H2', '## End\n\nMark.', 'End', 'New.', '## End\n\nNew.'],
    ['a heading at the end', '# I\nhi\n## Tasks', 'Tasks', '- do', '# I\nhi\n## Tasks\n- do'],
    ['the heading repeated', '## Testing\nold\n', 'Testing', '## Testing\nnew', '## Testing\nnew\n'],
    [
      'it repeated in another form',
      '## Cafe\u0301\u00a0x\no\n',
      'Café x',
      '## Café x\nn',
      '## Cafe\u0301\u00a0x\nn\n',
    ],
    ['deeper headings', '## A\nold\n\n## C\n', 'A', '### B\nnew', '## A\n### B\nnew\n\n## C\n'],
    ['with nothing', '## A\n\nold\n\n## C\n', 'A', '', '## A\n\n## C\n'],
    ['an empty one', '## A\n\n## C\n', 'A', 'x', '## A\nx\n\n## C\n'],
    [
      'a heading in a cell is none',
      '## 1\n| r | `## L` |\n| - | - |\n\n## L\nx\n',
      '1',
      'new',
      '## 1\nnew\n\n## L\nx\n',
    ],
    ['line ends of the note', '# A\r\nx\r\n\r\n# B\r\n', 'A', 'a\nb\n', '# A\r\na\r\nb\r\n\r\n# B\r\n'],
    ['allowed headings', '# A\nx\n', 'A', 'y\n# Z', '# A\ny\n# Z\n', { allowHeadings: true }],
  ]
  each('replace', 'heading', cases)
  test('a second time changes nothing', () => {
    for (const [what, , target, content, after, more] of cases) {
      if (more?.allowHeadings === true) continue
      expect(run('replace', 'heading', [what, after, target, content, after, more])).toBe(after)
    }
  })
})

describe('deleting a section', () => {
  const cases: Case[] = [
    ['in the middle', '# A\nx\n\n# B\ny\n\n# C\n', 'B', '', '# A\nx\n\n# C\n'],
    ['at the end', '# A\nx\n\n# B\ny\n', 'B', '', '# A\nx\n'],
    ['at the end, no line end', '# A\nx\n\n# B\ny', 'B', '', '# A\nx'],
    ['the only one', '# A\nx\n', 'A', '', ''],
    ['after properties', '---\na: 1\n---\n# A\nx\n', 'A', '', '---\na: 1\n---\n'],
    ['before a setext heading', 'x\n# B\n```\ny\n```\nNext\n===\n', 'B', '', 'x\n\nNext\n===\n'],
    ['its text alone', '# A\n\nx\n\n## B\ny\n', 'A', '', '# A\n\n## B\ny\n', { scope: 'body' }],
  ]
  each('delete', 'heading', cases)
})

describe('renaming a heading', () => {
  const cases: Case[] = [
    ['marks stay', '##  Old  ##\nx\n', 'Old', 'New', '##  New  ##\nx\n'],
    ['setext', 'Old\n===\nx\n', 'Old', 'New', 'New\n===\nx\n'],
    [
      'setext of two lines',
      'x\r\n\r\n Old\r\none \r\n===\r\nx\r\n',
      'Old one',
      'New',
      'x\r\n\r\n New \r\n===\r\nx\r\n',
    ],
    ['a hash at the end', '## C#  \n', 'C#', 'F#', '## F#  \n'],
    ['an id stays', '# Old ^id\n', 'Old ^id', 'New', '# New ^id\n'],
    ['its own marks sent along', '## Old\n', 'Old', '## New', '## New\n'],
  ]
  each('rename', 'heading', cases)
})

test.each([
  ['##\nx\n', '## New\nx\n'],
  ['## ##\n', '## New ##\n'],
  ['## \n', '## New \n'],
])('the empty heading of %j gets a text', (before, after) => {
  expect(run('rename', 'heading', ['', before, '##', 'New', after])).toBe(after)
})

describe('making what is missing', () => {
  const cases: Case[] = [
    ['at the end', '# A\n\nx\n', 'B', 'y', '# A\n\nx\n\n# B\ny\n'],
    ['at the end, no line end', '# A\nx', 'B', 'y', '# A\nx\n\n# B\ny'],
    ['below its parent', '# P\nx\n\n# Q\n', 'P::B', 'y', '# P\nx\n\n## B\ny\n\n# Q\n'],
    ['below its parent, tight', '# P\nx\n# Q\n', 'P::B', 'y', '# P\nx\n## B\ny\n# Q\n'],
    ['a whole path', 'x\n', 'A::B', 'y', 'x\n\n# A\n## B\ny\n'],
    ['with marks', 'x\n', '### Log', 'y', 'x\n\n### Log\ny\n'],
    ['below a title', '# Title\n\n## A\n', 'B', 'y', '# Title\n\n## A\n\n## B\ny\n'],
    ['in an empty note', '', 'A', 'y', '# A\ny'],
    ['after properties', '---\nk: 1\n---\n', 'A', 'y', '---\nk: 1\n---\n# A\ny\n'],
    ['one that is there', '# A\n', 'A', 'y', '# A\ny\n'],
    ['repeated in another form', 'x\n', '## Café x', '## Cafe\u0301\u00a0x\ny', 'x\n\n## Café x\ny\n'],
  ]
  test.each(cases)('%s', (what, before, target, content, after) => {
    expect(run('append', 'heading', [what, before, target, content, after, { createIfMissing: true }])).toBe(
      after,
    )
  })
  test('taking a new section away gives the first bytes back', () => {
    for (const [, before, target, content, after] of cases.slice(0, 4)) {
      const name = target.split('::').at(-1)!
      expect(run('delete', 'heading', ['', after, name, content, ''])).toBe(before)
    }
  })
  test('a block and a property', () => {
    const make = { createIfMissing: true }
    expect(run('append', 'block', ['', 'x\n', 'b1', 'new', '', make])).toBe('x\n\nnew ^b1\n')
    expect(run('append', 'block', ['', 'x', '^b1', '| a |\n| - |', '', make])).toBe(
      'x\n\n| a |\n| - |\n\n^b1',
    )
    expect(run('replace', 'frontmatter', ['', 'x\n', 'k', '42', '', make])).toBe('---\nk: 42\n---\nx\n')
  })
})

describe('blocks', () => {
  const append: Case[] = [
    ['a paragraph of its own', 'a ^i\n\nb\n', 'i', 'n', 'a ^i\n\nn\n\nb\n'],
    ['a list item, an item', '- a ^i\n  - c\n- b\n', 'i', '- n', '- a ^i\n  - c\n- n\n- b\n'],
    ['a list item, other markers', '1. a ^i\n2. b\n', 'i', '- n', '1. a ^i\n2. n\n2. b\n'],
    ['a list item, text', '- a ^i\n  - c\n- b\n', 'i', 'n', '- a ^i\n  - c\n\n  n\n- b\n'],
    ['a nested item', '- a\n\t- c ^i\n- b\n', 'i', '- n\n  - m', '- a\n\t- c ^i\n\t- n\n\t  - m\n- b\n'],
    ['an item in a quote', '> - a ^i\n> - b\n', 'i', '- n', '> - a ^i\n> - n\n> - b\n'],
    ['a table', '| a |\n| - |\n\n^i\n\nb\n', 'i', 'n', '| a |\n| - |\n\n^i\n\nn\n\nb\n'],
    ['a fence', '```\na\n```\n^i\n', 'i', 'n', '```\na\n```\n^i\n\nn\n'],
    ['a quote', '> a ^i\n', 'i', 'n', '> a ^i\n\nn\n'],
    ['a paragraph in a quote', '> a ^i\n>\n> b\n', 'i', 'n', '> a ^i\n>\n> n\n>\n> b\n'],
    ['line ends', 'a ^i\r\n\r\nb\r\n', 'i', 'n\nm', 'a ^i\r\n\r\nn\r\nm\r\n\r\nb\r\n'],
  ]
  each('append', 'block', append)

  const prepend: Case[] = [
    ['a paragraph', 'a ^i\n', 'i', 'n', 'n\n\na ^i\n'],
    ['an item', '- b\n- a ^i\n', 'i', '- n', '- b\n- n\n- a ^i\n'],
    ['a first item', 'x\n\n- a ^i\n', 'i', 'n', 'x\n\nn\n- a ^i\n'],
  ]
  each('prepend', 'block', prepend)

  const replace: Case[] = [
    ['a paragraph', 'a\nb ^i\n\nc\n', 'i', 'n', 'n ^i\n\nc\n'],
    ['an id sent along', 'a ^i\n', 'i', 'n ^i', 'n ^i\n'],
    ['an id on its own line', 'a\n\n^i\n', 'i', 'n', 'n\n\n^i\n'],
    ['a task with children', '- [x] a ^i\n  - c\n- b\n', 'i', 'n', '- [x] n ^i\n- b\n'],
    ['a task, its marker sent along', '* [x] a ^i\n* b\n', 'i', '- [ ] n\n  - m', '* [x] n ^i\n  - m\n* b\n'],
    ['an item, several lines', '10. a ^i\n', 'i', 'n\nm', '10. n\n    m ^i\n'],
    ['an item in a quote', '> - a ^i\n> - b\n', 'i', 'n\nm', '> - n\n>   m ^i\n> - b\n'],
    ['a quote', '> a\n> b ^i\n', 'i', 'n\nm', '> n\n> m ^i\n'],
    ['a callout', '> [!tip] T\n> a ^i\n', 'i', 'n', '> [!tip] T\n> n ^i\n'],
    [
      'a callout with another title',
      '> [!tip] T\n> a\n\n^i\n',
      'i',
      '> [!note] N\n> n',
      '> [!note] N\n> n\n\n^i\n',
    ],
    ['code', '```js\na\n```\n^i\n', 'i', 'n', '```js\nn\n```\n^i\n'],
    ['a whole list', 'p\n\n- a\n- b\n\n^i\n\nend\n', 'i', '- n', 'p\n\n- n\n\n^i\n\nend\n'],
    ['a whole list in a quote', '> - a\n> - b\n>\n> ^i\n', 'i', '- n', '> - n\n>\n> ^i\n'],
    ['a whole list in an item', '- x\n  - a\n\n  ^i\n- y\n', 'i', '- n', '- x\n  - n\n\n  ^i\n- y\n'],
    ['code by a whole fence', '```js\na\n```\n^i\n', 'i', '~~~\nn\n~~~', '~~~\nn\n~~~\n^i\n'],
    ['a table', '| a |\n| - |\n\n^i\n', 'i', '| b |\n| - |', '| b |\n| - |\n\n^i\n'],
    ['a paragraph by a list', 'a ^i\n\nc\n', 'i', '- n\n- m', '- n\n- m\n\n^i\n\nc\n'],
    ['a heading', '## a ^i\nb\n', 'i', 'n', '## n ^i\nb\n'],
    ['by nothing', 'x\n\na ^i\n\nb\n', 'i', '', 'x\n\nb\n'],
  ]
  each('replace', 'block', replace)

  const remove: Case[] = [
    ['a paragraph', 'x\n\na ^i\n\nb\n', 'i', '', 'x\n\nb\n'],
    ['at the end', 'x\n\na ^i\n', 'i', '', 'x\n'],
    ['an item with children', '- x\n- a ^i\n  - c\n- b\n', 'i', '', '- x\n- b\n'],
    ['a table', '| a |\n| - |\n\n^i\n\nb\n', 'i', '', '\nb\n'],
    ['a heading between a list and text', '- x\n# a ^i\nb\n', 'i', '', '- x\n\nb\n'],
  ]
  each('delete', 'block', remove)

  test('renaming', () => {
    expect(run('rename', 'block', ['', 'a ^i\n', 'i', '^new-1', ''])).toBe('a ^new-1\n')
  })
})

describe('lines', () => {
  const cases: [PatchRequest['operation'], before: string, target: string, content: string, after: string][] =
    [
      ['append', 'a\nb\n', '1', 'n', 'a\nn\nb\n'],
      ['append', 'a\nb', '2', 'n', 'a\nb\nn'],
      ['prepend', 'a\nb', '2', 'n', 'a\nn\nb'],
      ['replace', 'a\nb\nc\n', '1-2', 'n\nm', 'n\nm\nc\n'],
      ['replace', 'a\r\nb', '2', 'n\n', 'a\r\nn'],
      ['delete', 'a\nb\nc\n', '2', '', 'a\nc\n'],
      ['delete', 'a\nb', '2', '', 'a'],
      ['replace', '---\nk: 1\n---\nx\n', '2', 'k: 2', '---\nk: 2\n---\nx\n'],
      ['replace', '---\nk: [\n---\nx\n', '2', 'k: 2', '---\nk: 2\n---\nx\n'],
      ['append', '| a |\n| - |\n| 1 |\n', '3', '| 2 |', '| a |\n| - |\n| 1 |\n| 2 |\n'],
      ['prepend', 'a\n\nNext\n===\n', '3', 'n', 'a\n\nn\n\nNext\n===\n'],
      ['replace', '\ufeffa\nb\n', '1', 'n', '\ufeffn\nb\n'],
      ['delete', '\ufeffa', '1', '', '\ufeff'],
    ]
  test.each(cases)('%s %j, lines %s with %j', (operation, before, target, content, after) => {
    expect(run(operation, 'lines', ['', before, target, content, after])).toBe(after)
  })
})

describe('what is refused', () => {
  const cases: [
    PatchRequest['operation'],
    PatchRequest['targetType'],
    before: string,
    target: string,
    content: string,
    code: string,
  ][] = [
    ['append', 'heading', '# A\n', 'B', 'x', 'target_not_found'],
    ['append', 'heading', '# A\n# A\n', 'A', 'x', 'ambiguous'],
    ['replace', 'heading', '## Obs\nx\n\n## Description\ny\n', 'Obs', 'n\n## Description\nm', 'bad_argument'],
    ['append', 'heading', '# A\nx\n\n# B\n', 'A', '```\nopen', 'bad_argument'],
    ['append', 'heading', '# A\nx\n\n# B\n', 'A', '<!-- open', 'bad_argument'],
    ['append', 'heading', '# A\nx ^i\n\n# B\n', 'A', 'y ^i', 'bad_argument'],
    ['rename', 'heading', '# A\n', 'A', '## B', 'bad_argument'],
    ['rename', 'heading', '# A\n', 'A', 'a\nb', 'bad_argument'],
    ['rename', 'heading', '# A\n', 'A', '', 'bad_argument'],
    ['append', 'block', 'a ^i\n', 'j', 'x', 'target_not_found'],
    ['append', 'block', 'a ^i\n\nb ^i\n', 'i', 'x', 'ambiguous'],
    ['append', 'block', '```\na ^i\n```\n', 'i', 'x', 'target_not_found'],
    ['prepend', 'block', '- a\n- b ^i\n', 'i', 'x', 'bad_argument'],
    ['replace', 'block', '```\na\n```\n^i\n', 'i', 'x\n```\ny', 'bad_argument'],
    ['rename', 'block', 'a ^i\n\nb ^j\n', 'i', 'j', 'already_exists'],
    ['rename', 'block', 'a ^i\n', 'i', 'a b', 'bad_argument'],
    ['replace', 'lines', 'a\n', '2', 'x', 'target_not_found'],
    ['replace', 'lines', 'a\n', '0', 'x', 'bad_argument'],
    ['replace', 'lines', 'a\nb\n', '2-1', 'x', 'bad_argument'],
    ['replace', 'lines', '---\nk: 1\n---\nx\n', '2', 'k: [', 'bad_frontmatter'],
    ['delete', 'lines', '```\n# a\n```\n\n# B\n', '3', '', 'bad_argument'],
    ['replace', 'frontmatter', 'x\n', 'k', '1', 'target_not_found'],
    ['replace', 'frontmatter', '---\nk: [\n---\n', 'k', '1', 'bad_frontmatter'],
    ['delete', 'frontmatter', '---\nk: 1\n---\n', 'j', '', 'target_not_found'],
    ['append', 'frontmatter', '---\nk: 1\n---\n', 'k', '2', 'bad_argument'],
    ['rename', 'frontmatter', '---\nk: 1\n---\n', 'k', 'j', 'bad_argument'],
  ]
  test.each(cases)(
    '%s %s in %j: %s with %j is %s',
    (operation, targetType, before, target, content, code) => {
      try {
        const { text } = patchNote(before, { operation, targetType, target, content })
        expect(text).toBe('a refusal')
      } catch (error) {
        if (!(error instanceof VaultError)) throw error
        expect(error.code).toBe(code as never)
      }
    },
  )
})

test('what was left out or kept is told', () => {
  const notes = (before: string, request: PatchRequest) => patchNote(before, request).notes.join(' ')
  const replace = { operation: 'replace', targetType: 'heading', target: 'A' } as const
  expect(notes('# A\nx\n', { ...replace, content: '# A\ny' })).toContain('repeated the heading')
  expect(notes('# A\n```\n', { ...replace, operation: 'append', content: 'y' })).toContain(
    'part of the block',
  )
  expect(
    notes('> [!t] T\n> x ^i\n', { ...replace, targetType: 'block', target: 'i', content: 'y' }),
  ).toContain('[!t] T')
})
