import { expect, test } from 'bun:test'
import { clientSetups, launchOf } from '../../src/cli/clients.ts'

const main = '/opt/my knap/src/main.ts'
const guards = ['--no-env-file', '--config=/dev/null', '--no-install']
const cases: { says: string; runtime: string; platform: NodeJS.Platform; right: unknown }[] = [
  {
    says: 'an installed runtime by its path',
    runtime: '/usr/local/bin/bun',
    platform: 'linux',
    right: { command: '/usr/local/bin/bun', args: [...guards, main, '/my notes'] },
  },
  {
    says: "a runtime in npm's run-once cache through npx",
    runtime: '/home/a/.npm/_npx/86/node_modules/bun/bin/bun.exe',
    platform: 'darwin',
    right: { command: 'npx', args: ['-y', 'bun@1.4.5', ...guards, main, '/my notes'] },
  },
  {
    says: 'npx on Windows through cmd, with its null device',
    runtime: 'C:\\Users\\a\\AppData\\Local\\npm-cache\\_npx\\86\\node_modules\\bun\\bin\\bun.exe',
    platform: 'win32',
    right: {
      command: 'cmd',
      args: [
        '/c',
        'npx',
        '-y',
        'bun@1.4.5',
        '--no-env-file',
        '--config=NUL',
        '--no-install',
        main,
        '/my notes',
      ],
    },
  },
]
test.each(cases)('started as: $says', ({ runtime, platform, right }) => {
  expect(launchOf({ runtime, version: '1.4.5', main, args: ['/my notes'], platform }) as unknown).toEqual(
    right,
  )
})

test('every client gets a command, or JSON that names one server called knap', () => {
  const setups = clientSetups('http://127.0.0.1:1/mcp', { command: 'bun', args: ['x'] })
  expect(setups.map((setup) => setup.client)).toEqual(['Claude Code', 'Cursor', 'VS Code', 'Claude Desktop'])
  const [command, ...files] = setups
  expect(command?.text).toBe('claude mcp add --transport http knap http://127.0.0.1:1/mcp')
  for (const { text } of files) {
    const [servers] = Object.values(JSON.parse(text) as Record<string, object>)
    expect(Object.keys(servers ?? {})).toEqual(['knap'])
  }
})
