import { homedir } from 'node:os'
import { parseEnv } from 'node:util'
import { mistypedCommand, type SortedArguments, sortArguments } from './cli/arguments.ts'
import { RUN } from './cli/commands.ts'
import { ConfigError } from './config/error.ts'
import { type FinishedSettings, finish } from './config/finish.ts'
import { FLAG_FORMS } from './config/flags.ts'
import { IGNORED_VARIABLES } from './config/peer.ts'
import { absolutePath, configFolder, type Machine, pathsOf } from './config/places.ts'
import { flagValues, type InForce, resolveSettings } from './config/resolve.ts'
import { type Given, type GivenValues, usable, valuesFrom, variablesFrom } from './config/sources.ts'

/** Every setting of a run, checked and frozen. Nothing else reads the environment or the command line. */
export type Config = FinishedSettings

export interface LoadedConfig {
  readonly config: Config
  /** The command with its own flags and the words that name no vault. */
  readonly command: {
    readonly name: string
    readonly words: readonly string[]
    readonly flags: SortedArguments['flags']
  }
  /** Each one line; to be logged. */
  readonly warnings: readonly string[]
  /** Every setting with its origin, secrets masked. */
  readonly inForce: readonly InForce[]
  /** Texts that no log may show. */
  readonly secrets: readonly string[]
  /** Variables of another server that are set and do nothing here. */
  readonly ignored: readonly string[]
  /** The settings file and the `.env` beside it, where they were read from, absolute. */
  readonly files: readonly string[]
}

export interface LoadOptions {
  /** Without the names of the runtime and of the program. */
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** The text of a file by its absolute path, null where there is none. */
  readonly readFile: (path: string) => string | null
  readonly machine?: Partial<Omit<Machine, 'env'>>
}

/**
 * Reads the command line, the environment, `knap.yaml` and the `.env` beside it; the earlier beats the later, and what
 * none sets has its default. The file lies in the system's folder for settings or where `--config` says, never in the
 * working directory or in a vault.
 * @throws ConfigError in one line: where the fault stands, its value, what is right
 */
export function loadConfig({ argv, env, readFile, machine: given }: LoadOptions): LoadedConfig {
  const machine: Machine = { platform: process.platform, home: homedir(), cwd: process.cwd(), ...given, env }
  const warnings: string[] = []
  const warn = (text: string) => warnings.push(text)
  const sorted = sortedOrThrow(argv)
  if (sorted.command.needs === 'nothing') return withoutSettings(sorted, machine)

  const flags = new Map(
    flagValues(new Map([...sorted.settings].filter(([sets]) => sets !== 'config')), machine.cwd, warn),
  )
  const words = takeVault(sorted, flags, machine.cwd, warn)
  const explicit = explicitFile(sorted, machine)
  const found = filesOf(explicit, machine, readFile)
  const folder = pathsOf(machine).dirname(found.file)
  const sources = {
    flags,
    environment: variablesFrom(env, { kind: 'environment', base: machine.cwd, warn }),
    envFile: variablesFrom(found.variables, { kind: 'env_file', file: found.envFile, base: folder, warn }),
    file: found.yaml === null ? new Map<string, Given>() : valuesFrom(found.yaml, found.file, folder, warn),
  }
  const resolved = resolveSettings(sources, machine)
  const { config, inForce, secrets } = finish(resolved, {
    machine,
    readFile,
    warn,
    needsVault: sorted.command.needs === 'vault',
    explicitFile: explicit,
  })
  return {
    config,
    command: { name: sorted.command.name, words, flags: sorted.flags },
    warnings,
    inForce,
    secrets,
    ignored: Object.keys(env).filter((name) => IGNORED_VARIABLES.has(name) && env[name]),
    files: [...(found.yaml === null ? [] : [found.file]), ...(found.hasEnvFile ? [found.envFile] : [])],
  }
}

function sortedOrThrow(argv: readonly string[]): SortedArguments {
  try {
    return sortArguments(argv, FLAG_FORMS)
  } catch (error) {
    throw new ConfigError((error as Error).message)
  }
}

/** Help and version print the same whatever is set, also where it is wrong. */
function withoutSettings(sorted: SortedArguments, machine: Machine): LoadedConfig {
  const nothing: GivenValues = new Map()
  const resolved = resolveSettings(
    { flags: nothing, environment: nothing, envFile: nothing, file: nothing },
    machine,
  )
  const { config, inForce } = finish(resolved, {
    machine,
    readFile: () => null,
    warn: () => {},
    needsVault: false,
    explicitFile: null,
  })
  const command = { name: sorted.command.name, words: sorted.words, flags: sorted.flags }
  return { config, command, warnings: [], inForce, secrets: [], ignored: [], files: [] }
}

/** The one word behind the flags names the vault. @returns the words that are left */
function takeVault(
  sorted: SortedArguments,
  flags: Map<string, Given>,
  base: string,
  warn: (text: string) => void,
): string[] {
  const { ownWords = 0 } = sorted.command
  const own = sorted.words.slice(0, ownWords)
  const [word, ...others] = sorted.words.slice(ownWords)
  if (word === undefined) return own
  if (others.length > 0) {
    const meant = sorted.command.name === RUN ? mistypedCommand(word) : undefined
    if (meant !== undefined)
      throw new ConfigError(`there is no command ${JSON.stringify(word)}. Did you mean "${meant}"?`)
    throw new ConfigError(
      `${JSON.stringify(others[0])} is one word too many; a path with blanks needs quotes, and several vaults are given as --vault name=path.`,
    )
  }
  const named = flags.get('vaults')
  if (named !== undefined) {
    throw new ConfigError(
      `${JSON.stringify(word)} and ${named.origin.name} both name a vault; use the one or the other.`,
    )
  }
  const command = mistypedCommand(word)
  if (command !== undefined)
    warn(`${JSON.stringify(word)} is taken as the path of a vault; the command is called "${command}".`)
  const name = 'the vault argument'
  const path = usable(word, name, warn)
  // One folder, whatever its name holds: `a=b` stays a path here.
  if (path !== undefined)
    flags.set('vaults', { raw: [{ name: '', path }], origin: { kind: 'argument', name }, base })
  return own
}

function explicitFile(sorted: SortedArguments, machine: Machine): string | null {
  const flag = sorted.settings.get('config')
  return flag === undefined ? null : absolutePath(String(flag.value), machine.cwd, machine)
}

interface FoundFiles {
  readonly file: string
  readonly yaml: string | null
  readonly envFile: string
  readonly hasEnvFile: boolean
  readonly variables: Record<string, string | undefined>
}

function filesOf(explicit: string | null, machine: Machine, readFile: LoadOptions['readFile']): FoundFiles {
  const paths = pathsOf(machine)
  const file = explicit ?? paths.join(configFolder(machine), 'knap.yaml')
  const yaml = textOf(file, readFile)
  if (explicit !== null && yaml === null) throw new ConfigError(`--config: ${file} is not there.`)
  const envFile = paths.join(paths.dirname(file), '.env')
  const variables = textOf(envFile, readFile)
  return {
    file,
    yaml,
    envFile,
    hasEnvFile: variables !== null,
    variables: variables === null ? {} : parseEnv(variables),
  }
}

function textOf(file: string, readFile: LoadOptions['readFile']): string | null {
  try {
    return readFile(file)?.replace(/^\ufeff/, '') ?? null
  } catch (error) {
    throw new ConfigError(
      `${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}.`,
    )
  }
}
