import path from 'node:path'

/** What of the machine a configuration depends on. */
export interface Machine {
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
  /** Absolute path of the user's home folder. */
  readonly home: string
  /** Absolute path that relative paths in flags and variables start from. */
  readonly cwd: string
}

/** Path rules of the machine's system (`\` and drive letters on Windows). */
export function pathsOf({ platform }: Pick<Machine, 'platform'>): typeof path.posix {
  return platform === 'win32' ? path.win32 : path.posix
}

/** An absolute path out of what people write: `~`, trailing slashes, relative to `base`. */
export function absolutePath(raw: string, base: string, machine: Pick<Machine, 'platform' | 'home'>): string {
  const paths = pathsOf(machine)
  const expanded = /^~($|[/\\])/.test(raw) ? paths.join(machine.home, raw.slice(1)) : raw
  const full = paths.resolve(base, expanded)
  return full.length > paths.parse(full).root.length ? full.replace(/[/\\]+$/, '') : full
}

/** Is `inner` the folder `outer` or below it? Both absolute; spelling decides, links are not followed. */
export function isWithin(inner: string, outer: string, machine: Pick<Machine, 'platform'>): boolean {
  const relative = pathsOf(machine).relative(outer, inner)
  return relative === '' || (!/^\.\.($|[/\\])/.test(relative) && !pathsOf(machine).isAbsolute(relative))
}

/** Where the system keeps settings: `knap.yaml` and the `.env` beside it. */
export function configFolder(machine: Machine): string {
  return systemFolder(machine, {
    xdg: 'XDG_CONFIG_HOME',
    darwin: ['Library', 'Application Support'],
    win32: ['APPDATA', 'AppData/Roaming'],
    other: ['.config'],
  })
}

/** Where the system keeps data that cannot be made again (history, move journal, locks). */
export function defaultDataFolder(machine: Machine): string {
  const folder = systemFolder(machine, {
    xdg: 'XDG_STATE_HOME',
    darwin: ['Library', 'Application Support'],
    win32: ['LOCALAPPDATA', 'AppData/Local'],
    other: ['.local', 'state'],
  })
  return machine.platform === 'win32' ? pathsOf(machine).join(folder, 'data') : folder
}

/** Where the system keeps what can be made again (index, vectors). */
export function defaultCacheFolder(machine: Machine): string {
  const folder = systemFolder(machine, {
    xdg: 'XDG_CACHE_HOME',
    darwin: ['Library', 'Caches'],
    win32: ['LOCALAPPDATA', 'AppData/Local'],
    other: ['.cache'],
  })
  return machine.platform === 'win32' ? pathsOf(machine).join(folder, 'cache') : folder
}

/** The folders of one vault below the data and the cache folder. */
export interface VaultFolders {
  readonly data: string
  readonly cache: string
}

/**
 * @param identity what the vault is, whoever names it how: its canonical path (links resolved), or its `sftp://` address
 */
export function vaultFolders(
  { dataDir, cacheDir }: { readonly dataDir: string; readonly cacheDir: string },
  identity: string,
): VaultFolders {
  const key = vaultKey(identity)
  return { data: path.join(dataDir, 'vaults', key), cache: path.join(cacheDir, 'vaults', key) }
}

/** 32 lower-case hex digits: the first half of the SHA-256 of the identity's UTF-8. */
function vaultKey(identity: string): string {
  return new Bun.CryptoHasher('sha256').update(identity).digest('hex').slice(0, 32)
}

interface FolderNames {
  readonly xdg: string
  readonly darwin: readonly string[]
  /** The variable, and the path below the home folder where it is not set. */
  readonly win32: readonly [string, string]
  readonly other: readonly string[]
}

function systemFolder(machine: Machine, names: FolderNames): string {
  const paths = pathsOf(machine)
  const asked = machine.env[names.xdg]
  // The XDG rules: a relative path in these variables is invalid and is ignored.
  if (asked !== undefined && paths.isAbsolute(asked)) return paths.join(asked, 'knap')
  if (machine.platform === 'darwin') return paths.join(machine.home, ...names.darwin, 'knap')
  if (machine.platform !== 'win32') return paths.join(machine.home, ...names.other, 'knap')
  const [variable, below] = names.win32
  return paths.join(machine.env[variable] || paths.join(machine.home, below), 'knap')
}
