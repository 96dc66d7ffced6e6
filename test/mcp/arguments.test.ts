import { describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { VaultError } from '../../src/errors.ts'
import { readArguments } from '../../src/mcp/arguments.ts'
import { inputSchemaOf } from '../../src/mcp/schema.ts'
import { TOOLS } from '../../src/mcp/tools.ts'

const schema = inputSchemaOf(
  z.strictObject({
    path: z.string(),
    limit: z.int().min(1).max(100).default(10),
    fuzzy: z.boolean().default(false),
    alpha: z.number().min(0).max(1).optional(),
    format: z.enum(['list', 'tree']).default('list'),
    fields: z.array(z.enum(['title', 'body'])).optional(),
    paths: z.array(z.string()).min(1).max(3).optional(),
    range: z.object({ start_byte: z.int().min(0) }).optional(),
    count: z.union([z.int().min(1), z.literal('all')]).optional(),
    value: z.unknown().optional(),
    properties: z.record(z.string(), z.unknown()).optional(),
  }),
)
const base = { path: 'a', limit: 10, fuzzy: false, format: 'list' }

describe('readArguments reads as meant', () => {
  const cases: { given: object; right: object; warnings?: number }[] = [
    { given: { path: 'a' }, right: base },
    { given: { path: 'a', limit: '7' }, right: { ...base, limit: 7 } },
    { given: { path: 'a', limit: 500 }, right: { ...base, limit: 100 }, warnings: 1 },
    { given: { path: 'a', fuzzy: 'TRUE' }, right: { ...base, fuzzy: true } },
    { given: { path: 'a', fuzzy: 0 }, right: base },
    { given: { path: 'a', format: 'Tree' }, right: { ...base, format: 'tree' } },
    { given: { path: 'a', format: null, limit: null, fields: null }, right: base },
    { given: { path: 'a', value: null }, right: { ...base, value: null } },
    { given: { path: 'a', fields: 'Title' }, right: { ...base, fields: ['title'] } },
    { given: { path: 'a', fields: '["title","body"]' }, right: { ...base, fields: ['title', 'body'] } },
    { given: { path: 'a', paths: '[draft] x.md' }, right: { ...base, paths: ['[draft] x.md'] } },
    { given: { path: 12 }, right: { ...base, path: '12' } },
    { given: { path: 'a', alpha: '0.5' }, right: { ...base, alpha: 0.5 } },
    { given: { path: 'a', count: '2' }, right: { ...base, count: 2 } },
    { given: { path: 'a', count: 'ALL' }, right: { ...base, count: 'all' } },
    { given: { path: 'a', range: { start_byte: '4' } }, right: { ...base, range: { start_byte: 4 } } },
    { given: { path: 'a', range: '{"start_byte":4}' }, right: { ...base, range: { start_byte: 4 } } },
    { given: { path: 'a', value: { ['__proto__']: 1 } }, right: { ...base, value: { ['__proto__']: 1 } } },
  ]
  for (const { given, right, warnings = 0 } of cases) {
    test(JSON.stringify(given), () => {
      const read = readArguments(schema, given)
      expect(read.args).toEqual(right as never)
      expect(read.warnings).toHaveLength(warnings)
    })
  }
})

describe('readArguments refuses as bad_argument and says what to do', () => {
  const cases: { given: unknown; says: RegExp }[] = [
    { given: {}, says: /"path" is missing/ },
    { given: undefined, says: /"path" is missing/ },
    { given: { path: 'a', limt: 3 }, says: /limit/ },
    { given: { path: 'a', limit: 0 }, says: /minimum of 1/ },
    { given: { path: 'a', limit: 'many' }, says: /whole number/ },
    { given: { path: 'a', limit: 1.5 }, says: /whole number/ },
    { given: { path: 'a', fuzzy: 'maybe' }, says: /true or false/ },
    { given: { path: 'a', format: 'xml' }, says: /list, tree/ },
    { given: { path: 'a', fields: ['colour'] }, says: /title, body/ },
    { given: { path: 'a', paths: [] }, says: /at least 1/ },
    { given: { path: 'a', paths: ['1', '2', '3', '4'] }, says: /at most 3/ },
    { given: { path: { a: 1 } }, says: /text/ },
    { given: { path: null }, says: /"path" is missing/ },
    { given: { path: 'a', constructor: 1 }, says: /constructor/ },
    { given: [1], says: /an object/ },
    { given: { path: 'a', range: '{oops' }, says: /range takes an object/ },
    { given: { path: 'a', range: '4' }, says: /range takes an object/ },
    { given: { path: 'a', properties: '{"tags":["a"]}' }, says: /properties takes an object/ },
    { given: { path: 'a', properties: ['a'] }, says: /properties takes an object/ },
  ]
  for (const { given, says } of cases) {
    test(JSON.stringify(given) ?? 'nothing', () => {
      try {
        readArguments(schema, given)
        expect.unreachable()
      } catch (error) {
        const { code, message, hint } = error as VaultError
        expect(error).toBeInstanceOf(VaultError)
        expect(code).toBe('bad_argument')
        expect(`${message} ${hint}`).toMatch(says)
        expect(hint).not.toBe('')
      }
    })
  }

  test('of a closed set that is missing, the words', () => {
    const { input } = TOOLS.find(({ name }) => name === 'index')!
    expect(() => readArguments(inputSchemaOf(input), {})).toThrow(
      expect.objectContaining({ hint: 'Give "action": one of status, sync, rebuild.' }),
    )
  })
})
