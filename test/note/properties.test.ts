import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseDocument } from 'yaml'
import { VaultError } from '../../src/errors.ts'
import { scanFrontmatter } from '../../src/note/frontmatter.ts'
import { removeProperty, setProperties } from '../../src/note/properties.ts'
import { sameValue } from '../../src/note/value.ts'

const note = (yaml: string) => `---\n${yaml}---\nbody\n`

describe('setting a property changes the bytes of that pair alone', () => {
  const cases: [what: string, before: string, key: string, value: unknown, after: string][] = [
    ['plain value', 'k: 1\n', 'k', 2, 'k: 2\n'],
    ['comment behind it', 'k: 1   # one\n', 'k', 2, 'k: 2   # one\n'],
    ['blanks after the colon', 'k:   1\nz: 2\n', 'k', 'x', 'k:   x\nz: 2\n'],
    ['single quotes stay', "k: 'a' # c\n", 'k', "it's", "k: 'it''s' # c\n"],
    ['double quotes stay', 'k: "a"\n', 'k', 'b', 'k: "b"\n'],
    ['quoted text to number', "k: '1'\n", 'k', 1, 'k: 1\n'],
    ['a date that was plain', 'd: 2026-03-16\n', 'd', '2026-03-17', 'd: 2026-03-17\n'],
    ['a date that is new', 'k: 1\n', 'd', '2026-03-17', 'k: 1\nd: "2026-03-17"\n'],
    ['nothing to something', 'k:\nz: 1\n', 'k', 'v', 'k: v\nz: 1\n'],
    ['nothing and a blank', 'k: \nz: 1\n', 'k', 'v', 'k: v\nz: 1\n'],
    ['nothing with a comment', 'k: # why\nz: 1\n', 'k', 'v', 'k: v # why\nz: 1\n'],
    ['something to nothing', 'k: v # c\n', 'k', null, 'k: # c\n'],
    ['text to list', 'k: v\nz: 1\n', 'k', ['a', 'b'], 'k:\n  - a\n  - b\nz: 1\n'],
    ['text with comment to list', 'k: v # c\n', 'k', ['a', 'b'], 'k: [a, b] # c\n'],
    ['list to text', 'k:\n  - a\n  - b\nz: 1\n', 'k', 'v', 'k: v\nz: 1\n'],
    ['list to text, comment at the key', 'k: # c\n  - a\nz: 1\n', 'k', 'v', 'k: v # c\nz: 1\n'],
    ['list to empty list', 'k:\n- a\nz: 1\n', 'k', [], 'k: []\nz: 1\n'],
    ['flow list grows', 'k: [b,  a] # c\n', 'k', ['b', 'a', 'x'], 'k: [b,  a,  x] # c\n'],
    ['flow list, tight', 'k: [b,a]\n', 'k', ['x', 'b', 'a'], 'k: [x,b,a]\n'],
    [
      'flow list of several lines',
      'k: [\n  a,\n  b\n]\n',
      'k',
      ['a', 'b', 'c'],
      'k: [\n  a,\n  b,\n  c\n]\n',
    ],
    ['flow list loses one', 'k: [a, "b", c]\n', 'k', ['a', 'c'], 'k: [a, c]\n'],
    ['flow list, all others', 'k: [a,b] # c\n', 'k', ['x'], 'k: [x] # c\n'],
    ['flow list loses the first', 'k: [a, "b", c]\n', 'k', ['b', 'c'], 'k: ["b", c]\n'],
    [
      'block list grows',
      'k:\n- a # one\n- b\nz: 1\n',
      'k',
      ['a', 'b', 'c'],
      'k:\n- a # one\n- b\n- c\nz: 1\n',
    ],
    ['block list, first', 'k:\n    - a\n', 'k', ['x', 'a'], 'k:\n    - x\n    - a\n'],
    ['block list loses one', 'k:\n  - a # one\n  # two\n  - b\n', 'k', ['b'], 'k:\n  # two\n  - b\n'],
    ['block list, one differs', "k:\n  - 'a'\n  - b # c\n", 'k', ['x', 'b'], "k:\n  - 'x'\n  - b # c\n"],
    ['map, one differs', 'm:\n   a: 1 # c\n   b: 2\n', 'm', { a: 3, b: 2 }, 'm:\n   a: 3 # c\n   b: 2\n'],
    ['map grows', 'm:\n   a: 1 # c\nz: 1\n', 'm', { a: 1, b: 2 }, 'm:\n   a: 1 # c\n   b: 2\nz: 1\n'],
    ['map loses one', 'm:\n  a: 1\n  b: 2\n', 'm', { b: 2 }, 'm:\n  b: 2\n'],
    ['flow map', 'm: {a: 1,b: 2}\n', 'm', { a: 1, b: 3, c: 4 }, 'm: {a: 1,b: 3,c: 4}\n'],
    ['list of maps', 'l:\n  - a: 1\n    b: 2\n', 'l', [{ a: 1, b: 3 }], 'l:\n  - a: 1\n    b: 3\n'],
    ['literal block', 'k: |\n  a\n  b\nz: 1\n', 'k', 'one', 'k: one\nz: 1\n'],
    ['literal block renewed', 'k: |\n  a\n\nz: 1\n', 'k', 'x\ny\n', 'k: |\n  x\n  y\n\nz: 1\n'],
    ['folded block', 'k: >-\n  a\n  b\nz: 1\n', 'k', 'c', 'k: c\nz: 1\n'],
    ['text of several lines', 'k: a\n  b\n  c\nz: 1\n', 'k', 'd', 'k: d\nz: 1\n'],
    ['an alias', 'a: &x 1\nb: *x\n', 'b', 2, 'a: &x 1\nb: 2\n'],
    ['an unused anchor', 'a: &x 1\n', 'a', 2, 'a: 2\n'],
    ['a quoted key', "'k e y': 1\n", 'k e y', 2, "'k e y': 2\n"],
    ['a key with a colon that is there', 'dc:title: x\n', 'dc:title', 'w', 'dc:title: w\n'],
    ['a number as key', '2024: a\n', '2024', 'b', '2024: b\n'],
    ['dots are literal', 'a.b: 1\n', 'a.b', 2, 'a.b: 2\n'],
    ['an explicit key', '? k\n: v\n', 'k', 'w', '? k\n: w\n'],
    ['a flow block', '{a: 1, b: 2}\n', 'b', 3, '{a: 1, b: 3}\n'],
    ['a flow block grows', '{a: 1}\n', 'b', 'x y', '{a: 1, b: x y}\n'],
    ['indented keys', '  a: 1\n  b: 2\n', 'c', 3, '  a: 1\n  b: 2\n  c: 3\n'],
    ['new after a comment', 'a: 1\n# end\n', 'b', 2, 'a: 1\n# end\nb: 2\n'],
    ['new after a literal', 'a: |\n  x\n', 'b', 2, 'a: |\n  x\nb: 2\n'],
    ['new in comments alone', '# none yet\n', 'b', 2, '# none yet\nb: 2\n'],
    ['a link', 'a: 1\n', 'up', '[[Home]]', 'a: 1\nup: "[[Home]]"\n'],
    ['links', 'a: 1\n', 'up', ['[[A]]', 'b'], 'a: 1\nup:\n  - "[[A]]"\n  - b\n'],
    ['deep', 'a: 1\n', 'm', { a: { b: [1, null] } }, 'a: 1\nm:\n  a:\n    b:\n      - 1\n      - null\n'],
    [
      'list in list',
      'a: 1\n',
      'm',
      [['x'], { k: 1, l: [2] }],
      'a: 1\nm:\n  - [x]\n  - k: 1\n    l:\n      - 2\n',
    ],
    ['placeholder elsewhere', 'a: {{date}}\nb: 1\n', 'b', 2, 'a: {{date}}\nb: 2\n'],
    ['placeholder itself', 'a: {{date}}\nb: 1\n', 'a', 'x', 'a: x\nb: 1\n'],
    ['a long text', 'a: 1\n', 'a', `${'word '.repeat(40)}end`, `a: ${'word '.repeat(40)}end\n`],
  ]
  test.each(cases)('%s', (_, before, key, value, after) => {
    expect(setProperties(note(before), { [key]: value })).toBe(note(after))
    // Line ends of the note are kept.
    const crlf = (text: string) => text.replaceAll('\n', '\r\n')
    expect(setProperties(crlf(note(before)), { [key]: value })).toBe(crlf(note(after)))
    // A second time changes nothing.
    expect(setProperties(note(after), { [key]: value })).toBe(note(after))
  })
})

test('what YAML would read otherwise is quoted, the rest is not', () => {
  const quoted = (value: string) => setProperties(note(''), { k: value }).includes('"')
  for (const value of [
    'true',
    'Yes',
    '.',
    'on',
    'no',
    'null',
    '~',
    '',
    '12',
    '0123',
    '1.10',
    '1e3',
    '0x1F',
    '1_000',
  ]) {
    expect([value, quoted(value)]).toEqual([value, true])
  }
  for (const value of [
    '12:30',
    '2026-01-01',
    '2026-01-01T10:00:00Z',
    '.inf',
    '-x',
    '- x',
    '#tag',
    '@me',
    '%a',
  ]) {
    expect([value, quoted(value)]).toEqual([value, true])
  }
  for (const value of [
    'Fwd: Hints',
    'a # b',
    'a:',
    ' edge ',
    '[[Home]]',
    '{x}',
    '*a',
    '!t',
    '&a',
    '`c`',
    '<<',
  ]) {
    expect([value, quoted(value)]).toEqual([value, true])
  }
  for (const value of [
    "It's",
    'draft',
    '3 apples',
    'a, b',
    'a:b',
    'a#b',
    'C:\\x\\y',
    '🐘 日本',
    'v1.2',
    'yes!',
    'y',
    'N',
  ]) {
    expect([value, quoted(value)]).toEqual([value, false])
  }
})

test('a note without a block gets one, after a byte-order mark, with its own line ends', () => {
  expect(setProperties('# B\n\nx\n', { title: 'Old' })).toBe('---\ntitle: Old\n---\n# B\n\nx\n')
  expect(setProperties('', { a: 1 })).toBe('---\na: 1\n---\n')
  expect(setProperties('\ufeff# B\r\nx', { a: 1, b: [2] })).toBe(
    '\ufeff---\r\na: 1\r\nb:\r\n  - 2\r\n---\r\n# B\r\nx',
  )
  expect(setProperties('---\n---\nx', { a: 1 })).toBe('---\na: 1\n---\nx')
  expect(setProperties('---\n\nprose below a rule\n', { a: 1 })).toBe(
    '---\na: 1\n---\n---\n\nprose below a rule\n',
  )
  expect(setProperties('x', {})).toBe('x')
})

test('removing takes the pair with its comment; the last one leaves an empty block', () => {
  const cases: [before: string, key: string, after: string][] = [
    ['a: 1\nb: 2 # two\nc: 3\n', 'b', 'a: 1\nc: 3\n'],
    ['# about a\na: 1\nb: 2\n', 'a', '# about a\nb: 2\n'],
    ['a:\n  - x\n\n  # end\nb: 2\n', 'a', '\n  # end\nb: 2\n'],
    ['a: |\n  x\n  y\nb: 2\n', 'a', 'b: 2\n'],
    ['a: 1\n', 'a', ''],
    ['a: 1\n', 'nothing', 'a: 1\n'],
    ['{a: 1, b: 2}\n', 'a', '{b: 2}\n'],
    ['{a: 1, b: 2}\n', 'b', '{a: 1}\n'],
    ['? a\n: b\nc: 1\n', 'a', 'c: 1\n'],
    ['a: &x 1\nb: 2\n', 'a', 'b: 2\n'],
  ]
  for (const [before, key, after] of cases) expect(removeProperty(note(before), key)).toBe(note(after))
  expect(removeProperty('no block', 'a')).toBe('no block')
})

test('what cannot be done exactly is refused', () => {
  const code = (run: () => string) => {
    try {
      return run()
    } catch (error) {
      if (error instanceof VaultError) return error.code
      throw error
    }
  }
  const broken = [
    '---\ntags: [a\n---\nbody',
    '---\na: 1\nno end',
    '---\n- a\n---\nx',
    '---\nACME Corp\n---\nx',
  ]
  for (const text of broken) {
    expect(code(() => setProperties(text, { k: 1 }))).toBe('bad_frontmatter')
    expect(code(() => removeProperty(text, 'k'))).toBe('bad_frontmatter')
  }
  const anchored = note('base: &b {x: 1}\ncopy: *b\n')
  expect(code(() => removeProperty(anchored, 'base'))).toBe('bad_frontmatter')
  expect(code(() => setProperties(anchored, { base: 1 }))).toBe('bad_frontmatter')
  for (const key of ['a: b', 'a\nb', '', ' ', 'status: done\nrank: 1']) {
    expect(code(() => setProperties('x', { [key]: 1 }))).toBe('bad_argument')
  }
  for (const value of [undefined, Number.NaN, 1e300, 2 ** 60]) {
    expect(code(() => setProperties('x', { k: value }))).toBe('bad_argument')
  }
  let deep: unknown = 1
  for (let i = 0; i < 5000; i++) deep = [deep]
  expect(code(() => setProperties('x', { k: deep }))).toBe('bad_argument')
})

test('the line of what is broken is named', () => {
  expect(() => setProperties('---\nok: 1\ntags: [a\n---\nbody', { k: 1 })).toThrow(/^Line [34]: /)
})

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({
    unit: fc.constantFrom(...' :#-?,[]{}"\'\n\t&*!|>%@`~.0123ex+ynoab\\\r\u2028\u0085\ufeff'),
    maxLength: 8,
  }),
  fc.constantFrom(
    '2026-01-01',
    '12:30',
    'true',
    '[[A|b]]',
    '{{date}}',
    '---',
    '...',
    'a\n---\nb',
    '<<',
    '=',
    '1_0',
  ),
)
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 })),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(text, tie('any'), { maxKeys: 3 }),
  ),
})).any
const plainZero = (x: unknown): unknown => JSON.parse(JSON.stringify(x))

test('every value comes back as it was sent, and YAML 1.1 readers see text where text was sent', () => {
  fc.assert(
    fc.property(value.map(plainZero), (v) => {
      const out = setProperties(note('a: 1\n'), { k: v })
      expect(sameValue(scanFrontmatter(out).data, { a: 1, k: v })).toBe(true)
      // The letters y and n are truth values on paper only.
      if (typeof v !== 'string' || /^[yn]$/i.test(v)) return
      const yaml = out.slice(4, out.lastIndexOf('\n---\n') + 1)
      expect(parseDocument(yaml, { version: '1.1' }).toJS().k).toBe(v)
    }),
    { numRuns: 1000 },
  )
})

/** Blocks in many layouts: each pair as its lines, with the value it holds. */
const pair = (name: string) =>
  fc.constantFrom(
    `${name}: plain text # c\n`,
    `${name}:   'single'\n`,
    `${name}: "dou: ble"   # c\n`,
    `${name}:\n`,
    `${name}: # nothing\n`,
    `${name}: [a,  "b", 'c'] # flow\n`,
    `${name}: [\n  a,\n  b # c\n]\n`,
    `${name}: {x: 1,  y: [2]}\n`,
    `${name}:\n- a # one\n\n# between\n- 'b'\n`,
    `${name}:\n    - a\n    - - n\n      - m\n`,
    `${name}:\n  x: 1 # c\n  y:\n    - p\n    - q: 1\n      r: 2\n`,
    `${name}: |\n  lit\n\n  eral\n\n`,
    `${name}: >-\n  fol\n  ded\n`,
    `${name}: several\n  lines\n`,
    `# above\n${name}: 2026-01-01\n`,
    `"${name}": yes\n`,
    `${name}: !!str 12\n`,
    `${name}: &${name} [q, r]\n`,
  )
const block = fc.tuple(pair('a'), pair('b'), pair('c'))

test('in blocks of every layout, other pairs keep their bytes and all values are right', () => {
  fc.assert(
    fc.property(
      block,
      fc.constantFrom('a', 'b', 'c', 'd'),
      value.map(plainZero),
      fc.boolean(),
      (pairs, key, v, crlf) => {
        const eol = (s: string) => (crlf ? s.replaceAll('\n', '\r\n') : s)
        const before = eol(note(pairs.join('')))
        const after = setProperties(before, { [key]: v })
        const old = scanFrontmatter(before).data ?? {}
        expect(sameValue(scanFrontmatter(after).data, { ...old, [key]: v })).toBe(true)
        const names = ['a', 'b', 'c']
        for (const [i, lines] of pairs.entries()) if (names[i] !== key) expect(after).toContain(eol(lines))
        expect(crlf ? /(?<!\r)\n/.test(after) : after.includes('\r\n')).toBe(false)
        expect(setProperties(after, { [key]: v })).toBe(after)
      },
    ),
    { numRuns: 600 },
  )
})

test('a list that grows and shrinks keeps the lines of the items that stay', () => {
  const items = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 5 })
  fc.assert(
    fc.property(items, items, fc.constantFrom('block', 'flow'), (from, to, style) => {
      const lines =
        from.length === 0
          ? 'k: []\n'
          : style === 'flow'
            ? `k: [${from.join(', ')}]\n`
            : `k:\n${from.map((x) => ` -  ${x} # ${x}\n`).join('')}`
      const after = setProperties(note(`${lines}z: 1\n`), { k: to })
      expect(scanFrontmatter(after).data).toEqual({ k: to, z: 1 })
    }),
    { numRuns: 1000 },
  )
})

test('adding a property and removing it gives the first bytes back', () => {
  fc.assert(
    fc.property(block, value.map(plainZero), (pairs, v) => {
      const before = note(pairs.join(''))
      expect(removeProperty(setProperties(before, { new: v }), 'new')).toBe(before)
    }),
    { numRuns: 1000 },
  )
})
