import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { COMMAND, type Files, type TemporaryVault, temporaryVault } from '../e2e/clients.ts'

/** A client that speaks the bare protocol, so that its process can be stopped and killed. */
export interface RawClient {
  readonly process: ChildProcess
  readonly pid: number
  /** @returns the answer as it came: with `result` or `error` */
  ask(method: string, params?: object): Promise<Answer>
  /** @returns the text of a tool's answer */
  call(name: string, args?: object): Promise<string>
  /** Resolves when standard error holds the text. */
  said(text: string): Promise<void>
  readonly stderr: () => string
  /** The exit code, null after a signal. */
  readonly gone: Promise<number | null>
  /** Ends its input. */
  end(): Promise<number | null>
}

export interface Answer {
  readonly result?: {
    readonly content?: readonly { readonly text: string }[]
    readonly isError?: boolean
  } & Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string }
}

export const JOINED = 'served by the engine of another process'
export const BECAME = 'this process is the engine now'

/** A vault whose sockets are seen by its own clients alone. */
export function sharedVault(
  files: Files = { 'a.md': 'alpha\n', 'b.md': 'beta\n' },
): TemporaryVault & { sockets: string } {
  const vault = temporaryVault(files)
  const runtime = join(vault.root, 'run')
  mkdirSync(runtime, { mode: 0o700 })
  Object.assign(vault.env, {
    XDG_RUNTIME_DIR: runtime,
    OBSIDIAN_LOG_LEVEL: 'debug',
    OBSIDIAN_EMBEDDINGS: 'false',
  })
  return { ...vault, sockets: join(runtime, 'knap') }
}

const started = new Set<ChildProcess>()

/** Kills what a test has left running. */
export function killAll(): void {
  for (const child of started) child.kill('SIGKILL')
  started.clear()
}

/** Starts the program without saying anything to it. */
export function startRaw(
  vault: TemporaryVault,
  env: Record<string, string> = {},
  flags: string[] = [],
): RawClient {
  const [command, ...args] = COMMAND as [string, ...string[]]
  const child = spawn(command, [...args, ...flags, vault.dir], { env: { ...vault.env, ...env } })
  started.add(child)
  let [out, err, lastId] = ['', '', 0]
  const waiting = new Map<unknown, (answer: Answer) => void>()
  const listeners = new Set<() => void>()
  child.stdout.on('data', (chunk) => {
    out += chunk
    for (let end = out.indexOf('\n'); end >= 0; end = out.indexOf('\n')) {
      const message = JSON.parse(out.slice(0, end))
      out = out.slice(end + 1)
      waiting.get(message.id)?.(message)
    }
  })
  child.stderr.on('data', (chunk) => {
    err += chunk
    for (const listener of listeners) listener()
  })
  child.stdin.on('error', () => {})
  const gone = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  const ask = (method: string, params: object = {}) =>
    new Promise<Answer>((resolve, reject) => {
      const id = ++lastId
      waiting.set(id, resolve)
      void gone.then((code) => reject(new Error(`${method}: ended with ${code}: ${err}`)))
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    })
  return {
    process: child,
    pid: child.pid as number,
    ask,
    call: async (name, args) => {
      const { result, error } = await ask('tools/call', { name, arguments: args ?? {} })
      return result?.content?.[0]?.text ?? JSON.stringify(error)
    },
    said: (text) =>
      new Promise((resolve, reject) => {
        const look = () => err.includes(text) && resolve()
        listeners.add(look)
        look()
        void gone.then(() => reject(new Error(`ended without saying ${text}: ${err}`)))
      }),
    stderr: () => err,
    gone,
    end: () => {
      child.stdin.end()
      return gone
    },
  }
}

/** Starts the program and initialises a session of 2025. */
export async function startClient(
  vault: TemporaryVault,
  env: Record<string, string> = {},
  flags: string[] = [],
): Promise<RawClient> {
  const client = startRaw(vault, env, flags)
  await client.ask('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  })
  client.process.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
  return client
}

/** The names of the tools that a client is shown. */
export async function toolNames(client: RawClient): Promise<string[]> {
  const { result } = await client.ask('tools/list')
  return ((result?.tools ?? []) as { name: string }[]).map(({ name }) => name)
}
