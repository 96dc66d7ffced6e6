import { describe, expect, test } from 'bun:test'
import { failure, HOME, load, placeholder, type Sources, VAULT, YAML } from './load.ts'

describe('the vault', () => {
  const cases: { says: string; given: Sources; right: unknown }[] = [
    {
      says: 'the argument',
      given: { argv: ['/a/Notes'] },
      right: [{ name: 'Notes', kind: 'local', path: '/a/Notes' }],
    },
    {
      says: 'the argument before the variable',
      given: { argv: ['/a'], env: VAULT },
      right: [{ name: 'a', kind: 'local', path: '/a' }],
    },
    {
      says: 'the variable',
      given: { env: VAULT },
      right: [{ name: 'notes', kind: 'local', path: '/notes' }],
    },
    {
      says: 'double quotes around',
      given: { env: { OBSIDIAN_VAULT_PATH: '"/n o"' } },
      right: [{ name: 'n o', kind: 'local', path: '/n o' }],
    },
    {
      says: 'blanks and quotes around',
      given: { env: { OBSIDIAN_VAULT_PATH: " '/n' " } },
      right: [{ name: 'n', kind: 'local', path: '/n' }],
    },
    {
      says: 'a trailing slash',
      given: { argv: ['/a/b//'] },
      right: [{ name: 'b', kind: 'local', path: '/a/b' }],
    },
    { says: '~', given: { argv: ['~/N'] }, right: [{ name: 'N', kind: 'local', path: '/home/ada/N' }] },
    { says: '~ alone', given: { argv: ['~'] }, right: [{ name: 'ada', kind: 'local', path: HOME }] },
    {
      says: 'a relative path',
      given: { argv: ['./b'] },
      right: [{ name: 'b', kind: 'local', path: '/work/b' }],
    },
    {
      says: 'an argument with = is one path',
      given: { argv: ['a=b'] },
      right: [{ name: 'a=b', kind: 'local', path: '/work/a=b' }],
    },
    {
      says: 'a name',
      given: { argv: ['--vault', 'mine=/a/b'] },
      right: [{ name: 'mine', kind: 'local', path: '/a/b' }],
    },
    {
      says: 'a path with = behind --vault',
      given: { argv: ['--vault', '/a/x=b'] },
      right: [{ name: 'x=b', kind: 'local', path: '/a/x=b' }],
    },
    {
      says: 'several',
      given: { argv: ['--vault', 'work=/w', '--vault=home=~/h'], env: VAULT },
      right: [
        { name: 'work', kind: 'local', path: '/w' },
        { name: 'home', kind: 'local', path: '/home/ada/h' },
      ],
    },
    {
      says: 'the file, relative to itself',
      given: { files: { [YAML]: 'vault: ../N\n' } },
      right: [{ name: 'N', kind: 'local', path: '/home/ada/.config/N' }],
    },
    {
      says: 'several in the file',
      given: { files: { [YAML]: 'vaults:\n  a: /x\n  b: sftp://box/srv/y\n' } },
      right: [
        { name: 'a', kind: 'local', path: '/x' },
        { name: 'b', kind: 'sftp', uri: 'sftp://box/srv/y' },
      ],
    },
    {
      says: 'a remote one',
      given: { argv: ['sftp://me@box:22/srv/my%20notes/'] },
      right: [{ name: 'my notes', kind: 'sftp', uri: 'sftp://me@box:22/srv/my%20notes' }],
    },
    {
      says: 'an empty argument leaves the variable',
      given: { argv: [''], env: VAULT },
      right: [{ name: 'notes', kind: 'local', path: '/notes' }],
    },
    {
      says: 'a Windows path',
      given: { argv: ['C:\\Users\\ada\\My Notes\\'], platform: 'win32' },
      right: [{ name: 'My Notes', kind: 'local', path: 'C:\\Users\\ada\\My Notes' }],
    },
  ]
  test.each(cases)('$says', ({ given, right }) => {
    expect(load(given).config.vaults as unknown).toEqual(right)
  })

  const wrong: { given: Sources; says: RegExp }[] = [
    { given: {}, says: /no vault is named.*OBSIDIAN_VAULT_PATH/ },
    { given: { env: { OBSIDIAN_VAULT_PATH: '' } }, says: /no vault is named/ },
    { given: { env: { OBSIDIAN_VAULT_PATH: placeholder('VAULT') } }, says: /no vault is named/ },
    { given: { argv: ['/a', '/b'] }, says: /"\/b" is one word too many/ },
    { given: { argv: ['serch', 'oven', '/a'] }, says: /no command "serch"\. Did you mean "search"\?/ },
    { given: { argv: ['/a', '--vault', 'x=/b'] }, says: /both name a vault/ },
    { given: { argv: ['--vault', '/a', '--vault', 'x=/b'] }, says: /--vault: "\/a" has no name/ },
    { given: { argv: ['--vault', 'x=/a', '--vault', 'X=/b'] }, says: /two vaults are called "X"/ },
    { given: { argv: ['--vault', 'x=/a', '--vault', 'y=/a/'] }, says: /given twice/ },
    { given: { argv: ['http://box/notes'] }, says: /the vault argument: .*sftp:/ },
    {
      given: { argv: ['sftp://me:hunter2@box/notes'] },
      says: /^the vault argument: "sftp:\/\/me:\*\*\*@box\/notes" holds a password/,
    },
    { given: { files: { [YAML]: 'vault: 7\n' } }, says: /vault in .*knap.yaml: 7 is not right/ },
    { given: { files: { [YAML]: 'vault: /a\nvaults: {b: /b}\n' } }, says: /twice/ },
  ]
  test.each(wrong)('refused: $says', ({ given, says }) => {
    expect(failure(given)).toMatch(says)
  })
})
