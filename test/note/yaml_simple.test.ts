import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { readAnyYaml } from '../../src/note/yaml.ts'
import { readSimpleYaml } from '../../src/note/yaml_simple.ts'

const simple = [
  { yaml: 'a: b\nc:\n  - d e\n  - 5\n', data: { a: 'b', c: ['d e', 5] } },
  { yaml: 'tags: [a, b/c, 7]\r\ndate: 2026-01-02\r\n', data: { tags: ['a', 'b/c', 7], date: '2026-01-02' } },
  { yaml: '# c\n\nup: "[[Home]]"\nx:\ny: []\nz: true', data: { up: '[[Home]]', x: null, y: [], z: true } },
  { yaml: "a:\n- x\n- 'it, is'\n", data: { a: ['x', 'it, is'] } },
]
test.each(simple)('$yaml is read without the library', ({ yaml, data }) => {
  expect(readSimpleYaml(yaml)?.data).toEqual(data)
  const whole = readAnyYaml(yaml)
  expect(whole.data).toEqual(data)
  expect(readSimpleYaml(yaml)?.texts).toEqual(whole.texts)
})

test.each([
  'a: b: c',
  'a: b #c',
  'a: |\n  x',
  'a: 1\na: 2',
  'a: x\n  y',
  'a: "\\n"',
  'a: {b: c}',
  'a: -',
  'a: 0x1f',
  'a: 1e3',
])('%s is left to the library', (yaml) => {
  expect(readSimpleYaml(yaml)).toBeNull()
})

test('what it reads is what the library reads', () => {
  const word = fc.constantFrom(
    'a',
    'B c',
    'x: y',
    'x:',
    ':x',
    '# c',
    'a #b',
    'a#b',
    '-',
    '- x',
    '-x',
    '?',
    '? x',
    '[',
    '[a, b]',
    '[a,b ]',
    '[ ]',
    '[a,]',
    '[a: b]',
    '["a", \'b\']',
    '["a,b"]',
    '[[A]]',
    '"[[A]]"',
    '"a" b',
    "'it''s'",
    "it's",
    '"',
    "''",
    '{}',
    '{{d}}',
    '*a',
    '&a b',
    '!x',
    '|',
    '>',
    '@a',
    '`',
    '%x',
    '12:30',
    '2026-01-02',
    '2026-01-02T10:00:00Z',
    '0123',
    '0x1f',
    '0o7',
    '1.10',
    '1.',
    '.5',
    '1e3',
    '-1',
    '+1',
    '1_000',
    '12 apples',
    '12345678901234567890',
    'null',
    '~',
    'Null',
    'true',
    'TRUE',
    'yes',
    'no',
    'nan',
    '.nan',
    '.inf',
    'é',
    '日本',
    '🐘',
    '(x)',
    'a,b',
    'a]b',
    '1a',
    '1-2',
    '1 e',
    '1: 2',
    '...',
    '---',
    'https://a.b/c',
    'a:b',
    '10:20:30',
    '1/2/3',
    '2026-W05',
    '\ta',
    'a\t',
    '\\x',
    '=',
    '<<',
    '$x',
    '50%',
    '1.2.3',
    'e5',
    '1 0x',
    'TODO',
  )
  const line = fc.oneof(
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.constantFrom('a', 'b', 'c d', 'e-f', 'g_1', 'true', '1', '<<', 'ü', 'a '), word)
        .map(([k, v]) => `${k}: ${v}`),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom('k:', 'l: ', 'm:  x  ', 'n:x', '', ' ', '#c', ' #c', 'o :', 'p:\t'),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom('', '  ', '    '), fc.constantFrom('- ', '-  ', '-'), word)
        .map((p) => p.join('')),
    },
    { weight: 1, arbitrary: word },
  )
  const text = fc
    .tuple(fc.array(line, { maxLength: 6 }), fc.constantFrom('\n', '\r\n'))
    .map(([l, eol]) => l.join(eol) + eol)
  let read = 0
  fc.assert(
    fc.property(text, (yaml) => {
      const found = readSimpleYaml(yaml)
      if (found === null) return
      read++
      const right = readAnyYaml(yaml)
      expect({ data: found.data, texts: found.texts }).toEqual({
        data: right.data ?? {},
        texts: [...right.texts],
      })
      expect(right.problems).toEqual([])
      expect(right.kind).toBe(Object.keys(found.data).length === 0 ? 'empty' : 'mapping')
    }),
    { numRuns: 4000 },
  )
  expect(read).toBeGreaterThan(500)
})
