import { afterAll, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { GUARDS, launchOf } from '../../src/cli/clients.ts'

/** Programs and settings that lie in a vault, which is the working directory: none runs, none sets anything. */

const ROOT = path.join(import.meta.dir, '..', '..')
const MAIN = path.join(ROOT, 'src', 'main.ts')
/** Where npm keeps what it ran once, when this Bun is such a program: what clients are told to start is found there. */
const npmCache = process.execPath.split(`${path.sep}_npx${path.sep}`)
const base = mkdtempSync(path.join(tmpdir(), 'knap-planted-'))
const vault = path.join(base, 'vault')
const marker = path.join(base, 'it-ran')
afterAll(() => rmSync(base, { recursive: true }))

mkdirSync(path.join(vault, 'node_modules', 'zod'), { recursive: true })
const planted = `require('node:fs').writeFileSync(${JSON.stringify(marker)}, '')\n`
writeFileSync(path.join(vault, 'bunfig.toml'), 'preload = ["./planted.js"]\n')
writeFileSync(path.join(vault, 'planted.js'), planted)
writeFileSync(
  path.join(vault, '.env'),
  'OBSIDIAN_TOOLS=minimal\nOBSIDIAN_EMBEDDING_API_BASE=http://127.0.0.1:9/v1\n',
)
writeFileSync(path.join(vault, 'knap.yaml'), 'tools: minimal\n')
writeFileSync(
  path.join(vault, 'package.json'),
  '{"name":"planted","main":"planted.js","scripts":{"prestart":"bun planted.js"}}',
)
writeFileSync(
  path.join(vault, 'node_modules', 'zod', 'package.json'),
  '{"name":"zod","main":"../../planted.js"}',
)
writeFileSync(path.join(vault, 'note.md'), '---js\nrequire("node:fs")\n---\nA note.\n')
beforeEach(() => rmSync(marker, { force: true }))

/** The script of the package, with this Bun and an absolute path, so that it runs in the vault. */
function script(name: keyof typeof packageJson.scripts): string[] {
  const [bun, ...rest] = packageJson.scripts[name].split(' ')
  expect(bun).toBe('bun')
  return [process.execPath, ...rest.map((word) => (word.endsWith('.ts') ? path.join(ROOT, word) : word))]
}

function launched(runtime: string): string[] {
  const { command, args } = launchOf({
    runtime,
    version: Bun.version,
    main: MAIN,
    args: [],
    platform: process.platform,
  })
  return [command, ...args]
}

const ENTRIES: [string, () => string[]][] = [
  ['the command', () => [path.join(ROOT, 'bin', 'knap')]],
  ['the script "server"', () => script('server')],
  ['what a client is told to start', () => launched(process.execPath)],
]

async function output(command: string[], input?: string): Promise<string> {
  const child = Bun.spawn(command, {
    cwd: vault,
    stdin: input === undefined ? 'ignore' : new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
    env: {
      PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`,
      HOME: base,
      ...(npmCache.length > 1 && { npm_config_cache: npmCache[0] }),
      XDG_CONFIG_HOME: path.join(base, 'config'),
      XDG_STATE_HOME: path.join(base, 'state'),
      XDG_CACHE_HOME: path.join(base, 'cache'),
    },
  })
  const [text, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  expect({ code: await child.exited, errors }).toEqual({ code: 0, errors: expect.any(String) })
  return text
}

test.each(ENTRIES)('%s prints settings that the vault did not set', async (_name, command) => {
  const { settings, files } = JSON.parse(await output([...command(), 'config', '--json', vault]))
  expect([settings.tools, files]).toEqual([{ value: 'full', origin: 'default' }, []])
  expect(settings['embeddings.api_base'].origin).toBe('default')
  expect(existsSync(marker)).toBe(false)
})

test.each(ENTRIES)('%s serves the vault and runs nothing of it', async (_name, command) => {
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  }
  const input = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`
  const answer = JSON.parse((await output([...command(), vault], input)).split('\n')[0] as string)
  expect(answer.result.serverInfo.name).toBe('knap')
  expect(existsSync(marker)).toBe(false)
})

test('what setup writes serves the vault and runs nothing of it', async () => {
  await output([path.join(ROOT, 'bin', 'knap'), 'setup', 'cursor', vault])
  const settings = JSON.parse(readFileSync(path.join(base, '.cursor', 'mcp.json'), 'utf8'))
  const { command, args } = settings.mcpServers.knap
  const input = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n`
  expect(JSON.parse((await output([command, ...args], input)).split('\n')[0] as string).id).toBe(1)
  expect(existsSync(marker)).toBe(false)
})

test('a server in the background, started and started anew in the vault, runs nothing of it', async () => {
  const knap = path.join(ROOT, 'bin', 'knap')
  const { url } = JSON.parse(await output([knap, 'serve', '--port', '0', '--json', vault]))
  const again = JSON.parse(await output([knap, 'restart', '--json']))
  const { status } = (await (await fetch(new URL('/health', again.url))).json()) as { status: string }
  await output([knap, 'stop'])
  expect([new URL(url).pathname, status, existsSync(marker)]).toEqual(['/mcp', 'ok', false])
})

test('without its guards the runtime would have run it', async () => {
  await output([process.execPath, '-e', '0'])
  expect(existsSync(marker)).toBe(true)
})

test('every script that starts the program or may meet a vault has the guards', () => {
  for (const name of ['server', 'quickstart', 'verify', 'bench', 'docs'] as const) {
    expect(packageJson.scripts[name]).toStartWith(`bun ${GUARDS.join(' ')} `)
  }
})
