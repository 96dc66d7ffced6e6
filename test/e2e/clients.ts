import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

/** The program as people start it. */
export const COMMAND = [
  process.execPath,
  '--no-env-file',
  '--config=/dev/null',
  '--no-install',
  join(import.meta.dir, '../../src/main.ts'),
]

export type Files = Readonly<Record<string, string | Uint8Array>>

/** A vault in a temporary folder, with data and cache folders beside it. */
export interface TemporaryVault {
  readonly root: string
  readonly dir: string
  readonly env: Record<string, string>
  path(name: string): string
  remove(): void
}

export function temporaryVault(files: Files = {}): TemporaryVault {
  const root = mkdtempSync(join(tmpdir(), 'knap-e2e-'))
  const dir = join(root, 'vault')
  mkdirSync(join(dir, '.obsidian'), { recursive: true })
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true })
    writeFileSync(join(dir, name), content)
  }
  return {
    root,
    dir,
    env: { PATH: process.env.PATH ?? '', HOME: root, OBSIDIAN_MCP_DATA: join(root, 'data') },
    path: (name) => join(dir, name),
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}

export interface ToolInfo {
  readonly name: string
  readonly inputSchema: Record<string, unknown>
  readonly outputSchema?: Record<string, unknown> | undefined
}

export interface CallAnswer {
  readonly isError: boolean
  readonly structured: Record<string, unknown>
  readonly text: string
}

/** What every kind of client can do. */
export interface AnyClient {
  readonly name: string
  tools(): Promise<ToolInfo[]>
  call(name: string, args: Record<string, unknown>): Promise<CallAnswer>
  close(): Promise<void>
}

export type ClientKind = 'modern stdio' | 'modern http' | 'old stdio' | 'old http'
export const CLIENT_KINDS: readonly ClientKind[] = ['modern stdio', 'modern http', 'old stdio', 'old http']

/** Starts the program for this vault and connects a client of the given kind to it. */
export async function connect(
  kind: ClientKind,
  vault: TemporaryVault,
  flags: readonly string[] = [],
): Promise<AnyClient> {
  if (kind.endsWith('http')) {
    const server = await startHttp(vault, flags)
    const client = await connectHttp(kind === 'modern http', server.url)
    return {
      ...client,
      close: async () => {
        await client.close()
        await server.stop()
      },
    }
  }
  const command = COMMAND[0] as string
  const args = [...COMMAND.slice(1), ...flags, ...(vault.dir === '' ? [] : [vault.dir])]
  if (kind === 'modern stdio') {
    const client = newClient()
    await client.connect(new StdioClientTransport({ command, args, env: vault.env, stderr: 'ignore' }))
    return wrap(kind, client as unknown as Caller)
  }
  const client = new OldClient({ name: 'old', version: '1' })
  await client.connect(new OldStdio({ command, args, env: vault.env, stderr: 'ignore' }))
  return wrap(kind, client as unknown as Caller)
}

export async function connectHttp(
  modern: boolean,
  url: string,
  headers: Record<string, string> = {},
): Promise<AnyClient> {
  const options = { requestInit: { headers } }
  if (modern) {
    const client = newClient()
    await client.connect(new StreamableHTTPClientTransport(new URL(url), options))
    return wrap('modern http', client as unknown as Caller)
  }
  const client = new OldClient({ name: 'old', version: '1' })
  await client.connect(new OldHttp(new URL(url), options) as never)
  return wrap('old http', client as unknown as Caller)
}

function newClient(): Client {
  return new Client({ name: 'modern', version: '1' }, { versionNegotiation: { mode: 'auto' } })
}

export interface RunningServer {
  readonly url: string
  readonly port: number
  stop(): Promise<number>
  /** Sends a signal and waits for the exit code. */
  kill(signal: NodeJS.Signals): Promise<number>
}

/** Starts the program over HTTP on a free port and waits until it listens. */
export async function startHttp(
  vault: TemporaryVault,
  flags: readonly string[] = [],
): Promise<RunningServer> {
  const child = Bun.spawn([...COMMAND, '--http', '--port', '0', ...flags, vault.dir], {
    env: vault.env,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  let log = ''
  const decoder = new TextDecoder()
  for await (const chunk of child.stderr) {
    log += decoder.decode(chunk, { stream: true })
    const url = /http:\/\/[^\s]+\/mcp/.exec(log)?.[0]
    if (url) {
      return {
        url,
        port: Number(new URL(url).port),
        stop: async () => {
          child.kill()
          return await child.exited
        },
        kill: async (signal) => {
          child.kill(signal)
          return await child.exited
        },
      }
    }
  }
  throw new Error(`the server ended before it listened:\n${log}`)
}

interface Caller {
  listTools(): Promise<{ tools: ToolInfo[] }>
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<{
    isError?: boolean
    structuredContent?: Record<string, unknown>
    content?: { type: string; text?: string }[]
  }>
  close(): Promise<void>
}

function wrap(name: string, client: Caller): AnyClient {
  return {
    name,
    tools: async () => (await client.listTools()).tools,
    call: async (tool, args) => {
      const answer = await client.callTool({ name: tool, arguments: args })
      return {
        isError: answer.isError === true,
        structured: answer.structuredContent ?? {},
        text: answer.content?.[0]?.text ?? '',
      }
    },
    close: () => client.close(),
  }
}
