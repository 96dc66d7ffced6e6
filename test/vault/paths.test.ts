import { describe, expect, test } from 'bun:test'
import { VaultError } from '../../src/errors.ts'
import { Catalogue } from '../../src/vault/catalogue.ts'
import { findExact, findExisting, newPath, readPathArgument } from '../../src/vault/paths.ts'

const NFD = 'Cafe\u0301.md'
function lookup() {
  const catalogue = new Catalogue()
  for (const path of [
    'Sub/Note.md',
    'v1.2.md',
    NFD,
    '1. Project/a.md',
    'README.md',
    'Schemas/x.md',
    'board.canvas',
    'twice.md.md',
    'plan.txt.md',
  ]) {
    catalogue.putFile({ path, kind: 'file', size: 1, mtimeMs: 1, ctimeMs: 1 })
  }
  return catalogue
}
const codeOf = (f: () => unknown) => {
  try {
    f()
    return 'no error'
  } catch (error) {
    return error instanceof VaultError ? error.code : String(error)
  }
}

describe('readPathArgument', () => {
  const good = [
    { given: './Sub/Note.md', right: 'Sub/Note.md' },
    { given: 'other/../Sub//Note.md', right: 'Sub/Note.md' },
    { given: '/Sub/Note.md', right: 'Sub/Note.md' },
    { given: '/README', right: 'README' },
    { given: '/home/me/vault/Sub/Note.md', right: 'Sub/Note.md' },
    { given: 'Sub/', right: 'Sub' },
    { given: '', right: '' },
    { given: '/', right: '' },
    { given: '/home/me/vault', right: '' },
    { given: '/home/me/link/Sub/Note.md', right: 'Sub/Note.md' },
    { given: '50% done.md', right: '50% done.md' },
  ]
  test.each(good)('$given is $right', ({ given, right }) => {
    expect(readPathArgument(given, lookup(), ['/home/me/vault', '/home/me/link']).path).toBe(right)
  })
  test('a name behind a slash is absolute for what is there, and in the root for what is new', () => {
    expect(codeOf(() => readPathArgument('/new.md', lookup(), []))).toBe('bad_path')
    expect(readPathArgument('/new.md', lookup(), [], { fresh: true }).path).toBe('new.md')
    expect(codeOf(() => readPathArgument('/tmp/new.md', lookup(), [], { fresh: true }))).toBe('bad_path')
  })
  const refused = [
    { given: '../x.md', code: 'outside_vault' },
    { given: 'Sub/../../x.md', code: 'outside_vault' },
    { given: '%2e%2e/x.md', code: 'outside_vault' },
    { given: 'a%2f..%2f..%2fx', code: 'outside_vault' },
    { given: '/etc/passwd', code: 'bad_path' },
    { given: '/home/me/vault-evil/x.md', code: 'bad_path' },
    { given: 'C:\\Users\\me\\x.md', code: 'bad_path' },
    { given: 'C:/Users/me/x.md', code: 'bad_path' },
    { given: 'a\\b.md', code: 'bad_path' },
    { given: 'a\0.md', code: 'bad_path' },
  ]
  test.each(refused)('$given is refused as $code', ({ given, code }) => {
    expect(codeOf(() => readPathArgument(given, lookup(), ['/home/me/vault', '/home/me/link']))).toBe(code)
  })
  test('the hint for a backslash shows the slash form', () => {
    try {
      readPathArgument('Sub\\Note.md', lookup(), [])
    } catch (error) {
      expect((error as VaultError).hint).toContain('"Sub/Note.md"')
    }
  })
})

describe('findExisting and findExact', () => {
  const cases = [
    { given: 'Sub/Note', reads: 'Sub/Note.md', writes: 'Sub/Note.md' },
    { given: 'sub/note.md', reads: 'Sub/Note.md', writes: null },
    { given: 'v1.2', reads: 'v1.2.md', writes: 'v1.2.md' },
    { given: 'Caf\u00e9.md', reads: NFD, writes: NFD },
    { given: 'Caf\u00e9', reads: NFD, writes: NFD },
    { given: 'Sub', reads: 'Sub', writes: 'Sub' },
    { given: '1. Project', reads: '1. Project', writes: '1. Project' },
    { given: 'schemas', reads: 'Schemas', writes: null },
    { given: 'nothing', reads: null, writes: null },
    { given: 'twice.md', reads: null, writes: null },
    { given: 'twice.md.md', reads: 'twice.md.md', writes: 'twice.md.md' },
    { given: 'plan.txt', reads: null, writes: null },
  ]
  test.each(cases)('$given: reads $reads, writes $writes', ({ given, reads, writes }) => {
    expect([findExisting(given, lookup()), findExact(given, lookup())]).toEqual([reads, writes])
  })
})

describe('newPath', () => {
  const made = [
    { given: 'New/Deep/Note', right: 'New/Deep/Note.md' },
    { given: 'v2.0', right: 'v2.0.md' },
    { given: 'b.canvas', right: 'b.canvas' },
    { given: '🐘 日本.md', right: '🐘 日本.md' },
  ]
  test.each(made)('$given becomes $right', ({ given, right }) => {
    expect(newPath(given, lookup(), { note: true })).toEqual({ path: right, warnings: [] })
  })
  test('a name that links cannot carry is accepted with a warning', () => {
    expect(newPath('a#b.md', lookup(), { note: true }).warnings).toHaveLength(1)
    expect(newPath('[x]/b.md', lookup(), { note: true }).warnings).toHaveLength(1)
  })
  const refused = [
    'a: b?.md',
    'CON.md',
    'sub/nul',
    'note.md:stream',
    'dir./x.md',
    'x .md',
    'x.',
    'a*b',
    'a"b',
    'a<b',
    'a>b',
    'a|b',
    'a\u0007b',
    'a\u0085b',
    'ä'.repeat(130),
    'com1.txt',
    'trail /x.md',
  ].map((given) => ({ given, code: 'bad_path' }))
  const twins = ['sub/Other.md', 'readme.md', 'SCHEMAS/y.md', 'sub/note.md'].map((given) => ({
    given,
    code: 'already_exists',
  }))
  test.each([...refused, ...twins, { given: '', code: 'is_folder' }])(
    '$given is refused as $code',
    ({ given, code }) => {
      expect(codeOf(() => newPath(given, lookup(), { note: true }))).toBe(code)
    },
  )
  test('a change of case of the name itself is no twin', () => {
    expect(newPath('Readme.md', lookup(), { note: true, renaming: 'README.md' }).path).toBe('Readme.md')
  })
})
