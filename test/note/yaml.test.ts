import { expect, test } from 'bun:test'
import { readYaml } from '../../src/note/yaml.ts'

const values = [
  { yaml: 'd: 2026-03-16', data: { d: '2026-03-16' } },
  { yaml: 'd: 2026-05-13T20:00:00-04:00', data: { d: '2026-05-13T20:00:00-04:00' } },
  { yaml: 'd: !!timestamp 2026-05-13', data: { d: '2026-05-13' } },
  { yaml: 't: 12:30', data: { t: '12:30' } },
  { yaml: 'on: yes', data: { on: 'yes' } },
  { yaml: 'ver: 1.10', data: { ver: 1.1 } },
  { yaml: 'n: 0x1F', data: { n: 31 } },
  { yaml: 'id: 20240101123456789', data: { id: '20240101123456789' } },
  { yaml: 'x: [.inf, -.Inf, .nan]', data: { x: ['.inf', '-.Inf', '.nan'] } },
  { yaml: 'a: ~\nb:\nc: ""', data: { a: null, b: null, c: '' } },
  {
    yaml: '1: a\ntrue: b\nnull: c\n2026-01-01: d',
    data: { '1': 'a', true: 'b', null: 'c', '2026-01-01': 'd' },
  },
  { yaml: 'up: "[[Home]]"', data: { up: '[[Home]]' } },
  { yaml: 'up: [[Yes,no]]', data: { up: [['Yes', 'no']] } },
  { yaml: 'base: &b {x: 1}\ncopy: *b', data: { base: { x: 1 }, copy: { x: 1 } } },
  { yaml: '<<: 1', data: { '<<': 1 } },
  { yaml: 'x: !custom v', data: { x: 'v' } },
  { yaml: 'a:\r\n  - x\r\n  - y\r\n', data: { a: ['x', 'y'] } },
]
test.each(values)('$yaml', ({ yaml, data }) => {
  expect(readYaml(yaml)).toMatchObject({ kind: 'mapping', data, problems: [] })
})

test('a template placeholder is its text, and a problem', () => {
  expect(readYaml('a: 1\nd: {{date}}')).toMatchObject({
    kind: 'mapping',
    data: { a: 1, d: '{{date}}' },
    problems: [
      { code: 'template_placeholder', message: '{{date}} is read as text, not as a value', line: 2 },
    ],
  })
})

test('keys of the prototype are plain keys', () => {
  const { data } = readYaml('__proto__: 1\nconstructor: 2')
  expect(Object.entries(data ?? {})).toEqual([
    ['__proto__', 1],
    ['constructor', 2],
  ])
})

const refused = [
  { name: 'equal keys', yaml: 'a: 1\n"a": 2' },
  { name: 'equal keys further in', yaml: 'x:\n  - {b: 1, b: 2}' },
  { name: 'an alias within its anchor', yaml: 'a: &a [*a]' },
  { name: 'an unknown alias', yaml: 'a: *nope' },
  { name: 'a second document', yaml: 'a: 1\n--- b\n' },
  {
    name: 'a bomb',
    yaml: 'a: &a [1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]',
  },
  { name: 'a hundred brackets', yaml: `a: ${'['.repeat(100)}${']'.repeat(100)}` },
  { name: 'a hundred thousand brackets', yaml: `a: ${'['.repeat(100_000)}` },
  { name: 'lists in lists', yaml: `a:\n ${'- '.repeat(100_000)}` },
  { name: 'aliases without end', yaml: `a: &a 1\nb: [${'*a,'.repeat(50_000)}]` },
]
test.each(refused)('$name are refused in bounded time', ({ yaml }) => {
  expect(readYaml(yaml)).toMatchObject({ kind: 'broken', data: null, problems: [{ code: 'yaml_error' }] })
})

test('twenty thousand keys are read in one pass', () => {
  const yaml = Array.from({ length: 20_000 }, (_, i) => `k${i}: ${i}`).join('\n')
  const reading = readYaml(yaml)
  expect([reading.kind, Object.keys(reading.data ?? {}).length]).toEqual(['mapping', 20_000])
})
