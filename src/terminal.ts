import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { clientFiles } from './cli/client_files.ts'
import { launchOf } from './cli/clients.ts'
import type { KeptPlaces } from './cli/kept_data.ts'
import { helpOptions } from './config/docs.ts'
import { vaultFolders } from './config/places.ts'
import type { VaultSource } from './config/vaults.ts'
import type { Config, LoadedConfig } from './config.ts'
import { modelsAtHand } from './semantic_options.ts'
import { openEditor } from './vault/edit.ts'
import { createRules } from './vault/rules.ts'
import { selfCommand } from './vault/self.ts'

export interface Printed {
  readonly text: string
  /** Exit code. */
  readonly code: number
}

interface Terminal {
  readonly command: LoadedConfig['command']
  readonly config: Config
  readonly argv: readonly string[]
}

/** What one of the commands about the program itself prints, or null for the others. @throws VaultError, ConfigError */
export async function terminalCommand(terminal: Terminal): Promise<Printed | null> {
  const work = COMMANDS[terminal.command.name]
  if (work === undefined) return null
  const printed = await work(terminal)
  return typeof printed === 'string' ? { text: printed, code: 0 } : printed
}

const COMMANDS: Readonly<Record<string, (terminal: Terminal) => Promise<string | Printed>>> = {
  serve,
  stop,
  restart,
  status,
  setup,
  doctor,
  data,
  completions,
}

/** Exit code of `status` where nothing runs, as service managers have it. */
const NOT_RUNNING = 3

async function serve({ command, config, argv }: Terminal): Promise<string> {
  const { serveCommand } = await import('./cli/serve.ts')
  const args = argv.slice(1).filter((word) => word !== '--json')
  const request = {
    places: servicePlaces(config),
    vaults: config.vaults.map(placeOf),
    args,
    cwd: process.cwd(),
  }
  return await serveCommand({ ...request, json: isOn(command, '--json') })
}

async function stop({ config }: Terminal): Promise<string> {
  const { stopCommand } = await import('./cli/serve.ts')
  return await stopCommand(servicePlaces(config), namedVaults(config))
}

async function restart({ command, config }: Terminal): Promise<string> {
  const { restartCommand } = await import('./cli/serve.ts')
  return await restartCommand(servicePlaces(config), namedVaults(config), isOn(command, '--json'))
}

async function status({ command, config }: Terminal): Promise<Printed> {
  const { statusCommand } = await import('./cli/serve.ts')
  const { text, isRunning } = await statusCommand(servicePlaces(config), isOn(command, '--json'))
  return { text, code: isRunning ? 0 : NOT_RUNNING }
}

function servicePlaces({ dataDir }: Config) {
  return { state: join(dataDir, 'services'), logs: join(dataDir, 'logs') }
}

function namedVaults({ vaults }: Config): string[] | null {
  return vaults.length === 0 ? null : vaults.map(placeOf)
}

/** A vault's canonical place: what it is called does not make another vault of it. */
export function placeOf(source: VaultSource): string {
  if (source.kind === 'sftp') return source.uri
  try {
    return realpathSync(source.path)
  } catch {
    return source.path
  }
}

async function setup({ command, config }: Terminal): Promise<string> {
  const { setupCommand } = await import('./cli/setup.ts')
  const { ConfigError } = await import('./config/error.ts')
  const client = command.words[0]
  const remove = isOn(command, '--remove')
  if (client !== undefined && !remove && config.vaults.length === 0)
    throw new ConfigError('Name the vault: knap setup CLIENT VAULT.')
  const name = command.flags.get('--name')
  return setupCommand({
    client,
    clients: clientFiles({ platform: process.platform, home: homedir(), appData: process.env.APPDATA }),
    name: typeof name === 'string' ? name : 'knap',
    launch: launch(config.vaults),
    print: isOn(command, '--print'),
    remove,
  })
}

/** How a client starts this very program on these vaults. */
function launch(vaults: readonly VaultSource[]) {
  const place = (source: VaultSource) => (source.kind === 'sftp' ? source.uri : source.path)
  const [only] = vaults
  const args =
    vaults.length === 1 && only !== undefined
      ? [place(only)]
      : vaults.flatMap((source) => ['--vault', `${source.name}=${place(source)}`])
  const [command, ...rest] = selfCommand()
  if (rest.length === 0) return { command: command as string, args }
  const main = fileURLToPath(new URL('./main.ts', import.meta.url))
  return launchOf({ runtime: process.execPath, version: Bun.version, main, args, platform: process.platform })
}

async function doctor({ command, config }: Terminal): Promise<Printed> {
  const { examine, printFindings } = await import('./cli/doctor.ts')
  const findings = await examine({
    bun: Bun.version,
    platform: process.platform,
    vaults: config.vaults.flatMap((source) => (source.kind === 'local' ? [source.path] : [])),
    readOnly: config.readOnly,
    watch: config.watch,
    folders: [config.dataDir, config.cacheDir],
    lockFolders: config.vaults.map((source) => join(vaultFolders(config, placeOf(source)).data, 'locks')),
    host: config.http.host,
    port: config.http.port,
    portUser,
    embeddings: config.embeddings.enabled === false ? 'off' : config.embeddings.provider,
    models: modelsAtHand(config).map(({ model }) => model.name),
    hasPackage,
  })
  const json = isOn(command, '--json')
  return {
    text: printFindings(findings, { json, colour: isTerminal() }),
    code: findings.some(({ state }) => state === 'fail') ? 1 : 0,
  }
}

/** Colours are for people: not in files and pipes, and not where the environment says so. */
function isTerminal(): boolean {
  return process.stdout.isTTY === true && !process.env.NO_COLOR
}

function hasPackage(name: string): boolean {
  try {
    import.meta.resolve(name)
    return true
  } catch {
    return false
  }
}

async function portUser(url: string): Promise<'knap' | 'other' | null> {
  try {
    const answer = await (await fetch(url, { signal: AbortSignal.timeout(1000) })).json().catch(() => null)
    return (answer as { status?: unknown } | null)?.status === 'ok' ? 'knap' : 'other'
  } catch (error) {
    // Whoever takes the connection and speaks no HTTP has the port all the same.
    const { code } = error as { code?: unknown }
    return code === 'ECONNREFUSED' || code === 'ConnectionRefused' ? null : 'other'
  }
}

async function data({ command, config }: Terminal): Promise<string> {
  const { dataCommand } = await import('./cli/kept_data.ts')
  const bounds = {
    historyBytes: config.history.maxMb * 1024 * 1024,
    historyAgeMs: config.history.maxDays * 86_400_000,
  }
  return await dataCommand({
    action: command.words[0],
    places: keptPlaces(config),
    yes: isOn(command, '--yes'),
    json: isOn(command, '--json'),
    historyOf: async ({ data: dataDir }) => {
      const { memoryStorage } = await import('./storage/memory.ts')
      const options = { storage: memoryStorage({}), rules: createRules({}), dataDir, onChange: () => {} }
      return (await openEditor({ ...options, ...bounds, readOnly: true })).history
    },
  })
}

/** Of the vaults that are named, else of all that something is kept of, whose names are not known. */
function keptPlaces(config: Config): KeptPlaces[] {
  if (config.vaults.length > 0) {
    return config.vaults.map((source) => ({
      vault: placeOf(source),
      ...vaultFolders(config, placeOf(source)),
    }))
  }
  const roots = [join(config.dataDir, 'vaults'), join(config.cacheDir, 'vaults')] as const
  const keys = new Set(roots.flatMap((root) => (existsSync(root) ? readdirSync(root) : [])))
  return [...keys]
    .sort()
    .map((key) => ({ vault: key, data: join(roots[0], key), cache: join(roots[1], key) }))
}

async function completions({ command }: Terminal): Promise<string> {
  const { completionsFor } = await import('./cli/completions.ts')
  return completionsFor(
    command.words[0],
    helpOptions().map(({ flag }) => flag),
  )
}

function isOn({ flags }: LoadedConfig['command'], flag: string): boolean {
  return flags.get(flag) === true
}
