/** How a client starts a server of its own: a program, its arguments, what it finds in its environment. */
export interface Launch {
  readonly command: string
  readonly args: readonly string[]
}

/** What to put where, for one client. */
export interface ClientSetup {
  readonly client: string
  /** A command to run, or the file to put the text into. */
  readonly where: string
  readonly text: string
}

/**
 * How to start Knap from any working directory, whatever that directory holds: the runtime would otherwise run a
 * `bunfig.toml` and read a `.env` that it finds there.
 */
export const GUARDS: readonly string[] = ['--no-env-file', '--config=/dev/null', '--no-install']

/**
 * @param runtime absolute path of the Bun that runs now. One in npm's cache of run-once programs may vanish any day:
 * then npm is asked for it at each start.
 * @param main absolute path of `src/main.ts`
 */
export function launchOf({
  runtime,
  version,
  main,
  args,
  platform,
}: {
  readonly runtime: string
  readonly version: string
  readonly main: string
  readonly args: readonly string[]
  readonly platform: NodeJS.Platform
}): Launch {
  const guards = platform === 'win32' ? GUARDS.map((guard) => guard.replace('/dev/null', 'NUL')) : GUARDS
  const rest = [...guards, main, ...args]
  if (!/[\\/]_npx[\\/]/.test(runtime)) return { command: runtime, args: rest }
  const npx = ['-y', `bun@${version}`, ...rest]
  return platform === 'win32'
    ? { command: 'cmd', args: ['/c', 'npx', ...npx] }
    : { command: 'npx', args: npx }
}

/** What to paste into each client: over HTTP where it can, else as a server that it starts by itself. */
export function clientSetups(url: string, launch: Launch): ClientSetup[] {
  const remote = { url }
  return [
    { client: 'Claude Code', where: 'run', text: `claude mcp add --transport http knap ${url}` },
    { client: 'Cursor', where: '~/.cursor/mcp.json', text: json({ mcpServers: { knap: remote } }) },
    {
      client: 'VS Code',
      where: '.vscode/mcp.json',
      text: json({ servers: { knap: { type: 'http', ...remote } } }),
    },
    {
      client: 'Claude Desktop',
      where: 'Settings → Developer → Edit Config (it starts its own server, over standard input and output)',
      text: json({ mcpServers: { knap: launch } }),
    },
  ]
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2)
}
