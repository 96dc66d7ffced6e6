import { expect, test } from 'bun:test'
import { VaultError } from '../../src/errors.ts'
import { parseNote } from '../../src/note/parse.ts'
import { findBlock, findHeading, type HeadingChoice, headingPath } from '../../src/note/sections.ts'

const NOTE = `# One

## Log

# Two

## Mid

### Log

## The \`foo\` call

Title below
===========

## A::B

## Open items #urgent #work

## Información — x

## IŞIK ılık

# Case
# case
`

const lineOf = (text: string, target: string, choice?: HeadingChoice) => {
  const { headings } = parseNote(text)
  return headings[findHeading(parseNote(text), target, choice)]?.line
}
const failure = (run: () => unknown): VaultError => {
  try {
    run()
  } catch (error) {
    if (error instanceof VaultError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

const found = [
  { target: 'Mid', line: 7 },
  { target: '  mid ', line: 7 },
  { target: '## Mid', line: 7 },
  { target: 'Two::Mid::Log', line: 9 },
  { target: 'Two::Log', line: 9 },
  { target: 'Mid::Log', line: 9 },
  { target: '# One::## Log', line: 3 },
  { target: 'One :: Log', line: 3 },
  { target: '### Log', line: 9 },
  { target: 'the foo call', line: 11 },
  { target: 'The `foo` call', line: 11 },
  { target: 'title below', line: 13 },
  { target: 'A::B', line: 16 },
  { target: '"A::B"', line: 16 },
  { target: 'Title below::"A::B"', line: 16 },
  { target: '## "A::B"', line: 16 },
  { target: 'Open items #urgent #work', line: 18 },
  { target: 'informacio\u0301n\u00a0—  x', line: 20 },
  { target: 'Işik ılık', line: 22 },
  { target: 'Case', line: 24 },
  { target: 'case', line: 25 },
]
test.each(found)('$target is the heading in line $line', ({ target, line }) => {
  expect(lineOf(NOTE, target)).toBe(line)
})

const missing = [
  'Nothing',
  '',
  '#Mid',
  '####### Mid',
  '# Mid',
  'Mid::Two',
  'Two::',
  '::Log',
  'Log::Log',
  'isik ilik',
  '## Open items',
]
test.each(missing)('%s is no heading', (target) => {
  expect(failure(() => lineOf(NOTE, target)).code).toBe('target_not_found')
})

const near = [
  { target: '## Open items', right: 'Open items #urgent #work' },
  { target: 'Titel below', right: 'Title below' },
  { target: 'Two::Mit', right: 'Mid' },
]
test.each(near)('for $target the nearest is named', ({ target, right }) => {
  const { hint, details } = failure(() => lineOf(NOTE, target))
  expect(details.nearest).toContain(right)
  expect(hint).toContain(right)
})

test('a note without headings says so, one with others names some', () => {
  expect(failure(() => lineOf('text', 'A')).hint).toContain('no headings')
  expect(failure(() => lineOf('# Zebra\n# Quokka\n', 'A long way off')).hint).toContain('"Quokka"')
})

test('of several that fit each is named with path, occurrence and line', () => {
  const text = '# A\n## Log\n# B\n## Log\n## Log\n'
  const refusal = failure(() => lineOf(text, 'log'))
  expect(refusal.code).toBe('ambiguous')
  expect(refusal.details.candidates).toEqual([
    { path: 'A::Log', occurrence: 1, line: 2, level: 2 },
    { path: 'B::Log', occurrence: 2, line: 4, level: 2 },
    { path: 'B::Log', occurrence: 3, line: 5, level: 2 },
  ])
  expect(lineOf(text, 'log', { occurrence: 3 })).toBe(5)
  expect(lineOf(text, 'log', { line: 4 })).toBe(4)
  expect(lineOf(text, 'B::Log', { occurrence: 1 })).toBe(4)
  expect(failure(() => lineOf(text, 'B::Log')).code).toBe('ambiguous')
  expect(failure(() => lineOf(text, 'log', { occurrence: 4 })).code).toBe('target_not_found')
  expect(failure(() => lineOf(text, 'log', { line: 3 })).details.candidates).toHaveLength(3)
})

test('a whole path is meant before one with gaps', () => {
  const text = '# Two\n## Mid\n### Log\n## Log\n'
  expect(lineOf(text, 'Two::Log')).toBe(4)
  expect(lineOf(text, 'Two::Mid::Log')).toBe(3)
})

test('the path of every heading leads back to it', () => {
  const { headings } = parseNote(NOTE)
  for (const [i, heading] of headings.entries()) {
    expect(findHeading(parseNote(NOTE), headingPath(headings, i), { line: heading.line })).toBe(i)
  }
})

test('an empty heading is found by its marks', () => {
  expect(lineOf('# A\n##\n', '##')).toBe(2)
})

test('a block is found by its id, whatever the case and with or without its caret', () => {
  const parsed = parseNote('a ^One\n\nb ^two\n\nc ^two\n')
  expect([findBlock(parsed, 'one').line, findBlock(parsed, '^ONE').line]).toEqual([1, 1])
  expect(failure(() => findBlock(parsed, 'two')).details.candidates).toHaveLength(2)
  expect(failure(() => findBlock(parsed, 'on')).details.nearest).toEqual(['One'])
  expect(failure(() => findBlock(parseNote('x'), 'y')).code).toBe('target_not_found')
})
