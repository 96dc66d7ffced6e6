import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { bodyStartOf, MAX_YAML, scanFrontmatter } from '../../src/note/frontmatter.ts'

const kinds = [
  { text: '', kind: 'absent' },
  { text: '# T\n\nprose\n\n---\n\nmore', kind: 'absent' },
  { text: '---', kind: 'absent' },
  { text: '---\n\nprose under a rule', kind: 'absent' },
  { text: '---\n\nprose\n\n***\n', kind: 'absent' },
  { text: '----\na: 1\n---\n', kind: 'absent' },
  { text: '--- text\na: 1\n---\n', kind: 'absent' },
  { text: ' ---\na: 1\n---\n', kind: 'absent' },
  { text: '\n---\na: 1\n---\n', kind: 'absent' },
  { text: '---js\nthrow 1\n---\n', kind: 'absent' },
  { text: '---\n---', kind: 'empty' },
  { text: '---\n---\nx', kind: 'empty' },
  { text: '---\n\n# only a comment\n---\nx', kind: 'empty' },
  { text: '---\na: 1\n---', kind: 'mapping' },
  { text: '---  \na: 1\n--- \t\nx', kind: 'mapping' },
  { text: '---\na: 1\n...\nx', kind: 'mapping' },
  { text: '---\r\na: 1\r\n---\r\nx', kind: 'mapping' },
  { text: '---\nACME Corp\n---\n', kind: 'other' },
  { text: '---\n- a\n- b\n---\n', kind: 'other' },
  { text: '---\n42\n---\n', kind: 'other' },
  { text: '---\ntags: [a\n---\nbody', kind: 'broken' },
  { text: '---\na: b: c\n---\n', kind: 'broken' },
  { text: '---\npeople: [[A]], [[B]]\n---\n', kind: 'broken' },
  { text: '---\na: 1\na: 2\n---\n', kind: 'broken' },
  { text: '---\na:\n\tb: 1\n---\n', kind: 'broken' },
  { text: '---\ntitle: {{title}} of today\n---\n', kind: 'broken' },
  { text: '---\ntitle: x\nbody', kind: 'broken' },
  { text: '---\ntitle: x\nbody\n----\n--- x\n', kind: 'broken' },
  { text: '---\na: &x {b: *x}\n---\n', kind: 'broken' },
]
test.each(kinds)('$text is $kind', ({ text, kind }) => {
  expect(scanFrontmatter(text).kind as string).toBe(kind)
  expect(scanFrontmatter(`\ufeff${text}`).kind as string).toBe(kind)
})

const ranges = [
  { text: '---\na: 1\n---\nx', block: '---\na: 1\n---\n', yaml: 'a: 1\n', body: 'x' },
  { text: '\ufeff---\r\na: 1\r\n---\r\nx', block: '---\r\na: 1\r\n---\r\n', yaml: 'a: 1\r\n', body: 'x' },
  { text: '---\n---', block: '---\n---', yaml: '', body: '' },
  { text: '---\na: 1\n---', block: '---\na: 1\n---', yaml: 'a: 1\n', body: '' },
  { text: '---\na: [\n---\nx\n', block: '---\na: [\n---\n', yaml: 'a: [\n', body: 'x\n' },
  { text: '---\nACME\n---\nx', block: null, yaml: null, body: '---\nACME\n---\nx' },
  { text: '\ufeff---\na: 1\nx', block: null, yaml: null, body: '---\na: 1\nx' },
  { text: '\ufeffx', block: null, yaml: null, body: 'x' },
]
test.each(ranges)('the parts of $text', ({ text, block, yaml, body }) => {
  const found = scanFrontmatter(text)
  const part = (range: { start: number; end: number } | null) => range && text.slice(range.start, range.end)
  expect(part(found.block)).toBe(block)
  expect(part(found.yaml)).toBe(yaml)
  expect(text.slice(found.bodyStart)).toBe(body)
})

test('a problem names the line of the note and what the reader said', () => {
  expect(scanFrontmatter('---\nok: 1\na: b: c\n---\n').problems).toEqual([
    {
      code: 'yaml_error',
      message: 'Nested mappings are not allowed in compact mappings (column 4)',
      line: 3,
    },
  ])
  expect(scanFrontmatter('---\na: 1\n').problems[0]?.code).toBe('frontmatter_unclosed')
  expect(scanFrontmatter('---\nprose\n---\n').problems[0]?.code).toBe('frontmatter_not_mapping')
})

test('a block past the cap is broken, and the note after it is still a note', () => {
  const text = `---\na: "${'x'.repeat(MAX_YAML)}"\n---\nbody`
  const { kind, problems, bodyStart } = scanFrontmatter(text)
  expect([kind, problems[0]?.code, text.slice(bodyStart)]).toEqual([
    'broken',
    'frontmatter_too_large',
    'body',
  ])
})

test('any text is scanned without a throw, and the parts stand in order', () => {
  const line = fc.constantFrom(
    '---',
    '...',
    'a: 1',
    'a',
    '- x',
    '[',
    '{',
    'b: *c',
    'c: &c [1]',
    '"',
    '\t',
    '# c',
    '--- ',
    '',
  )
  const end = fc.constantFrom('\n', '\r\n', '\r')
  fc.assert(
    fc.property(fc.array(fc.tuple(line, end), { maxLength: 9 }), (lines) => {
      const text = lines.map((pair) => pair.join('')).join('')
      const { block, yaml, bodyStart, data, kind } = scanFrontmatter(text)
      expect(bodyStart).toBe(block?.end ?? 0)
      expect(bodyStartOf(text, kind)).toBe(bodyStart)
      if (block !== null && yaml !== null) expect(text.slice(yaml.start - 1, yaml.start)).toBe('\n')
      expect(data !== null).toBe(kind === 'mapping' || kind === 'empty')
    }),
  )
})
