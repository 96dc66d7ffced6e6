import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import packageJson from '../package.json' with { type: 'json' }
import { helpText } from './cli/help.ts'
import { progressOn } from './cli/progress.ts'
import { printSettings } from './cli/settings.ts'
import { helpOptions } from './config/docs.ts'
import { ConfigError } from './config/error.ts'
import { isLoopback } from './config/finish.ts'
import { type Config, type LoadedConfig, loadConfig } from './config.ts'
import { closeDocumentation, libraryFor } from './documentation.ts'
import { VaultError } from './errors.ts'
import { configureLog, log } from './logger.ts'
import type { ToolSet } from './mcp/registry.ts'
import { openVault } from './open_vault.ts'
import { modelFolders } from './semantic_options.ts'
import type { EngineParts, Joined } from './shared_engine.ts'
import { toolChooser } from './tool_choice.ts'
import type { Vault } from './vault/vault.ts'

const VERSION: string = packageJson.version

/**
 * Runs one command.
 * @returns the exit code: 0 done, 1 failed, 2 wrong settings or arguments
 */
export async function run(argv: readonly string[], sharing: Sharing): Promise<number> {
  let loaded: LoadedConfig
  try {
    loaded = loadConfig({ argv, env: process.env, readFile })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`knap: ${error.message}\n`)
    return 2
  }
  configureLog({
    level: loaded.config.logLevel,
    secrets: loaded.secrets,
    ...(sharing.service === undefined ? {} : { write: sharing.service.write }),
  })
  try {
    return await perform(loaded, { argv, ...sharing })
  } catch (error) {
    if (error instanceof ConfigError) {
      process.stderr.write(`knap: ${error.message}\n`)
      return 2
    }
    if (!(error instanceof VaultError)) throw error
    process.stderr.write(`knap: ${error.message} ${error.hint}\n`)
    return error.code === 'bad_argument' ? 2 : 1
  }
}

function readFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw new ConfigError(`${path} cannot be read (${code ?? 'unknown reason'}).`)
  }
}

async function perform(loaded: LoadedConfig, started: Started): Promise<number> {
  const { command, warnings, config } = loaded
  switch (command.name) {
    case 'help':
      process.stdout.write(helpText(command.words[0] ?? null, helpOptions()))
      return 0
    case 'version':
      process.stdout.write(`knap ${VERSION}\n`)
      return 0
    case 'config':
      toolsAsSet(loaded)
      process.stdout.write(printSettings(loaded, { json: command.flags.get('--json') === true }))
      return 0
    case 'run':
      for (const warning of warnings) log.warn(warning)
      return await serve(loaded, started)
    default:
      for (const warning of warnings) log.warn(warning)
      return await once(command, config, started.argv)
  }
}

/** @throws ConfigError for a choice of tools, or a profile, that cannot be read */
function toolsAsSet({ config, inForce }: LoadedConfig): ReturnType<typeof toolChooser> {
  try {
    return toolChooser(config, inForce.find(({ key }) => key === 'tools')?.origin.name)
  } catch (error) {
    if (error instanceof VaultError) throw new ConfigError(`${error.message} ${error.hint}`)
    throw error
  }
}

type Called = LoadedConfig['command']

/** The commands that answer once, on standard output. */
async function once(command: Called, config: Config, argv: readonly string[]): Promise<number> {
  const { say, end } = progressOn(process.stderr)
  try {
    return await answerOnce(command, config, { argv, say })
  } finally {
    end()
  }
}

async function answerOnce(
  command: Called,
  config: Config,
  { argv, say }: { readonly argv: readonly string[]; readonly say: Asked['say'] },
): Promise<number> {
  const isOn = (flag: string) => command.flags.get(flag) === true
  const json = isOn('--json')
  if (command.name === 'model') {
    const { modelCommand } = await import('./cli/model.ts')
    const into = join(config.cacheDir, 'models')
    const folders = modelFolders(config.embeddings.modelPath, config.cacheDir)
    process.stdout.write(
      await modelCommand(command.words, { folders, into, hub: textFlag(command, '--hub') }, say),
    )
    return 0
  }
  if (command.name === 'docs') {
    process.stdout.write(await askDocs(command, config, { json, say }))
    return 0
  }
  const { terminalCommand } = await import('./terminal.ts')
  const printed = await terminalCommand({ command, config, argv })
  if (printed === null) return await withVault(config, await answerOf(command, { json, say, isOn }))
  process.stdout.write(printed.text)
  return printed.code
}

async function askDocs(command: Called, config: Config, { json, say }: Omit<Asked, 'isOn'>): Promise<string> {
  const corpus = textFlag(command, '--corpus')
  const [{ docsCommand }, library] = await Promise.all([import('./cli/docs.ts'), libraryFor(config, corpus)])
  const cwd = process.cwd()
  try {
    return await docsCommand(library, command.words, { corpus, limit: limitOf(command, 3), json, cwd, say })
  } finally {
    await library.close()
  }
}

interface Asked {
  readonly json: boolean
  readonly say: (line: string) => void
  readonly isOn: (flag: string) => boolean
}

/** What is missing is said before a vault is opened. */
async function answerOf(
  command: Called,
  { json, say, isOn }: Asked,
): Promise<(vault: Vault) => Promise<string>> {
  if (command.name === 'index') {
    const { indexCommand } = await import('./cli/index_vault.ts')
    return (vault) => indexCommand(vault, { rebuild: isOn('--rebuild'), json }, say)
  }
  if (command.name === 'eval') {
    const { evalCommand } = await import('./cli/evaluate.ts')
    const lines = requiredFile(command, '--evals')
    return (vault) => evalCommand(vault, lines, { json, say })
  }
  if (command.name === 'read') {
    const { readCommand } = await import('./cli/read.ts')
    const [path] = command.words
    if (path === undefined) throw new ConfigError('knap read needs the path of a note.')
    const flags = { section: textFlag(command, '--section'), lines: textFlag(command, '--lines'), json }
    return (vault) => readCommand(vault, path, flags)
  }
  const { searchCommand } = await import('./cli/search.ts')
  const [query, limit] = [queryOf(command), limitOf(command)]
  const way = isOn('--text') ? 'text' : isOn('--semantic') ? 'semantic' : 'hybrid'
  return (vault) => searchCommand(vault, query, { way, limit, json, say })
}

/** Opens the one vault for reading alone, prints what comes of it, and ends the process. */
async function withVault(config: Config, answer: (vault: Vault) => Promise<string>): Promise<number> {
  const [source, ...others] = config.vaults
  if (source === undefined || others.length > 0) {
    throw new ConfigError('This command looks at one vault; name it behind the command.')
  }
  const vault = await openVault(source, { ...config, readOnly: true, watch: false })
  try {
    process.stdout.write(await answer(vault))
  } finally {
    await vault.close()
  }
  return 0
}

function textFlag({ flags }: Called, flag: string): string | undefined {
  const value = flags.get(flag)
  return typeof value === 'string' ? value : undefined
}

function requiredFile(command: Called, flag: string): string {
  const path = textFlag(command, flag)
  if (path === undefined) throw new ConfigError(`knap ${command.name} needs ${flag} FILE.`)
  const text = readFile(path)
  if (text === null) throw new ConfigError(`${path} is not there.`)
  return text
}

function queryOf({ words: [query] }: Called): string {
  if (query === undefined) throw new ConfigError('knap search needs a query, in quotes.')
  return query
}

const DEFAULT_HITS = 10
const MOST_HITS = 200

function limitOf(command: Called, otherwise = DEFAULT_HITS): number {
  const text = textFlag(command, '--limit')
  if (text === undefined) return otherwise
  const limit = Number(text)
  if (Number.isInteger(limit) && limit >= 1) return Math.min(limit, MOST_HITS)
  throw new ConfigError(`--limit ${text} is no number from 1 to ${MOST_HITS}.`)
}

/** A server in the background: how it is told from others, and who is told when it listens. */
export interface ServiceStart {
  readonly token: string
  readonly write: (line: string) => void
  readonly onListening: (url: string, config: Config) => void
}

/** What a start does about other processes that serve the same vault. */
export interface Sharing {
  readonly service?: ServiceStart

  /** Told once: other starts with the same inputs need not wait for this one any more. */
  readonly settled: () => void
  /** Serves this client by the engine of another process. */
  readonly join: (joined: Joined) => Promise<number>
}

interface Started extends Sharing {
  readonly argv: readonly string[]
}

async function serve(loaded: LoadedConfig, { argv, settled, join, service }: Started): Promise<number> {
  // Nothing but the protocol may reach standard output, whatever a library prints.
  console.log = console.error
  console.info = console.error
  console.debug = console.error
  const { config } = loaded
  const toolsFor = toolsAsSet(loaded)
  const tools = toolsFor(null)
  const { admission, takePart } = await import('./shared_engine.ts')
  const part = await takePart(config, argv)
  settled()
  if (part !== null && 'link' in part) return await join(part)
  const host = part?.host
  const stop = stopSignal()
  let vaults: readonly Vault[] = []
  try {
    vaults = await ENGINE_PARTS.openVaults(config)
    host?.ready(admission(config, vaults, ENGINE_PARTS))
    if (config.transport === 'stdio') {
      const { serveOverStdio } = await import('./mcp/stdio.ts')
      await Promise.race([serveOverStdio({ vaults, tools, version: VERSION }), stop])
    } else {
      await serveHttp(vaults, config, { toolsFor, stop, service })
    }
  } finally {
    const left = host?.leave() ?? Promise.resolve()
    await Promise.race([
      left.then(() => Promise.all([...vaults.map((v) => v.close()), closeDocumentation()])),
      // A start that failed must not wait for this.
      new Promise<void>((resolve) => setTimeout(resolve, LONGEST_CLOSE_MS).unref()),
    ])
  }
  // Handles that libraries keep open must not keep a server alive whose client is gone.
  process.exit(0)
}

const LONGEST_CLOSE_MS = 1900

/** What an engine is made of, for whoever makes one. */
export const ENGINE_PARTS: EngineParts = {
  version: VERSION,
  readFile,
  openVaults: (config) => Promise.all(config.vaults.map((source) => openVault(source, config))),
  toolsOf: (config) => toolChooser(config)(null),
}

interface HttpParts {
  readonly toolsFor: (header: string | null) => ToolSet
  readonly stop: Promise<void>
  readonly service: ServiceStart | undefined
}

async function serveHttp(
  vaults: readonly Vault[],
  config: Config,
  { toolsFor, stop, service }: HttpParts,
): Promise<void> {
  const { serveOverHttp } = await import('./mcp/http.ts')
  const { host, port, token, allowedHosts, allowedOrigins, authIssuer: issuer } = config.http
  await Promise.all(vaults.map((v) => v.named()))
  const server = await serveOverHttp({
    vaults,
    version: VERSION,
    host,
    port,
    token,
    allowedHosts,
    allowedOrigins,
    issuer,
    tls: tlsOf(config.http),
    isRemote: !isLoopback(host),
    toolsFor,
    health: () => ({
      notes: vaults.reduce((sum, v) => sum + v.indexState().total, 0),
      index: vaults.map((v) => v.indexState()),
      ...(service === undefined ? {} : { instance: service.token }),
    }),
  })
  log.info(`listening on ${server.url}`)
  service?.onListening(server.url, config)
  await stop
  await server.close()
}

/** @throws ConfigError for a file that is not there */
function tlsOf({ tlsCert, tlsKey }: Config['http']): { cert: string; key: string } | null {
  const pem = (path: string) => {
    const text = readFile(path)
    if (text === null) throw new ConfigError(`${path} is not there.`)
    return text
  }
  return tlsCert === null || tlsKey === null ? null : { cert: pem(tlsCert), key: pem(tlsKey) }
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => resolve())
  })
}
