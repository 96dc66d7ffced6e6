import type { FlagValue } from '../cli/arguments.ts'
import { readCorpora, readPlace } from './corpora.ts'
import { ConfigError, shown } from './error.ts'
import { absolutePath, type Machine } from './places.ts'
import { SETTINGS, type Setting, type Settings } from './schema.ts'
import { type Given, type GivenValues, type Origin, usable } from './sources.ts'
import { readVaults } from './vaults.ts'

/** A setting in force, as `knap config` prints it. */
export interface InForce {
  readonly key: string
  /** Plain JSON; secrets are masked. */
  readonly value: unknown
  readonly origin: Origin
}

/** What the sources give, strongest first: flags by `fileKey`, variables by name, the file by `fileKey`. */
export interface Sources {
  readonly flags: GivenValues
  readonly environment: GivenValues
  readonly envFile: GivenValues
  readonly file: GivenValues
}

export interface Resolved {
  readonly settings: Settings
  readonly origins: ReadonlyMap<string, Origin>
}

/** Takes each setting from the strongest source that has it, and checks it. @throws ConfigError */
export function resolveSettings(sources: Sources, machine: Machine): Resolved {
  const origins = new Map<string, Origin>()
  const settings: Record<string, unknown> = {}
  for (const setting of SETTINGS) {
    const given = strongest(setting, sources)
    origins.set(setting.fileKey, given?.origin ?? { kind: 'default', name: 'default' })
    place(settings, setting.keys, given === undefined ? setting.fallback : checked(setting, given, machine))
  }
  return { settings: settings as Settings, origins }
}

/** Flags as values of settings. @param base absolute folder that relative paths in them start from */
export function flagValues(
  flags: ReadonlyMap<string, { readonly value: FlagValue; readonly flag: string }>,
  base: string,
  warn: (text: string) => void,
): GivenValues {
  const out = new Map<string, Given>()
  for (const [fileKey, { value, flag }] of flags) {
    const raw = typeof value === 'string' ? usable(value, flag, warn) : value
    if (raw !== undefined) out.set(fileKey, { raw, origin: { kind: 'flag', name: flag }, base })
  }
  return out
}

function strongest(setting: Setting, { flags, environment, envFile, file }: Sources): Given | undefined {
  const flag = flags.get(setting.fileKey)
  if (flag) return flag
  for (const variables of [environment, envFile]) {
    const name = setting.env.find((candidate) => variables.has(candidate))
    if (name !== undefined) return variables.get(name)
  }
  return file.get(setting.fileKey)
}

function checked(setting: Setting, { raw, origin, base }: Given, machine: Machine): unknown {
  const prepared = prepare(setting, raw, origin, base, machine)
  const result = setting.schema.safeParse(prepared)
  if (result.success) return result.data
  const right = result.error.issues[0]?.message
  const value = setting.secret ? 'its value' : shown(raw)
  throw new ConfigError(`${origin.name}: ${value} is not right; it takes ${right}.`)
}

function prepare(setting: Setting, raw: unknown, origin: Origin, base: string, machine: Machine): unknown {
  if (setting.form === 'path' && typeof raw === 'string') return absolutePath(raw, base, machine)
  if (setting.form === 'vaults' || setting.form === 'corpora' || setting.form === 'place') {
    try {
      if (setting.form === 'vaults') return readVaults(raw, base, machine)
      if (setting.form === 'corpora') return readCorpora(raw, base, machine)
      return typeof raw === 'string' ? readPlace(raw, base, machine) : raw
    } catch (error) {
      const { message } = error as Error
      throw new ConfigError(`${origin.name}: ${message}${/[.?]$/.test(message) ? '' : '.'}`)
    }
  }
  // A flag that may be repeated gives a list whose entries may be lists themselves.
  return Array.isArray(raw) ? raw.flatMap((item) => setting.schema.safeParse(item).data ?? [item]) : raw
}

function place(target: Record<string, unknown>, keys: readonly string[], value: unknown): void {
  const [key, ...rest] = keys as [string, ...string[]]
  if (rest.length === 0) target[key] = value
  else place((target[key] ??= {}) as Record<string, unknown>, rest, value)
}
