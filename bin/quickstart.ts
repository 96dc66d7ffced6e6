import path from 'node:path'
import { clientSetups, GUARDS, launchOf } from '../src/cli/clients.ts'
import { install, isInstalled, ROOT } from './project.ts'

/** Installs where that is still to do, serves the example vault over HTTP, and prints what to paste into a client. */

const DEFAULT_PORT = 37_842
/** Milliseconds that the server may take to answer after its start. */
const PATIENCE = 30_000

const main = path.join(ROOT, 'src', 'main.ts')
const vault = path.join(ROOT, 'examples', 'vault')

if (!isInstalled()) await install()
const port = portIsFree(DEFAULT_PORT) ? DEFAULT_PORT : freePort()
const server = Bun.spawn(
  [process.execPath, ...GUARDS, main, '--http', '--host', '127.0.0.1', '--port', String(port), vault],
  {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  },
)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => server.kill(signal))

if (await answers(`http://127.0.0.1:${port}/health`))
  process.stdout.write(welcome(`http://127.0.0.1:${port}/mcp`))
process.exit(await server.exited)

function welcome(url: string): string {
  const launch = launchOf({
    runtime: process.execPath,
    version: Bun.version,
    main,
    args: [vault],
    platform: process.platform,
  })
  const blocks = clientSetups(url, launch).map(
    ({ client, where, text }) => `${client} (${where}):\n\n${indented(text)}\n`,
  )
  return [
    '',
    `Knap serves ${vault}`,
    `at ${url} until you press Ctrl-C.`,
    `Process ${server.pid}.`,
    '',
    ...blocks,
    'Then ask your agent: "What did we decide about the oven at the last bakery meeting?"',
    'For your own notes: the same, with the path of your vault.',
    '',
  ].join('\n')
}

function indented(text: string): string {
  return text.replace(/^/gm, '  ')
}

function portIsFree(port: number): boolean {
  try {
    Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } }).stop(true)
    return true
  } catch {
    return false
  }
}

function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  listener.stop(true)
  return listener.port
}

/** Waits until the server answers; false where it ended before. */
async function answers(url: string): Promise<boolean> {
  const end = Date.now() + PATIENCE
  while (Date.now() < end && server.exitCode === null) {
    const ok = await fetch(url).then(
      (response) => response.ok,
      () => false,
    )
    if (ok) return true
    await Bun.sleep(100)
  }
  if (server.exitCode === null) {
    console.error(`The server gave no answer on ${url} within ${PATIENCE / 1000} s.`)
    server.kill()
  }
  return false
}
