import { readFileSync } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { vaultFolders } from './config/places.ts'
import type { VaultSource } from './config/vaults.ts'
import type { Config } from './config.ts'
import { startDocumentation } from './documentation.ts'
import { VaultError } from './errors.ts'
import { semanticOptions } from './semantic_options.ts'
import { openLocalStorage } from './storage/local.ts'
import { readOnlyStorage } from './storage/read_only.ts'
import { type LanguageMask, languageMask } from './text/language.ts'
import { createRules, gitignoreLines, readIgnoreLines } from './vault/rules.ts'
import { systemTrashFor } from './vault/system_trash.ts'
import { Vault } from './vault/vault.ts'

/**
 * Opens a vault as the settings want it: a folder of this machine, or one behind SSH.
 * @throws VaultError that says what was tried
 */
export async function openVault(source: VaultSource, config: Config): Promise<Vault> {
  startDocumentation()
  if (source.kind === 'local') return openLocalVault(source, config)
  const { openRemoteVault } = await import('./open_remote_vault.ts')
  return openRemoteVault(source, config, commonOptions(config))
}

/** What vaults of every kind are opened with. */
function commonOptions(config: Config) {
  return {
    watch: config.watch,
    history: { maxBytes: config.history.maxMb * 1024 * 1024, maxAgeMs: config.history.maxDays * 86_400_000 },
    readOnly: config.readOnly,
    allowHidden: config.allowHidden,
    semantic: semanticOptions(config),
    languages: pinned(config.languages),
    locale: config.locale,
    timezone: config.timezone,
  }
}

/** @param codes as the settings have them; `auto`: none is pinned */
function pinned(codes: readonly string[]): LanguageMask | null {
  return codes.includes('auto') ? null : languageMask(codes)
}

export type CommonOptions = ReturnType<typeof commonOptions>

async function openLocalVault(source: VaultSource & { kind: 'local' }, config: Config): Promise<Vault> {
  const root = await vaultRoot(source.path)
  const local = await openLocalStorage(root)
  const storage = config.readOnly ? readOnlyStorage(local) : local
  const exclude = [...config.excludePaths, ...(await ignoreFile(join(root, '.obsidian-mcp', 'ignore')))]
  const knapignore = readVaultFile(join(root, '.knapignore'))
  const rules = createRules({
    exclude,
    knapignore,
    allow: config.allowPaths,
    deny: config.denyPaths,
    write: config.writePaths,
  })
  const { data, cache } = vaultFolders(config, root)
  return Vault.open({
    name: source.name,
    storage,
    root,
    namedRoot: source.path,
    rules,
    excludePatterns: [...exclude, ...gitignoreLines(knapignore)],
    dataDir: data,
    cacheDir: cache,
    ...commonOptions(config),
    systemTrash: systemTrashFor(root, {
      platform: process.platform,
      home: homedir(),
      dataHome: process.env.XDG_DATA_HOME,
    }),
  })
}

/** The vault's canonical folder. @throws VaultError that names the path that was tried */
async function vaultRoot(path: string): Promise<string> {
  const fault = (code: 'not_found' | 'bad_path' | 'unavailable', what: string) =>
    new VaultError(code, `The vault ${JSON.stringify(path)} ${what}.`, {
      hint: 'Give the folder of an Obsidian vault as the argument or in OBSIDIAN_VAULT_PATH.',
    })
  try {
    const root = await realpath(path)
    if (!(await stat(root)).isDirectory()) throw fault('bad_path', 'is a file, not a folder')
    return root
  } catch (error) {
    if (error instanceof VaultError) throw error
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw fault('not_found', 'does not exist')
    throw fault('unavailable', `cannot be opened (${code ?? 'unknown reason'})`)
  }
}

async function ignoreFile(path: string): Promise<string[]> {
  const text = readVaultFile(path)
  return text === undefined ? [] : readIgnoreLines(text, '.obsidian-mcp/ignore')
}

/** What closes folders must be readable or absent: a server that guessed would show what it was told to hide. */
function readVaultFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new VaultError('unavailable', `The ignore file ${JSON.stringify(path)} cannot be read (${code}).`, {
      hint: 'Make it a readable text file, or remove it.',
    })
  }
}
