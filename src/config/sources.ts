import { distance } from 'fastest-levenshtein'
import { yamlLibrary } from '../note/yaml_library.ts'
import { didYouMean, nearest } from '../text/nearest.ts'
import { ConfigError, shown } from './error.ts'
import { IGNORED_VARIABLES } from './peer.ts'
import { SETTINGS } from './schema.ts'
import { unquoted } from './vaults.ts'

/** Where the value of a setting comes from. */
export interface Origin {
  readonly kind: 'argument' | 'flag' | 'environment' | 'env_file' | 'file' | 'derived' | 'default'
  /** How messages name it: `--port`, `OBSIDIAN_HTTP_PORT`, `http.port in /home/a/.config/knap/knap.yaml`. */
  readonly name: string
}

export interface Given {
  readonly raw: unknown
  readonly origin: Origin
  /** Absolute folder that a relative path in it starts from. */
  readonly base: string
}

/** What one source gives, by the `fileKey` of the setting (variables: by name). */
export type GivenValues = ReadonlyMap<string, Given>

const OURS: readonly string[] = [...new Set(SETTINGS.flatMap((setting) => setting.env))]

/** Access rules of another server's memory mode, which nothing here would keep. */
const FOREIGN_RULES = /^OBSIDIAN_MEMORY_/

/**
 * The variables that mean something here. Those that are empty or hold a placeholder that nobody filled in count as
 * not set, with a warning.
 * @throws ConfigError for a name within two letters of one of ours, and for access rules that would not be kept
 */
export function variablesFrom(
  env: Readonly<Record<string, string | undefined>>,
  {
    kind,
    file,
    base,
    warn,
  }: { kind: 'environment' | 'env_file'; file?: string; base: string; warn: (text: string) => void },
): GivenValues {
  const out = new Map<string, Given>()
  const where = file === undefined ? '' : ` in ${file}`
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || IGNORED_VARIABLES.has(name)) continue
    const ours = OURS.includes(name)
    if (!ours && !name.startsWith('OBSIDIAN_')) continue
    const raw = usable(value, `${name}${where}`, ours ? warn : () => {})
    if (raw === undefined) continue
    if (ours) out.set(name, { raw, origin: { kind, name: `${name}${where}` }, base })
    else checkForeign(name, where, warn)
  }
  return out
}

function checkForeign(name: string, where: string, warn: (text: string) => void): void {
  if (FOREIGN_RULES.test(name)) {
    throw new ConfigError(
      `${name}${where} is set: it stands for access rules that this server does not have. Unset it, and use OBSIDIAN_ALLOW_PATHS, OBSIDIAN_DENY_PATHS, OBSIDIAN_WRITE_PATHS or OBSIDIAN_READ_ONLY.`,
    )
  }
  // Other programs have variables of this prefix too: only a slip of the keyboard stops the start.
  const slips = [...OURS, ...IGNORED_VARIABLES].filter((known) => distance(name, known) <= 2)
  if (slips.length > 0)
    throw new ConfigError(`${name}${where} is no setting.${didYouMean(nearest(name, slips, 1))}`)
  warn(`${name}${where} is not a setting of this server; it is ignored.`)
}

/** Text of a flag or variable without blanks and quotes around; undefined where it is as good as not set. */
export function usable(raw: string, name: string, warn: (text: string) => void): string | undefined {
  const value = unquoted(raw)
  if (value === '') {
    warn(`${name} is empty; it counts as not set.`)
    return undefined
  }
  if (/\$\{[^}]*\}|^\$[A-Z_][A-Z0-9_]*$|^%[A-Z_][A-Z0-9_]*%$/i.test(value)) {
    warn(`${name} holds ${shown(value)}, a placeholder that nothing filled in; it counts as not set.`)
    return undefined
  }
  return value
}

/**
 * The values of a `knap.yaml`.
 * @throws ConfigError for text that is no YAML mapping, and for an unknown key, naming the nearest known one
 */
export function valuesFrom(
  yaml: string,
  file: string,
  folder: string,
  warn: (text: string) => void,
): GivenValues {
  const out = new Map<string, Given>()
  const give = (fileKey: string, written: string, raw: unknown) => {
    const name = `${written} in ${file}`
    const value = typeof raw === 'string' ? usable(raw, name, warn) : raw
    if (value === null || value === undefined) return
    if (out.has(fileKey))
      throw new ConfigError(`${name}: the same setting stands there twice (vault and vaults)`)
    out.set(fileKey, { raw: value, origin: { kind: 'file', name }, base: folder })
  }
  readGroup(parsedMapping(yaml, file), '', give, file)
  return out
}

function parsedMapping(yaml: string, file: string): Record<string, unknown> {
  let parsed: unknown
  try {
    parsed = yamlLibrary().parse(yaml, { prettyErrors: true, maxAliasCount: 10, logLevel: 'error' })
  } catch (error) {
    throw new ConfigError(
      `${file}: ${String((error as Error).message)
        .split('\n')[0]
        ?.replace(/:$/, '')}`,
    )
  }
  if (parsed === null || parsed === undefined) return {}
  if (typeof parsed === 'object' && !Array.isArray(parsed)) return parsed as Record<string, unknown>
  throw new ConfigError(`${file} holds ${shown(parsed)}; it takes a mapping such as "vault: ~/Notes"`)
}

const GROUPS = new Set(
  SETTINGS.filter((s) => s.keys.length > 1).map((s) => s.fileKey.split('.')[0] as string),
)

function readGroup(
  values: Record<string, unknown>,
  above: string,
  give: (fileKey: string, written: string, raw: unknown) => void,
  file: string,
): void {
  for (const [key, raw] of Object.entries(values)) {
    const written = above === '' ? key : `${above}.${key}`
    const fileKey = written === 'vault' ? 'vaults' : written
    if (SETTINGS.some((setting) => setting.fileKey === fileKey)) {
      give(fileKey, written, raw)
    } else if (above === '' && GROUPS.has(key) && (raw === null || isMapping(raw))) {
      readGroup((raw ?? {}) as Record<string, unknown>, key, give, file)
    } else {
      throw unknownKey(written, raw, file)
    }
  }
}

function unknownKey(written: string, raw: unknown, file: string): ConfigError {
  if (GROUPS.has(written))
    return new ConfigError(`${written} in ${file}: ${shown(raw)} is not right; it takes a mapping`)
  return new ConfigError(`${written} in ${file} is no setting.${didYouMean(nearestKey(written))}`)
}

/** The key that a wrong one most likely means, which may be the name of its variable or flag, or lack its group. */
function nearestKey(written: string): string[] {
  const near = nearest(written, ['vault', ...SETTINGS.map((setting) => setting.fileKey)], 1)
  if (near.length > 0) return near
  const others = new Map<string, string>()
  for (const { fileKey, env, flag, keys } of SETTINGS) {
    const last = fileKey.slice(fileKey.lastIndexOf('.') + 1)
    for (const name of [...env, flag?.slice(2), ...(keys.length > 1 ? [last] : [])])
      if (name !== undefined && !others.has(name)) others.set(name, fileKey)
  }
  return nearest(written, others.keys(), 1).map((name) => others.get(name) as string)
}

function isMapping(raw: unknown): boolean {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw)
}
