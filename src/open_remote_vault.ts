import { readFileSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'
import { vaultFolders } from './config/places.ts'
import type { VaultSource } from './config/vaults.ts'
import type { Config } from './config.ts'
import { VaultError } from './errors.ts'
import { log } from './logger.ts'
import type { CommonOptions } from './open_vault.ts'
import { readOnlyStorage } from './storage/read_only.ts'
import { openSftpStorage } from './storage/sftp/open.ts'
import type { Machine } from './storage/sftp/ssh_config.ts'
import { openRemoteRules } from './vault/remote_rules.ts'
import { Vault } from './vault/vault.ts'

/**
 * Opens a vault behind SSH. What was known of it the last time is answered from at once, connected or not; the first
 * start waits for the server, so that a wrong address or an unknown key is seen where it was given.
 * @throws VaultError that says what was tried
 */
export async function openRemoteVault(
  source: VaultSource & { kind: 'sftp' },
  config: Config,
  common: CommonOptions,
): Promise<Vault> {
  const { sftp } = config
  const remote = openSftpStorage(source.uri, {
    timeoutMs: sftp.timeoutSecs * 1000,
    fingerprint: sftp.fingerprint,
    knownHosts: sftp.knownHosts === null ? [] : [sftp.knownHosts],
    configFile: sftp.sshConfig ?? join(homedir(), '.ssh', 'config'),
    keyFile: sftp.keyFile,
    passphrase: sftp.passphrase,
    password: sftp.password,
    machine: thisMachine(),
  })
  const { data, cache } = vaultFolders(config, remote.id)
  try {
    const { rules, patterns, storage } = await openRemoteRules(remote, data, {
      exclude: config.excludePaths,
      allow: config.allowPaths,
      deny: config.denyPaths,
      write: config.writePaths,
    })
    return await Vault.open({
      name: source.name,
      storage: config.readOnly ? readOnlyStorage(storage) : storage,
      root: null,
      rules,
      excludePatterns: patterns,
      dataDir: data,
      cacheDir: cache,
      ...common,
      poll: {
        everyMs: config.watch ? sftp.pollIntervalSecs * 1000 : null,
        verifyEveryMs: config.watch ? sftp.verifyIntervalSecs * 1000 : null,
      },
    })
  } catch (error) {
    await remote.close()
    if (!(error instanceof VaultError)) throw error
    const { code, message, hint, cause } = error
    log.debug(`opening ${source.uri} failed`, cause)
    throw new VaultError(code, `The vault ${source.uri} cannot be opened: ${message}`, { hint, cause })
  }
}

function thisMachine(): Machine {
  return {
    home: homedir(),
    userName: nameOfUser(),
    agent: process.env.SSH_AUTH_SOCK || null,
    readFile: (path) => {
      try {
        return readFileSync(path, 'utf8')
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        if (code === 'ENOENT' || code === 'ENOTDIR') return null
        throw error
      }
    },
  }
}

/** Bun itself only knows what the environment says ("unknown" where it says nothing, as under a service manager). */
function nameOfUser(): string {
  const { USER, LOGNAME, USERNAME } = process.env
  return USER || LOGNAME || USERNAME || nameInPasswd() || userInfo().username
}

function nameInPasswd(): string | undefined {
  try {
    const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
    const uid = String(process.getuid?.())
    return lines.map((line) => line.split(':')).find((fields) => fields[2] === uid)?.[0]
  } catch {
    return undefined
  }
}
