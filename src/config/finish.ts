import { ConfigError, shown } from './error.ts'
import { defaultCacheFolder, defaultDataFolder, isWithin, type Machine, pathsOf } from './places.ts'
import type { InForce, Resolved } from './resolve.ts'
import { SETTINGS, type Settings } from './schema.ts'
import type { Origin } from './sources.ts'

/** The settings with everything filled in that follows from several of them. */
export interface FinishedSettings
  extends Readonly<Omit<Settings, 'data' | 'locale' | 'timezone' | 'embeddings'>> {
  /** Absolute: history, move journal, locks. */
  readonly dataDir: string
  /** Absolute: index and vectors. */
  readonly cacheDir: string
  readonly locale: string
  readonly timezone: string
  readonly embeddings: Readonly<Omit<Settings['embeddings'], 'provider'>> & {
    readonly provider: 'local' | 'api' | 'hash'
  }
}

export interface FinishOptions {
  readonly machine: Machine
  readonly readFile: (path: string) => string | null
  readonly warn: (text: string) => void
  readonly needsVault: boolean
  /** What `--config` named, absolute. */
  readonly explicitFile: string | null
}

/**
 * Fills in what depends on several settings or on the machine, and checks what only shows between them.
 * @throws ConfigError
 */
export function finish(
  { settings, origins }: Resolved,
  options: FinishOptions,
): { config: FinishedSettings; inForce: InForce[]; secrets: string[] } {
  const { machine, warn } = options
  const found = new Map(origins)
  const derived = (key: string, name: string) => {
    if (found.get(key)?.kind === 'default') found.set(key, { kind: 'derived', name })
  }
  if (options.needsVault && settings.vaults.length === 0 && !isForManuals(settings)) throw noVault()
  const token = tokenOf(settings, found, options.readFile)
  checkAccess(settings, token, found, warn)
  const { data, ...rest } = settings
  const paths = pathsOf(machine)
  if (settings.locale === null) derived('locale', 'LANG')
  if (settings.timezone === null) derived('timezone', 'the system')
  const config: FinishedSettings = {
    ...rest,
    http: { ...settings.http, token },
    dataDir: data === null ? defaultDataFolder(machine) : paths.join(data, 'data'),
    cacheDir: data === null ? defaultCacheFolder(machine) : paths.join(data, 'cache'),
    locale: settings.locale ?? systemLocale(machine.env),
    timezone: settings.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    embeddings: embeddingsOf(settings.embeddings, found, derived, warn),
    sftp: sftpOf(settings.sftp, found, options.readFile),
  }
  checkPlaces(config, data, found, options)
  return { config: deepFreeze(config), inForce: inForceOf(config, found, data), secrets: secretsOf(config) }
}

function noVault(): ConfigError {
  return new ConfigError(
    'no vault is named: give its folder as the argument ("knap ~/Notes") or in OBSIDIAN_VAULT_PATH. "knap --help" says more.',
  )
}

/** A server that offers nothing but manuals needs no vault. */
function isForManuals({ docs, tools }: Settings): boolean {
  return docs.corpora.length > 0 && /^(docs|docs_[a-z]+)(,docs_[a-z]+)*$/i.test(tools.replaceAll(' ', ''))
}

function tokenOf(
  settings: Settings,
  origins: Map<string, Origin>,
  readFile: FinishOptions['readFile'],
): string | null {
  const { token, tokenFile } = settings.http
  const keys = { own: 'http.token', file: 'http.token_file', what: 'the token' }
  return secretOf(token, tokenFile, keys, { origins, readFile })
}

/** A secret that is given itself or as a file. */
function secretOf(
  value: string | null,
  file: string | null,
  { own, file: fileKey, what }: { own: string; file: string; what: string },
  { origins, readFile }: { origins: Map<string, Origin>; readFile: FinishOptions['readFile'] },
): string | null {
  if (file === null) return value
  const origin = origins.get(fileKey) as Origin
  if (value !== null)
    throw new ConfigError(
      `${origin.name} and ${origins.get(own)?.name} both give ${what}; use the one or the other.`,
    )
  const text = fileText(file, origin, readFile).trim()
  if (text === '')
    throw new ConfigError(`${origin.name}: ${file} is empty; it takes a file that holds ${what}.`)
  origins.set(own, origin)
  return text
}

function fileText(file: string, origin: Origin, readFile: FinishOptions['readFile']): string {
  let text: string | null
  try {
    text = readFile(file)
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? (error as Error).message
    throw new ConfigError(`${origin.name}: ${file} cannot be read (${why}).`)
  }
  if (text === null) throw new ConfigError(`${origin.name}: ${file} is not there.`)
  return text
}

/** `127.0.0.0/8`, `::1` and the name that stands for them. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host)
}

function checkAccess(
  settings: Settings,
  token: string | null,
  origins: Map<string, Origin>,
  warn: (text: string) => void,
): void {
  if (token !== null && !/^[\x21-\x7e]+$/.test(token)) {
    throw new ConfigError(
      `${origins.get('http.token')?.name}: the token is not right; it takes visible ASCII characters without blanks.`,
    )
  }
  if (settings.transport !== 'http') return
  const { host, tlsCert, tlsKey, authIssuer } = settings.http
  if ((tlsCert === null) !== (tlsKey === null)) {
    const [given, missing] = tlsCert === null ? ['tls_key', '--tls-cert'] : ['tls_cert', '--tls-key']
    throw new ConfigError(
      `${origins.get(`http.${given}`)?.name} alone is not enough; it takes ${missing} too.`,
    )
  }
  if (authIssuer !== null && token === null) {
    throw new ConfigError(
      `${origins.get('http.auth_issuer')?.name}: clients would be sent for a token that nobody asks for; it takes one in OBSIDIAN_HTTP_TOKEN or OBSIDIAN_HTTP_TOKEN_FILE.`,
    )
  }
  if (token === null && !isLoopback(host)) {
    throw new ConfigError(
      `${origins.get('http.host')?.name}: ${shown(host)} can be reached from other machines, so it takes a token in OBSIDIAN_HTTP_TOKEN or OBSIDIAN_HTTP_TOKEN_FILE.`,
    )
  }
  if (!isLoopback(host) && tlsCert === null) {
    warn(
      `${origins.get('http.host')?.name}: the token and the notes cross the network unencrypted; give --tls-cert and --tls-key, or let a reverse proxy on this machine (Caddy, nginx) speak https and listen on 127.0.0.1.`,
    )
  }
  if (token !== null && token.length < 16)
    warn(`the HTTP token has ${token.length} characters; 32 random ones are hard to guess.`)
}

function embeddingsOf(
  given: Settings['embeddings'],
  origins: Map<string, Origin>,
  derived: (key: string, name: string) => void,
  warn: (text: string) => void,
): FinishedSettings['embeddings'] {
  const provider = given.provider ?? inferredProvider(given, origins)
  if (given.provider === null) derived('embeddings.provider', 'the other embedding settings')
  if (provider === 'api' && given.enabled !== false) {
    if (given.apiModel === null) {
      throw new ConfigError(
        'OBSIDIAN_EMBEDDING_API_MODEL is not set; embeddings by an API need the name of its model.',
      )
    }
    if (given.apiKey === null && new URL(given.apiBase).hostname === 'api.openai.com') {
      throw new ConfigError('OBSIDIAN_EMBEDDING_API_KEY is not set; https://api.openai.com needs one.')
    }
    if (!given.tlsVerify)
      warn(`${origins.get('embeddings.tls_verify')?.name}: the embedding API's certificate is not checked.`)
  }
  return { ...given, provider }
}

/** Notes leave the machine only where its owner asked for that: OPENAI_* alone is often set for other programs. */
function inferredProvider(given: Settings['embeddings'], origins: Map<string, Origin>): 'local' | 'api' {
  const own = ['api_key', 'api_base', 'api_model', 'api_profile'].some((key) => {
    const origin = origins.get(`embeddings.${key}`)
    return origin !== undefined && origin.kind !== 'default' && !origin.name.startsWith('OPENAI_')
  })
  return given.enabled === true && own ? 'api' : 'local'
}

function sftpOf(
  settings: Settings['sftp'],
  origins: Map<string, Origin>,
  readFile: FinishOptions['readFile'],
): Settings['sftp'] {
  const secret = (name: 'password' | 'passphrase') => {
    const keys = { own: `sftp.${name}`, file: `sftp.${name}_file`, what: `the ${name}` }
    return secretOf(settings[name], settings[`${name}File`], keys, { origins, readFile })
  }
  const given = { ...settings, password: secret('password'), passphrase: secret('passphrase') }
  if (given.verifyIntervalSecs >= given.pollIntervalSecs) return given
  const origin = origins.get('sftp.verify_interval_secs') as Origin
  if (origin.kind === 'default') return { ...given, verifyIntervalSecs: given.pollIntervalSecs }
  throw new ConfigError(
    `${origin.name}: ${given.verifyIntervalSecs} is not right; it takes at least the polling interval, ${given.pollIntervalSecs}.`,
  )
}

/** What steers the server may not lie among notes that its clients write. */
function checkPlaces(
  config: FinishedSettings,
  data: string | null,
  origins: Map<string, Origin>,
  options: FinishOptions,
): void {
  for (const vault of config.vaults) {
    if (vault.kind !== 'local') continue
    if (options.explicitFile !== null && amongNotes(options.explicitFile, vault.path, options.machine)) {
      throw new ConfigError(
        `--config: ${options.explicitFile} lies in the vault ${shown(vault.name)}, where clients write; it takes a file outside.`,
      )
    }
    if (data !== null && amongNotes(data, vault.path, options.machine)) {
      throw new ConfigError(
        `${origins.get('data')?.name}: ${data} lies among the notes of ${shown(vault.name)}; it takes a folder outside of the vault.`,
      )
    }
  }
}

/** Dot-folders of a vault are closed to clients. */
function amongNotes(place: string, vault: string, machine: Machine): boolean {
  if (!isWithin(place, vault, machine)) return false
  const below = pathsOf(machine).relative(vault, place).split(/[/\\]/)
  return !below.slice(0, -1).some((segment) => segment.startsWith('.')) && !below.at(-1)?.startsWith('.')
}

/** `LC_ALL=de_DE.UTF-8` → `de-DE`; `C` and `POSIX` are English. */
function systemLocale(env: Machine['env']): string {
  const raw = env.LC_ALL || env.LC_TIME || env.LANG || ''
  const tag = raw.replace(/[.@].*$/, '').replaceAll('_', '-')
  try {
    return /^(|C|POSIX)$/i.test(tag) ? 'en' : (Intl.getCanonicalLocales(tag)[0] ?? 'en')
  } catch {
    return 'en'
  }
}

function secretsOf(config: FinishedSettings): string[] {
  return [config.http.token, config.embeddings.apiKey, config.sftp.password, config.sftp.passphrase].filter(
    (secret) => secret !== null,
  )
}

function inForceOf(
  config: FinishedSettings,
  origins: ReadonlyMap<string, Origin>,
  data: string | null,
): InForce[] {
  return SETTINGS.flatMap((setting) => {
    const origin = origins.get(setting.fileKey) as Origin
    if (setting.fileKey === 'data') {
      const dataOrigin: Origin = data === null ? { kind: 'default', name: 'default' } : origin
      return [
        { key: 'data_dir', value: config.dataDir, origin: dataOrigin },
        { key: 'cache_dir', value: config.cacheDir, origin: dataOrigin },
      ]
    }
    const value = setting.keys.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], config)
    return [{ key: setting.fileKey, value: setting.secret && value !== null ? '***' : value, origin }]
  })
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) deepFreeze(inner)
  }
  return value
}
