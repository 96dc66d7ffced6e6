import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type InsertOptions, insertText } from '../../src/note/insert.ts'

const end: [what: string, before: string, content: string, after: string][] = [
  ['a line to a paragraph', 'start\n', 'more\n', 'start\nmore\n'],
  ['never glued', 'start', 'more', 'start\nmore'],
  ['an end of line that comes along', 'start', 'more\n', 'start\nmore\n'],
  ['the note had one', 'start\n', 'more', 'start\nmore\n'],
  ['an empty note', '', 'more', 'more'],
  ['blank lines stay', 'start\n\n', 'more\n', 'start\n\nmore\n'],
  ['after the fence', '---\nk: 1\n---', 'text', '---\nk: 1\n---\ntext'],
  ['after the fence and its line end', '---\nk: 1\n---\n', 'text', '---\nk: 1\n---\ntext\n'],
  ['text that ends in an id', 'a ^id\n', 'b\n', 'a ^id\n\nb\n'],
  ['text after a list', '- a\n', 'b\n', '- a\n\nb\n'],
  ['an item after a list', '- a\n', '- b\n', '- a\n- b\n'],
  ['a child after a list', '- a\n', '  - b\n', '- a\n  - b\n'],
  ['an item after text', 'a\n', '- b\n', 'a\n- b\n'],
  ['a second number after text', 'a\n', '2. b\n', 'a\n\n2. b\n'],
  ['text after a table', '| a |\n| - |\n| 1 |\n', 'b\n', '| a |\n| - |\n| 1 |\n\nb\n'],
  ['a table after text', 'b\n', '| a |\n| - |\n', 'b\n\n| a |\n| - |\n'],
  ['text after a quote', '> a\n', 'b\n', '> a\n\nb\n'],
  ['a quote after a quote', '> a\n', '> b\n', '> a\n\n> b\n'],
  ['a rule after text', 'a\n', '---\n', 'a\n\n---\n'],
  ['underline after text', 'a\n', '===\n', 'a\n\n===\n'],
  ['code after text', 'a\n', '    b\n', 'a\n\n    b\n'],
  ['a fence after text', 'a\n', '```\nb\n```\n', 'a\n```\nb\n```\n'],
  ['a heading after text', 'a\n', '## b\n', 'a\n## b\n'],
  ['after HTML', '<div>\n', 'b\n', '<div>\n\nb\n'],
  ['after a fence', '```\na\n```\n', 'b\n', '```\na\n```\nb\n'],
  ['line ends of the note', 'a\r\n', 'b\nc\n', 'a\r\nb\r\nc\r\n'],
  ['list, line ends of the note', '- a\r\n', 'b\n', '- a\r\n\r\nb\r\n'],
  ['after a byte-order mark', '\ufeff', 'b\n', '\ufeffb\n'],
]
test.each(end)('at the end, %s', (_, before, content, after) => {
  expect(insertText(before, content).text).toBe(after)
})

const beginning: [what: string, before: string, content: string, after: string][] = [
  ['a line before a line', 'old\n', 'new\n', 'new\nold\n'],
  ['after the properties', '---\ntags: [a]\n---\n# H\n', 'in\n', '---\ntags: [a]\n---\nin\n# H\n'],
  ['after properties that cannot be read', '---\nk: [1\n---\nold\n', 'in', '---\nk: [1\n---\nin\nold\n'],
  ['properties that end the note', '---\nk: 1\n---', 'in', '---\nk: 1\n---\nin'],
  ['after the byte-order mark', '\ufeffold', 'new', '\ufeffnew\nold'],
  ['before a setext heading', 'A\n===\n', 'new', 'new\n\nA\n===\n'],
  ['a list before text', 'b\n', '- a', '- a\n\nb\n'],
  ['before a table', '| a |\n| - |\n', 'x', 'x\n\n| a |\n| - |\n'],
  ['a table before text', 'b\n', '| a |\n| - |', '| a |\n| - |\n\nb\n'],
  ['a whole property block', 'b\n', '---\nk: 1\n---\n', '---\nk: 1\n---\nb\n'],
  ['a rule that would open a block', 'a: 1\n---\nb\n', '---\n', '\n---\na: 1\n---\nb\n'],
]
test.each(beginning)('at the beginning, %s', (_, before, content, after) => {
  expect(insertText(before, content, { position: 'beginning' }).text).toBe(after)
})

const separators: [InsertOptions, before: string, content: string, after: string][] = [
  [{ separator: 'newline' }, 'a\n', '---', 'a\n---\n'],
  [{ separator: 'newline' }, 'a', 'b', 'a\nb'],
  [{ separator: 'blank' }, 'a\n', 'b', 'a\n\nb\n'],
  [{ separator: 'blank' }, 'a\n\n', 'b', 'a\n\nb\n'],
  [{ separator: 'blank' }, 'a', 'b\n', 'a\n\nb\n'],
  [{ separator: 'none' }, 'a', 'b', 'ab'],
  [{ separator: 'none' }, '---\nk: 1\n---', 'b', '---\nk: 1\n---\nb'],
  [{ separator: 'blank', position: 'beginning' }, 'a\n', 'b', 'b\n\na\n'],
  [{ separator: 'none', position: 'beginning' }, 'a\n', 'b', 'ba\n'],
]
test.each(separators)('with %j, %j and %j give %j', (options, before, content, after) => {
  expect(insertText(before, content, options).text).toBe(after)
})

describe('what cannot be done', () => {
  test('a fence that never closes takes the text in, and the answer says so', () => {
    const { text, notes } = insertText('```\ncode\n', 'b\n')
    expect(text).toBe('```\ncode\n\nb\n')
    expect(notes).toHaveLength(1)
  })
  test('content with an open fence before other text is refused', () => {
    expect(() => insertText('old\n', '```\nnew', { position: 'beginning' })).toThrow(/turn the text around/)
  })
  test('nothing is put above a block that never closes', () => {
    expect(() => insertText('---\nk: 1\nx', 'a', { position: 'beginning' })).toThrow(/no closing/)
  })
})

const lines = fc.array(
  fc.constantFrom(
    'a',
    '',
    '- b',
    '  - c',
    '1. d',
    '> e',
    '> [!note] f',
    '# g',
    '===',
    '---',
    '| h |',
    '| - |',
    '```',
    '    i',
    '<div>',
    '%%',
    '$$',
    'j ^k',
    '\tl',
    '<!--',
    '-->',
  ),
  { maxLength: 8 },
)

test('taking the inserted range out gives the first bytes back', () => {
  fc.assert(
    fc.property(
      lines,
      lines,
      fc.constantFrom('end', 'beginning'),
      fc.constantFrom('\n', '\r\n'),
      (note, content, position, eol) => {
        const before = note.join(eol)
        let result: ReturnType<typeof insertText>
        try {
          result = insertText(before, content.join('\n'), { position: position as 'end' })
        } catch {
          return
        }
        const { text, range } = result
        expect(text.slice(0, range.start) + text.slice(range.end)).toBe(before)
        if (content.join('\n') !== '') expect(text.replaceAll('\r\n', '\n')).toContain(content.join('\n'))
      },
    ),
    { numRuns: 3000 },
  )
})
