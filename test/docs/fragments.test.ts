import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { cutPage } from '../../src/docs/fragments.ts'

const cut = (text: string, path = 'en/Page.md') =>
  cutPage({ path, text }).map(({ headings, text: own }): [string, string] => [headings.join(' > '), own])

describe('a page is cut at its headings', () => {
  const cases: { title: string; text: string; right: [string, string][] }[] = [
    { title: 'nothing', text: '', right: [] },
    { title: 'blanks', text: ' \n\n', right: [] },
    { title: 'no heading', text: '\nwords\n', right: [['', 'words']] },
    { title: 'properties are no text', text: '---\naliases: [x]\n---\nwords', right: [['', 'words']] },
    {
      title: 'levels 1 to 4',
      text: 'top\n# A\na\n## B\nb\n### C\nc\n#### D\nd',
      right: [
        ['', 'top'],
        ['A', 'a'],
        ['A > B', 'b'],
        ['A > B > C', 'c'],
        ['A > B > C > D', 'd'],
      ],
    },
    { title: 'deeper ones stay inside', text: '# A\na\n##### E\ne', right: [['A', 'a\n##### E\ne']] },
    {
      title: 'underlined headings',
      text: 'A\n===\na\n\nB\n---\nb',
      right: [
        ['A', 'a'],
        ['A > B', 'b'],
      ],
    },
    { title: 'not in code', text: '# A\n```\n# no\n```', right: [['A', '```\n# no\n```']] },
    {
      title: 'a heading alone is found itself',
      text: '# A\n## B\n## C\nc',
      right: [
        ['A > B', '## B'],
        ['A > C', 'c'],
      ],
    },
  ]
  test.each(cases)('$title', ({ text, right }) => {
    expect(cut(text)).toEqual(right)
  })
})

test.each([
  ['en/Some page.md', 'words', 'Some page'],
  ['en/x.md', '---\ntitle: Its title\n---\nwords', 'Its title'],
  ['Plugins/index.md', '# All plugins\nwords', 'All plugins'],
  ['Plugins/README.md', 'words', 'Plugins'],
  ['README.md', 'words', 'README'],
])('%s with %j is titled %s', (path, text, right) => {
  expect(cutPage({ path, text })[0]?.title).toBe(right)
})

test('ids name the page and the place in it', () => {
  const text = '# A\na\n# B\nb'
  expect(cutPage({ path: 'en/P.md', text }).map(({ id }) => id)).toEqual(['en/P.md#0000', 'en/P.md#0001'])
})

describe('a long section', () => {
  test('is cut at blank lines into parts of about one size', () => {
    const paragraphs = Array.from({ length: 10 }, (_, i) => `${i} ${'words '.repeat(50)}`.trim())
    const parts = cut(`# A\n${paragraphs.join('\n\n')}`)
    expect(parts.map(([, text]) => text.split('\n\n').length)).toEqual([5, 5])
  })

  test('is not cut inside of code where there is another place', () => {
    const code = `\`\`\`\n${'line\n\n'.repeat(150)}\`\`\``
    const parts = cut(`${'words '.repeat(150)}\n\n${code}\n\n${'words '.repeat(150)}`)
    const fences = parts.map(([, part]) => part.match(/```/g)?.length ?? 0)
    expect(fences.toSorted()).toEqual([0, 2])
  })

  test.each([
    ['lines', 'a line of words\n'.repeat(400)],
    ['words', 'words '.repeat(900)],
    ['one word', 'x'.repeat(5000)],
    ['characters of two units', '😀'.repeat(2500)],
  ])('of %s keeps every letter, in order', (_, text) => {
    const parts = cut(text).map(([, part]) => part)
    expect(parts.length).toBeGreaterThan(1)
    expect(parts.every((part) => part.length <= 2000 && part.isWellFormed())).toBe(true)
    expect(parts.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''))
  })
})

test('whatever a page holds, its words are in its fragments or their headings', () => {
  const line = fc.constantFrom(
    '# A',
    '## B',
    '##### E',
    'words',
    '',
    '```',
    '> # Q',
    '- item',
    'T\n===',
    '%%',
    '| a |',
  )
  fc.assert(
    fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
      const fragments = cutPage({ path: 'P.md', text: lines.join('\n') })
      const all = fragments.map(({ text, headings }) => `${headings.join(' ')} ${text}`).join(' ')
      expect(all.split('words').length).toBeGreaterThanOrEqual(lines.join('\n').split('words').length)
      expect(new Set(fragments.map(({ id }) => id)).size).toBe(fragments.length)
    }),
  )
})
