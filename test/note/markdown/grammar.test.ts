import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { linkOf } from '../../../src/note/links.ts'
import { blockTree, needsInline, parseInline } from '../../../src/note/markdown/grammar.ts'
import type { SyntaxNode } from '../../../src/note/markdown/tree.ts'

const outline = ({ name, children }: SyntaxNode): string =>
  children.length === 0 ? name : `${name}(${children.map(outline).join(' ')})`

const blocks = [
  { text: 'a\n%%\n## no\n\nx\n%%\nb', right: 'Document(Paragraph BlockComment Paragraph)' },
  { text: '%% never closed\n# h', right: 'Document(Paragraph ATXHeading1(HeaderMark))' },
  { text: '$$\na\n\n# no\n$$\nt', right: 'Document(BlockMath Paragraph)' },
  { text: '$$a$$\n# h', right: 'Document(Paragraph ATXHeading1(HeaderMark))' },
  { text: '> %%\n> a\nb %%', right: 'Document(Blockquote(QuoteMark BlockComment) Paragraph)' },
  {
    text: '- a\n\n  %%\n  # x\n  %%\n',
    right: 'Document(BulletList(ListItem(ListMark Paragraph BlockComment)))',
  },
  {
    text: '[a]: b\n[c]: <d e> "t"\nfoo',
    right: 'Document(LinkReference(LinkLabel URL) LinkReference(LinkLabel URL) Paragraph)',
  },
  { text: '[^1]: word\nx', right: 'Document(Paragraph)' },
]
test.each(blocks)('$text is $right', ({ text, right }) => {
  expect(outline(blockTree(text))).toBe(right)
})

test('containers below the hundredth level are text', () => {
  const depth = (node: SyntaxNode): number => 1 + Math.max(0, ...node.children.map(depth))
  for (const mark of ['>', '- ', '1. ', '> - '])
    expect(depth(blockTree(`${mark.repeat(5_000)}x`))).toBeLessThan(110)
})

test('a text that needs no inline parsing holds no link, tag or field', () => {
  const piece = fc.constantFrom(
    ...[
      '[',
      ']',
      '(',
      ')',
      '[[',
      ']]',
      '![',
      '#',
      '# ',
      '##',
      ':',
      '::',
      'a',
      ' ',
      '\n',
      '\\',
      '`',
      '$',
      '%%',
      '<',
      '>',
      '|',
      '"',
      'é',
      '🎉',
      '1',
    ],
  )
  const place = { offset: 0, line: 1, property: null }
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 16 }), (pieces) => {
      const text = pieces.join('')
      if (needsInline(text)) return
      const visit = (node: SyntaxNode): void => {
        expect(node.name).not.toBe('Tag')
        expect(linkOf(node, { ...place, text })).toBeNull()
        node.children.forEach(visit)
      }
      parseInline(text, 0).forEach(visit)
    }),
    { numRuns: 5_000 },
  )
})

test('a long paragraph is read in pieces, and nothing at a blank is lost', () => {
  const text = `${'word [[link]] #tag '.repeat(5_000)}end`
  const names = parseInline(text, 7).map((node) => text.slice(node.from - 7, node.to - 7))
  expect([names.length, new Set(names)]).toEqual([10_000, new Set(['[[link]]', '#tag'])])
})
