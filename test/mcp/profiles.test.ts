import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { VaultError } from '../../src/errors.ts'
import { parseProfile, SHIPPED_PROFILES } from '../../src/mcp/profile_files.ts'
import {
  accessIn,
  type FilteredTool,
  narrow,
  parseToolFilter,
  readOnlyFilter,
  type ToolFilter,
} from '../../src/mcp/profiles.ts'
import type { Access } from '../../src/mcp/registry.ts'

const READERS =
  'vault_list vault_info note_read note_read_many note_inspect search_text search_regex search_metadata search_semantic wikilinks search_hybrid note_find docs_search docs_status'
const WRITERS =
  'note_create note_write note_insert note_patch note_delete note_move note_replace open_in_obsidian docs_reindex'
const MIXED = 'frontmatter periodic tags tasks history index attachments'

const TOOLS: FilteredTool[] = [
  ...words(READERS).map((name) => ({ name, access: 'read' as const })),
  ...words(WRITERS).map((name) => ({ name, access: 'write' as const })),
  ...words(MIXED).map((name) => ({ name, access: { reads: ['list'] } })),
]
const NAMES = TOOLS.map((tool) => tool.name)
const CLASSIC =
  'frontmatter note_create note_delete note_insert note_inspect note_move note_patch note_read note_read_many note_write open_in_obsidian periodic search_metadata search_regex search_semantic search_text vault_info vault_list wikilinks'
const MINIMAL = 'note_create note_read note_write search_text vault_info vault_list'

function words(text: string): string[] {
  return text.split(' ')
}

function parsed(text: string): ToolFilter {
  return parseToolFilter(text, { tools: TOOLS, profiles: SHIPPED_PROFILES })
}

function open(filter: ToolFilter, access: Access = 'open'): string[] {
  return NAMES.filter((name) => accessIn(filter, name) === access).sort()
}

describe('a filter opens exactly', () => {
  const cases: { text: string; right: string[]; partly?: string[] }[] = [
    { text: '', right: NAMES },
    { text: ' , ', right: NAMES },
    { text: 'full', right: NAMES },
    { text: 'FULL', right: NAMES },
    { text: ' Classic ', right: words(CLASSIC) },
    { text: 'minimal', right: words(MINIMAL) },
    { text: 'docs', right: words('docs_reindex docs_search docs_status') },
    {
      text: 'core',
      right: [
        ...words(CLASSIC).filter((name) => !/semantic|wikilinks|periodic|open_in/.test(name)),
        'search_hybrid',
        'note_find',
        'history',
      ],
    },
    { text: 'read', right: words(READERS), partly: words(MIXED) },
    { text: 'note_read, vault_list', right: ['note_read', 'vault_list'] },
    { text: 'Note_Read_Many,', right: ['note_read_many'] },
    { text: 'note_read,frontmatter', right: ['frontmatter', 'note_read'] },
    {
      text: '!wikilinks, !NOTE_MOVE',
      right: NAMES.filter((name) => name !== 'wikilinks' && name !== 'note_move'),
    },
    {
      text: 'read,+frontmatter,-search_regex, - tags',
      right: [...words(READERS).filter((name) => name !== 'search_regex'), 'frontmatter'],
      partly: words(MIXED).filter((name) => name !== 'frontmatter' && name !== 'tags'),
    },
    { text: 'minimal,+wikilinks,-wikilinks', right: words(MINIMAL) },
  ]
  test.each(cases)('"$text"', ({ text, right, partly = [] }) => {
    expect(open(parsed(text))).toEqual([...right].sort())
    expect(open(parsed(text), 'read')).toEqual([...partly].sort())
  })
})

describe('refused', () => {
  const cases: { text: string; says: RegExp; hint?: RegExp }[] = [
    { text: 'nonexistent', says: /"nonexistent" is neither a profile nor a tool/, hint: /full.*note_read/ },
    { text: 'note_read,note_raed', says: /"note_raed"/, hint: /"note_read"/ },
    { text: '!note_delte', says: /"note_delte"/, hint: /"note_delete"/ },
    { text: 'raed', says: /"raed"/, hint: /"read"/ },
    { text: 'read,!note_inspect', says: /"!note_inspect" beside "read" mixes/ },
    { text: 'note_read,!note_inspect', says: /mixes/ },
    { text: '!note_inspect,+note_read', says: /mixes/ },
    { text: 'note_read,+note_find', says: /mixes/ },
    { text: 'raed,+note_find', says: /"raed" is neither/, hint: /"read"/ },
    { text: '+note_read', says: /none stands before it/, hint: /full,\+note_read/ },
    { text: 'read,note_create', says: /without \+ or -/, hint: /read,\+note_create/ },
    { text: 'read,core', says: /"core" stands beside the profile "read"/ },
    { text: 'note_read,core', says: /The profile "core" stands in a list/, hint: /core,\+/ },
    { text: 'read,+nope', says: /"nope"/ },
    { text: 'read,+', says: /"" is neither/ },
    { text: '!', says: /"" is neither/ },
    { text: '!full', says: /"full" is a profile, no tool/, hint: /!note_delete/ },
    { text: '__proto__', says: /__proto__/ },
  ]
  test.each(cases)('"$text"', ({ text, says, hint = /./ }) => {
    let error: unknown
    try {
      parsed(text)
    } catch (thrown) {
      error = thrown
    }
    expect(error).toBeInstanceOf(VaultError)
    const { code, message, hint: next } = error as VaultError
    expect([code, says.test(message) || message, hint.test(next) || next]).toEqual([
      'bad_argument',
      true,
      true,
    ])
  })
})

describe('read-only', () => {
  test('closes what writes, keeps the reading actions, and the index whole', () => {
    const filter = narrow(parsed('full'), readOnlyFilter(TOOLS))
    expect(open(filter)).toEqual([...words(READERS), 'index', 'docs_reindex'].sort())
    expect(open(filter, 'read')).toEqual(
      words(MIXED)
        .filter((name) => name !== 'index')
        .sort(),
    )
  })

  test('opens nothing that a profile closes', () => {
    expect(open(narrow(parsed('minimal'), readOnlyFilter(TOOLS)))).toEqual(
      words('note_read search_text vault_info vault_list'),
    )
    expect(accessIn(narrow(parsed('read'), readOnlyFilter(TOOLS)), 'index')).toBe('read')
  })
})

describe('narrowing', () => {
  const tool = fc.constantFrom(...NAMES)
  const list = fc.array(tool, { minLength: 1, maxLength: 6 })
  const text = fc.oneof(
    fc.constantFrom('', ...SHIPPED_PROFILES.keys()),
    list.map((names) => names.join(',')),
    list.map((names) => names.map((name) => `!${name}`).join(',')),
    fc
      .tuple(fc.constantFrom(...SHIPPED_PROFILES.keys()), fc.array(fc.tuple(fc.constantFrom('+', '-'), tool)))
      .map(([profile, changes]) => [profile, ...changes.map(([sign, name]) => sign + name)].join(',')),
  )
  const rank = (filter: ToolFilter, name: string) =>
    ['closed', 'read', 'open'].indexOf(accessIn(filter, name))

  test('never opens what either side closes, whatever is combined', () => {
    fc.assert(
      fc.property(text, text, fc.boolean(), (server, header, readOnly) => {
        const own = readOnly ? narrow(parsed(server), readOnlyFilter(TOOLS)) : parsed(server)
        const both = narrow(own, parsed(header))
        for (const name of NAMES) {
          expect(rank(both, name)).toBe(Math.min(rank(own, name), rank(parsed(header), name)))
        }
      }),
    )
  })

  test('twice the same is once, and the order does not matter', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const both = narrow(parsed(a), parsed(b))
        expect(new Map(narrow(both, parsed(b)))).toEqual(new Map(both))
        expect(open(narrow(parsed(b), parsed(a)))).toEqual(open(both))
      }),
    )
  })
})

describe('profile files', () => {
  test('the shipped ones name each tool once', () => {
    for (const profile of SHIPPED_PROFILES.values()) {
      const all = [...profile.tools, ...profile.readingActionsOf]
      expect([profile.name, new Set(all).size]).toEqual([profile.name, all.length])
      expect(all.filter((name) => !NAMES.includes(name))).toEqual([])
      expect(profile.description).not.toBe('')
    }
    expect([...SHIPPED_PROFILES.keys()]).toEqual(['full', 'core', 'read', 'minimal', 'docs', 'classic'])
    expect([...(SHIPPED_PROFILES.get('full')?.tools ?? [])].sort()).toEqual([...NAMES].sort())
  })

  const broken: { text: string; says: RegExp }[] = [
    { text: 'tools: note_read', says: /no list of names/ },
    { text: 'tools: [1]', says: /no list of names/ },
    { text: 'tols: [note_read]', says: /"tols"/ },
    { text: '[note_read]', says: /no mapping/ },
    { text: '', says: /no mapping/ },
    { text: 'description: x', says: /opens no tool/ },
    { text: 'tools: [', says: /cannot be used/ },
  ]
  test.each(broken)('refused: $text', ({ text, says }) => {
    expect(() => parseProfile('mine', text)).toThrow(says)
  })
})
