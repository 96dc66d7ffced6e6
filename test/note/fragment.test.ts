import { expect, test } from 'bun:test'
import { findFragment, fragmentTable, headingKey, splitFragment } from '../../src/note/fragment.ts'

const HEADINGS = [
  { level: 1, text: 'Top', line: 1 }, // 0
  { level: 2, text: 'A', line: 2 }, // 1
  { level: 3, text: 'B', line: 3 }, // 2
  { level: 2, text: 'C', line: 4 }, // 3
  { level: 3, text: 'B', line: 5 }, // 4
  { level: 2, text: 'Q3: Plan (draft)', line: 6 }, // 5
  { level: 2, text: 'Informação  İ', line: 7 }, // 6
  { level: 1, text: 'See Other', raw: 'See [[Other|it]]', line: 8 }, // 7
  { level: 2, text: '???', line: 9 }, // 8
]
const table = fragmentTable({ headings: HEADINGS, blocks: [{ id: 'Abc-1', line: 2 }] })

const cases = [
  { fragment: 'A', right: [1] },
  { fragment: 'a', right: [1] },
  { fragment: 'B', right: [2] },
  { fragment: 'A#B', right: [1, 2] },
  { fragment: 'C#B', right: [3, 4] },
  { fragment: 'Top#C#B', right: [0, 3, 4] },
  { fragment: 'Top#B', right: [0, 2] },
  { fragment: 'B#A', right: null },
  { fragment: 'A#C', right: null },
  { fragment: 'Nope', right: null },
  { fragment: 'Q3 Plan draft', right: [5] },
  { fragment: 'Q3: Plan (draft)', right: [5] },
  { fragment: 'Informação\u00a0İ', right: [6] },
  { fragment: 'Informac\u0327a\u0303o İ', right: [6] },
  { fragment: 'See Other', right: [7] },
  { fragment: 'See Other it', right: [7] },
  { fragment: '???', right: [8] },
  { fragment: '!!', right: null },
  { fragment: 'see-other', right: null },
]
test.each(cases)('#$fragment leads to the headings $right', ({ fragment, right }) => {
  const found = findFragment(table, fragment)
  expect(found === null ? null : 'headings' in found && found.headings).toEqual(right)
})

const blocks = [
  { fragment: '^Abc-1', right: { block: 'Abc-1' } },
  { fragment: '^abc-1', right: { block: 'abc-1' } },
  { fragment: 'A#^abc-1', right: { block: 'abc-1' } },
  { fragment: '^nope', right: null },
]
test.each(blocks)('#$fragment leads to the block $right', ({ fragment, right }) => {
  expect(findFragment(table, fragment)).toEqual(right)
})

test('a fragment is a heading path, a block or nothing', () => {
  expect([splitFragment('A#B'), splitFragment('A#^b'), splitFragment(''), splitFragment(null)]).toEqual([
    { heading: 'A#B', block: null },
    { heading: null, block: 'b' },
    { heading: null, block: null },
    { heading: null, block: null },
  ])
})

test('underscores and hyphens count in a heading, other marks are blanks', () => {
  expect(headingKey('  A_b - `c`|[[D]]! ')).toBe('a_b - c d')
})

test('many nested headings of one name are searched in linear time', () => {
  const headings = Array.from({ length: 20_000 }, (_, i) => ({ level: (i % 6) + 1, text: 'A', line: i + 1 }))
  const started = performance.now()
  expect(findFragment(fragmentTable({ headings, blocks: [] }), 'A#A#A#A#A#x')).toBeNull()
  expect(performance.now() - started).toBeLessThan(2000)
})
