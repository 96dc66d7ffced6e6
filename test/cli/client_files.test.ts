import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'jsonc-parser'
import { type ClientFile, clientFiles, withServer } from '../../src/cli/client_files.ts'
import { setupCommand } from '../../src/cli/setup.ts'

const launch = { command: 'bun', args: ['main.ts', '/my notes'] }
const clients = clientFiles({ platform: 'linux', home: '/h', appData: undefined })
const named = (client: string) => clients.find((one) => one.client === client) as ClientFile

test.each([
  ['linux', 'claude-desktop', '/h/.config/Claude/claude_desktop_config.json'],
  ['darwin', 'claude-desktop', '/h/Library/Application Support/Claude/claude_desktop_config.json'],
  ['win32', 'vscode', 'C:\\A/Code/User/mcp.json'],
  ['linux', 'codex', '/h/.codex/config.toml'],
] as const)('on %s the file of %s is %s', (platform, client, file) => {
  const found = clientFiles({ platform, home: '/h', appData: 'C:\\A' }).find((one) => one.client === client)
  expect(found?.file).toBe(file)
})

const texts: { client: string; before: string; after: string }[] = [
  {
    client: 'cursor',
    before: '',
    after:
      '{\n  "mcpServers": {\n    "knap": {\n      "command": "bun",\n      "args": [\n        "main.ts",\n        "/my notes"\n      ]\n    }\n  }\n}\n',
  },
  {
    client: 'zed',
    before:
      '// mine\n{\n    "theme": "x", // dark\n    "context_servers": {\n        "b": { "command": "y" }\n    },\n}\n',
    after:
      '// mine\n{\n    "theme": "x", // dark\n    "context_servers": {\n        "b": {\n            "command": "y"\n        },\n        "knap": {\n            "source": "custom",\n            "command": "bun",\n            "args": [\n                "main.ts",\n                "/my notes"\n            ]\n        }\n    },\n}\n',
  },
  {
    client: 'codex',
    before: '# mine\nmodel = "x"\n\n[mcp_servers.b]\ncommand = "y"',
    after:
      '# mine\nmodel = "x"\n\n[mcp_servers.b]\ncommand = "y"\n\n[mcp_servers.knap]\ncommand = "bun"\nargs = ["main.ts", "/my notes"]\n',
  },
  {
    client: 'codex',
    before: '[mcp_servers.knap]\ncommand = "old"\nargs = []\n\n[tui]\nx = 1\n',
    after: '[mcp_servers.knap]\ncommand = "bun"\nargs = ["main.ts", "/my notes"]\n\n[tui]\nx = 1\n',
  },
]

test.each(texts)('$client: $before gets the server and keeps the rest', ({ client, before, after }) => {
  const written = withServer(before, named(client), 'knap', launch)
  expect(written).toBe(after)
  expect(withServer(written, named(client), 'knap', launch)).toBe(written)
})

test.each(['cursor', 'zed', 'codex'])('%s: what was put in is taken out again', (client) => {
  const before = client === 'codex' ? 'model = "x"\n' : '{\n  "a": 1\n}\n'
  const without = withServer(withServer(before, named(client), 'knap', launch), named(client), 'knap', null)
  expect(client === 'codex' ? without : parse(without)).toEqual(
    client === 'codex' ? before : { a: 1, [named(client).key]: {} },
  )
  expect(withServer(before, named(client), 'knap', null)).toBe(before)
})

test.each(['[1]', '{"a": }', 'text'])('%p is no settings file and stays as it is', (before) => {
  expect(() => withServer(before, named('cursor'), 'knap', launch)).toThrow('no JSON object')
})

test('the change is shown, written with a copy beside it, and only shown when that is asked for', () => {
  const folder = mkdtempSync(join(tmpdir(), 'knap-setup-'))
  const file = join(folder, 'mcp.json')
  writeFileSync(file, '{"other": true}\n', { mode: 0o600 })
  const request = {
    client: 'cursor',
    clients: [{ ...named('cursor'), file }],
    name: 'knap',
    launch,
    print: true,
    remove: false,
  }
  expect(setupCommand(request)).toContain('+')
  expect(readFileSync(file, 'utf8')).toBe('{"other": true}\n')
  expect(setupCommand({ ...request, print: false })).toContain('is set up')
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ other: true, mcpServers: { knap: launch } })
  expect([readFileSync(`${file}.before-knap`, 'utf8'), statSync(file).mode & 0o777]).toEqual([
    '{"other": true}\n',
    0o600,
  ])
  expect(setupCommand({ ...request, print: false })).toContain('nothing to change')
  expect(setupCommand({ ...request, print: false, remove: true })).toContain('knap is taken out of')
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ other: true, mcpServers: {} })
  expect(() => setupCommand({ ...request, client: 'curser' })).toThrow('no client')
  expect(() => setupCommand({ ...request, name: 'a b' })).toThrow('no name')
  expect(setupCommand({ ...request, client: undefined })).toContain('cursor')
  rmSync(folder, { recursive: true })
})
