import { expect, test } from 'bun:test'
import { printSettings } from '../../src/cli/settings.ts'

const printed = {
  inForce: [
    {
      key: 'vaults',
      value: [
        { name: 'a', path: '/a' },
        { name: 'b', uri: 'sftp://box/b' },
      ],
      origin: { name: '--vault' },
    },
    { key: 'http.token', value: '***', origin: { name: 'OBSIDIAN_HTTP_TOKEN' } },
    { key: 'exclude_paths', value: [], origin: { name: 'default' } },
    { key: 'embeddings.dim', value: null, origin: { name: 'default' } },
  ],
  files: ['/c/knap.yaml'],
  warnings: ['OBSIDIAN_TOOLS is empty.'],
  ignored: ['OBSIDIAN_TANTIVY'],
}

test('as a table: key, value, origin', () => {
  expect(printSettings(printed, { json: false })).toBe(
    [
      'vaults          a=/a, b=sftp://box/b  --vault',
      'http.token      ***                   OBSIDIAN_HTTP_TOKEN',
      'exclude_paths   -                     default',
      'embeddings.dim  -                     default',
      '',
      'Read: /c/knap.yaml',
      'OBSIDIAN_TANTIVY is set and does nothing here.',
      'Warning: OBSIDIAN_TOOLS is empty.',
      '',
    ].join('\n'),
  )
})

test('as JSON', () => {
  const read = JSON.parse(printSettings(printed, { json: true }))
  expect(read.settings['embeddings.dim']).toEqual({ value: null, origin: 'default' })
  expect([read.files, read.warnings, read.ignored_variables]).toEqual([
    printed.files,
    printed.warnings,
    printed.ignored,
  ])
})
