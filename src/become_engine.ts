import { loadConfig } from './config.ts'
import { Host } from './engine/host.ts'
import { configureLog, log } from './logger.ts'
import { ENGINE_PARTS } from './program.ts'
import { admission } from './shared_engine.ts'
import type { LockFiles } from './vault/lock_files.ts'
import type { Vault } from './vault/vault.ts'

/**
 * Makes this process, which was a client, the engine of its own client and of all that find it.
 * @param claim the name it holds; null: nobody else can join
 * @throws ConfigError, VaultError where the settings or the vault have become unusable
 */
export async function becomeEngine(
  argv: readonly string[],
  claim: { readonly folder: string; readonly name: string; readonly locks: LockFiles } | null,
): Promise<{ host: Host; vaults: Vault[] }> {
  console.log = console.error
  console.info = console.error
  console.debug = console.error
  const host = claim === null ? Host.alone() : await Host.listen(claim.folder, claim.name, claim.locks)
  try {
    const { config, secrets } = loadConfig({ argv, env: process.env, readFile: ENGINE_PARTS.readFile })
    configureLog({ level: config.logLevel, secrets })
    const vaults = await ENGINE_PARTS.openVaults(config)
    log.debug('this process is the engine now')
    host.ready(admission(config, vaults, ENGINE_PARTS))
    return { host, vaults }
  } catch (error) {
    await host.leave()
    throw error
  }
}
