import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { NoteFacts } from '../../src/note/note.ts'
import { compileSort, type Described, selectFields } from '../../src/search/fields.ts'
import { compareValues, sameValue, toInstant } from '../../src/search/values.ts'
import { type Condition, compileWhere, matchTag, OPERATORS } from '../../src/search/where.ts'

const BARE: NoteFacts = {
  title: '',
  aliases: [],
  tags: [],
  frontmatter: null,
  frontmatterKind: 'absent',
  headings: [],
  links: [],
  blocks: [],
  tasks: [],
  inlineFields: [],
  words: 0,
  problems: [],
}

function note(
  path: string,
  frontmatter: Record<string, unknown> | null,
  more: Partial<NoteFacts> = {},
): Described {
  const time = Date.parse('2026-05-01T12:00:00Z')
  return { facts: { ...BARE, frontmatter, ...more }, file: { path, size: 10, mtimeMs: time, ctimeMs: time } }
}

const NOTES = [
  note('a.md', {
    status: 'stable',
    tags: ['lang', 'systems'],
    count: 42,
    ver: '9',
    done: true,
    reviewed: null,
    people: ['Ann', 'Bob'],
    date: '2026-03-01',
    when: '2026-03-01T10:00:00+02:00',
    x: { y: 'deep' },
    'x.z': 'literal',
    authors: [{ name: 'Ann' }, { name: 'Cy' }],
    dates: ['2026-01-01', '2026-06-01'],
  }),
  note('sub/b.md', {
    status: 'in progress',
    tags: 'Lang, #Other',
    count: 7,
    ver: '12',
    done: false,
    date: '2026-05-01',
  }),
  note('d.md', null, { tags: ['inboxes'], words: 3 }),
]

function matches(...conditions: Condition[]): string[] {
  const fits = compileWhere(conditions)
  return NOTES.filter(({ facts, file }) => fits(facts, file)).map(({ file }) =>
    file.path.replace('sub/', '').replace('.md', ''),
  )
}

const cases: { is: Condition; right: string[] }[] = [
  // eq
  { is: { field: 'status', value: 'stable' }, right: ['a'] },
  { is: { field: 'status', value: 'stab' }, right: [] },
  { is: { field: 'status', value: 'Stable' }, right: [] },
  { is: { field: 'Status', value: 'stable' }, right: ['a'] },
  { is: { field: 'count', value: 42 }, right: ['a'] },
  { is: { field: 'count', value: '42' }, right: ['a'] },
  { is: { field: 'ver', value: 9 }, right: ['a'] },
  { is: { field: 'done', value: false }, right: ['b'] },
  { is: { field: 'done', value: 'true' }, right: ['a'] },
  { is: { field: 'done', value: 1 }, right: [] },
  { is: { field: 'reviewed', value: null }, right: ['a'] },
  { is: { field: 'nofield', value: null }, right: [] },
  { is: { field: 'people', value: 'Ann' }, right: ['a'] },
  { is: { field: 'people', value: ['Ann', 'Bob'] }, right: ['a'] },
  { is: { field: 'people', value: ['Bob', 'Ann'] }, right: [] },
  { is: { field: 'x', value: { y: 'deep' } }, right: ['a'] },
  { is: { field: 'tags', value: '#LANG' }, right: ['a', 'b'] },
  { is: { field: 'tags', value: 'systems' }, right: ['a'] },
  // dotted fields
  { is: { field: 'x.y', value: 'deep' }, right: ['a'] },
  { is: { field: 'x.z', value: 'literal' }, right: ['a'] },
  { is: { field: 'x.y.z', operator: 'exists' }, right: [] },
  { is: { field: 'authors.name', value: 'Cy' }, right: ['a'] },
  { is: { field: 'authors.1.name', value: 'Ann' }, right: [] },
  { is: { field: 'people.1', value: 'Bob' }, right: ['a'] },
  { is: { field: 'constructor', operator: 'exists' }, right: [] },
  { is: { field: '__proto__.x', operator: 'exists' }, right: [] },
  // ne, in
  { is: { field: 'status', operator: 'ne', value: 'stable' }, right: ['b'] },
  { is: { field: 'people', operator: 'ne', value: 'Ann' }, right: [] },
  { is: { field: 'reviewed', operator: 'ne', value: 'x' }, right: ['a'] },
  { is: { field: 'count', operator: 'in', value: [7, 8] }, right: ['b'] },
  { is: { field: 'people', operator: 'in', value: ['Zoe', 'Bob'] }, right: ['a'] },
  { is: { field: 'count', operator: 'in', value: [] }, right: [] },
  // contains
  { is: { field: 'status', operator: 'contains', value: 'progress' }, right: ['b'] },
  { is: { field: 'people', operator: 'contains', value: 'Bob' }, right: ['a'] },
  { is: { field: 'people', operator: 'contains', value: 'Bo' }, right: [] },
  { is: { field: 'people', operator: 'contains', value: ['Bob', 'Ann'] }, right: ['a'] },
  { is: { field: 'people', operator: 'contains', value: ['Bob', 'Zoe'] }, right: [] },
  { is: { field: 'count', operator: 'contains', value: 4 }, right: [] },
  { is: { field: 'x', operator: 'contains', value: 'y' }, right: ['a'] },
  // exists, missing
  { is: { field: 'status', operator: 'exists' }, right: ['a', 'b'] },
  { is: { field: 'reviewed', operator: 'exists', value: 'ignored' }, right: ['a'] },
  { is: { field: 'nofield', operator: 'exists' }, right: [] },
  { is: { field: 'count', operator: 'missing' }, right: ['d'] },
  { is: { field: 'reviewed', operator: 'missing' }, right: ['b', 'd'] },
  // ranges
  { is: { field: 'count', operator: 'gte', value: 8 }, right: ['a'] },
  { is: { field: 'count', operator: 'lt', value: '42' }, right: ['b'] },
  { is: { field: 'count', operator: 'lte', value: 42 }, right: ['a', 'b'] },
  { is: { field: 'ver', operator: 'gt', value: 10 }, right: ['b'] },
  { is: { field: 'ver', operator: 'gt', value: '10' }, right: ['b'] },
  { is: { field: 'date', operator: 'lt', value: '2026-04-01' }, right: ['a'] },
  { is: { field: 'date', operator: 'gte', value: '2026-05-01T00:00' }, right: ['b'] },
  { is: { field: 'date', operator: 'gt', value: '2026-04' }, right: ['b'] },
  { is: { field: 'when', operator: 'lt', value: '2026-03-01T08:00:01Z' }, right: ['a'] },
  { is: { field: 'when', operator: 'lt', value: '2026-03-01T08:00:00Z' }, right: [] },
  { is: { field: 'dates', operator: 'gt', value: '2026-05-01' }, right: ['a'] },
  { is: { field: 'status', operator: 'gt', value: 5 }, right: [] },
  { is: { field: 'status', operator: 'gt', value: 'j' }, right: ['a'] },
  { is: { field: 'done', operator: 'gt', value: 0 }, right: [] },
  // matches
  { is: { field: 'status', operator: 'matches', value: '^st.b' }, right: ['a'] },
  { is: { field: 'status', operator: 'matches', value: '(?i)PROGRESS' }, right: ['b'] },
  { is: { field: 'people', operator: 'matches', value: '^B' }, right: ['a'] },
  { is: { field: 'count', operator: 'matches', value: '^4' }, right: ['a'] },
  { is: { field: 'reviewed', operator: 'matches', value: 'null' }, right: [] },
  // what is known of every file
  { is: { field: 'file.path', value: 'd.md' }, right: ['d'] },
  { is: { field: 'file.folder', value: 'sub' }, right: ['b'] },
  { is: { field: 'file.name', operator: 'matches', value: '^[ab]' }, right: ['a', 'b'] },
  { is: { field: 'file.size', operator: 'gt', value: 9 }, right: ['a', 'b', 'd'] },
  { is: { field: 'file.modified', operator: 'gt', value: '2026-05-01' }, right: ['a', 'b', 'd'] },
  { is: { field: 'file.modified', operator: 'gt', value: '2026-05-02' }, right: [] },
  { is: { field: 'file.words', value: 3 }, right: ['d'] },
  { is: { field: 'file.tags', value: 'INBOXES' }, right: ['d'] },
]
test.each(cases)('$is fits $right', ({ is, right }) => expect(matches(is)).toEqual(right))

test('every condition must hold, and none holds for all', () => {
  expect(
    matches(
      { field: 'count', operator: 'gt', value: 1 },
      { field: 'date', operator: 'gt', value: '2026-04-01' },
    ),
  ).toEqual(['b'])
  expect(matches()).toEqual(['a', 'b', 'd'])
})

const refused: { is: unknown; says: RegExp }[] = [
  { is: { field: 'status' }, says: /needs a value/ },
  { is: { field: 'status', operator: 'contains' }, says: /needs a value/ },
  { is: { field: 'status', operator: 'like', value: 1 }, says: /no operator "like"/ },
  { is: { field: 'status', operator: 'containts', value: 1 }, says: /Did you mean "contains"/ },
  { is: { field: ' ', value: 1 }, says: /no field/ },
  { is: { field: 'a', operator: 'in', value: 'x' }, says: /list/ },
  { is: { field: 'a', operator: 'matches', value: '(?=x)' }, says: /cannot be read/ },
  { is: { field: 'a', operator: 'matches', value: 'x'.repeat(1001) }, says: /1000 bytes/ },
  { is: { field: 'a', operator: 'lt', value: null }, says: /number, a date or a text/ },
]
test.each(refused)('refused: $is', ({ is, says }) => {
  expect(() => compileWhere([is as Condition])).toThrow(says)
})

const tags = [
  { tag: 'lang', nested: true, right: true },
  { tag: '#LANG', nested: true, right: true },
  { tag: 'inbox', nested: true, right: true },
  { tag: 'inbox', nested: false, right: false },
  { tag: 'inbox/', nested: true, right: true },
  { tag: 'Inbox/Read', nested: false, right: true },
  { tag: 'inb', nested: true, right: false },
  { tag: '#', nested: true, right: false },
]
test.each(tags)('tag $tag, nested $nested: $right', ({ tag, nested, right }) => {
  expect(matchTag({ tags: ['Lang', 'inbox/read', 'inboxes'] }, tag, nested)).toBe(right)
})

describe('sorting and selecting', () => {
  const rows = [
    note('a.md', { n: 10, s: 'x' }),
    note('b.md', { n: 9, s: 'x' }),
    note('c.md', {}),
    note('d.md', { n: null }),
    note('e.md', { n: '9.5', s: 'w' }),
    note('f.md', { n: 'text' }),
  ]
  const orders = [
    { by: 'n', right: 'beafcd' },
    { by: '-n', right: 'faebcd' },
    { by: 'n desc', right: 'faebcd' },
    { by: 's,-n', right: 'eabfcd' },
    { by: 'file.path', right: 'abcdef' },
    { by: '-file.name', right: 'fedcba' },
    { by: '-path', right: 'fedcba' },
    { by: '', right: 'abcdef' },
  ]
  test.each(orders)('by $by: $right', ({ by, right }) => {
    expect(
      rows
        .toSorted(compileSort(by))
        .map(({ file }) => file.path[0])
        .join(''),
    ).toBe(right)
  })

  test('the fields asked for, null where there is none', () => {
    expect(selectFields(NOTES[0]!, ['status', 'x.y', 'nofield', 'file.folder', 'size'])).toEqual({
      status: 'stable',
      'x.y': 'deep',
      nofield: null,
      'file.folder': '',
      size: 10,
    })
  })
})

describe('values', () => {
  const instants = [
    { text: '2026-03-01', right: '2026-03-01T00:00:00.000Z' },
    { text: '2026-03-01 10:30', right: '2026-03-01T10:30:00.000Z' },
    { text: '2026-03-01T10:30:15.5-0400', right: '2026-03-01T14:30:15.500Z' },
    { text: '2026-13-01', right: null },
    { text: '2026-03', right: null },
    { text: '12:30', right: null },
  ]
  test.each(instants)('$text is the instant $right', ({ text, right }) => {
    expect(toInstant(text)).toBe(right === null ? null : Date.parse(right))
  })

  test('any value is the same as itself and is placed as its opposite is turned round', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(sameValue(a, a)).toBe(true)
        expect(sameValue(a, b)).toBe(sameValue(b, a))
        const [there, back] = [compareValues(a, b), compareValues(b, a)]
        expect(there === null ? null : Math.sign(there) + 0).toBe(back === null ? null : -Math.sign(back) + 0)
      }),
    )
  })

  test('no operator throws on any value that a property may hold', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.oneof(fc.string(), fc.double(), fc.array(fc.jsonValue())),
        fc.constantFrom(...OPERATORS),
        (have, value, operator) => {
          const condition = {
            field: 'k',
            operator,
            value: operator === 'in' ? [value].flat() : Array.isArray(value) ? '1' : value,
          }
          if (operator === 'matches') condition.value = 'a+'
          expect(
            typeof compileWhere([condition])({ ...BARE, frontmatter: { k: have } }, NOTES[0]!.file),
          ).toBe('boolean')
        },
      ),
    )
  })
})
