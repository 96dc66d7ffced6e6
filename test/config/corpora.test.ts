import { describe, expect, test } from 'bun:test'
import { failure, load, type Sources, VAULT, YAML } from './load.ts'

const HELP = 'https://github.com/obsidianmd/obsidian-help/archive/HEAD.zip'
const zip = (name: string, url: string) => ({
  name,
  place: { kind: 'zip', url },
  folders: [],
  prebuilt: null,
})
const folder = (name: string, path: string) => ({
  name,
  place: { kind: 'folder', path },
  folders: [],
  prebuilt: null,
})
const file = (text: string): Sources => ({ env: VAULT, files: { [YAML]: text } })
const variable = (value: string): Sources => ({ env: { ...VAULT, OBSIDIAN_DOCS: value } })

describe('documentation corpora', () => {
  const cases: { says: string; given: Sources; right: unknown }[] = [
    { says: 'none', given: { env: VAULT }, right: [] },
    { says: 'a preset', given: variable('obsidian-help'), right: [zip('obsidian-help', HELP)] },
    {
      says: 'several with commas between',
      given: variable('obsidian-help, mine=~/m'),
      right: [zip('obsidian-help', HELP), folder('mine', '/home/ada/m')],
    },
    {
      says: 'a repeated flag',
      given: { argv: ['--docs', 'a=/a', '--docs', 'b=./b'], env: VAULT },
      right: [folder('a', '/a'), folder('b', '/work/b')],
    },
    {
      says: 'an address',
      given: variable('a=https://x.org/a.zip?b=c'),
      right: [zip('a', 'https://x.org/a.zip?b=c')],
    },
    {
      says: 'http on this machine',
      given: variable('a=http://127.0.0.1:1/a'),
      right: [zip('a', 'http://127.0.0.1:1/a')],
    },
    {
      says: 'a list in the file',
      given: file('docs:\n  corpora: [obsidian-help]'),
      right: [zip('obsidian-help', HELP)],
    },
    {
      says: 'a mapping in the file, relative to it',
      given: file(
        'docs:\n  corpora:\n    obsidian-help: {folders: "en, Sandbox/"}\n    mine: m\n    other:\n      path: ~/o\n      folders: [a, b/c]\n      prebuilt_url: o.knap',
      ),
      right: [
        { ...zip('obsidian-help', HELP), folders: ['en', 'Sandbox'] },
        folder('mine', '/home/ada/.config/knap/m'),
        {
          ...folder('other', '/home/ada/o'),
          folders: ['a', 'b/c'],
          prebuilt: '/home/ada/.config/knap/o.knap',
        },
      ],
    },
    {
      says: 'a preset that is switched on',
      given: file('docs:\n  corpora:\n    obsidian-help:'),
      right: [zip('obsidian-help', HELP)],
    },
  ]
  test.each(cases)('$says', ({ given, right }) => {
    expect(load(given).config.docs.corpora as unknown).toEqual(right)
  })

  const faults: { given: Sources; says: RegExp }[] = [
    {
      given: variable('obsidian-halp'),
      says: /^OBSIDIAN_DOCS: "obsidian-halp" is no preset.*Did you mean "obsidian-help"\?$/,
    },
    { given: variable('a=/a,A=/b'), says: /two corpora are called "A"/ },
    { given: variable('../a=/a'), says: /no name for a corpus/ },
    { given: variable('a=http://x.org/a.zip'), says: /it takes an https address/ },
    { given: variable('a=ftp://x.org/a.zip'), says: /it takes an https address/ },
    {
      given: file('docs:\n  corpora:\n    a: {path: /a, url: "https://x"}'),
      says: /path and url are both given/,
    },
    {
      given: file('docs:\n  corpora:\n    a: {pth: /a}'),
      says: /a\.pth is no setting\. Did you mean "path"\?$/,
    },
    { given: file('docs:\n  corpora: 7'), says: /7 is not right/ },
    {
      given: file('docs:\n  corpus: a'),
      says: /docs\.corpus in .* is no setting\. Did you mean "docs\.corpora"/,
    },
    {
      given: { env: { ...VAULT, OBSIDIAN_DOCS_PREBUILT_URL: 'http://x.org/p' } },
      says: /it takes an https address/,
    },
  ]
  test.each(faults)('refused: $says', ({ given, says }) => {
    expect(failure(given)).toMatch(says)
  })

  test('with the tools for them alone no vault is needed', () => {
    const env = { OBSIDIAN_DOCS: 'obsidian-help' }
    expect(load({ env: { ...env, OBSIDIAN_TOOLS: 'docs' } }).config.vaults).toEqual([])
    expect(load({ env: { ...env, OBSIDIAN_TOOLS: 'docs_search, docs_status' } }).config.vaults).toEqual([])
    expect(failure({ env })).toMatch(/no vault is named/)
    expect(failure({ env: { ...env, OBSIDIAN_TOOLS: 'docs,+note_read' } })).toMatch(/no vault is named/)
    expect(failure({ env: { OBSIDIAN_TOOLS: 'docs' } })).toMatch(/no vault is named/)
  })

  test('knap config shows where each comes from', () => {
    const row = load(variable('mine=/m')).inForce.find(({ key }) => key === 'docs.corpora')
    expect(row).toMatchObject({ value: [{ name: 'mine' }], origin: { name: 'OBSIDIAN_DOCS' } })
  })
})
