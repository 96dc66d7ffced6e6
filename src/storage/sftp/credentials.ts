import type { AnyAuthMethod, ParsedKey } from 'ssh2'
import ssh2 from 'ssh2'
import { VaultError } from '../../errors.ts'
import type { HostSettings, Machine } from './ssh_config.ts'

/** What the settings give to log in with. */
export interface Secrets {
  /** A key file that comes before all others; absolute. */
  readonly keyFile: string | null
  readonly passphrase: string | null
  readonly password: string | null
}

export interface Credentials {
  /** Ways to log in, in the order to try. */
  readonly methods: readonly AnyAuthMethod[]
  /** The same in words, without secrets, for messages. */
  readonly tried: readonly string[]
}

/**
 * Agent, key files, password: what is at hand for one host.
 * @throws VaultError `not_configured` where the key file that the settings name cannot be used
 */
export function credentials(
  { user: username, identityFiles, identitiesOnly, agent }: HostSettings,
  { keyFile, passphrase, password }: Secrets,
  machine: Machine,
): Credentials {
  const methods: AnyAuthMethod[] = []
  const tried: string[] = []
  if (keyFile !== null) {
    const key = readKey(keyFile, passphrase, machine)
    if (typeof key === 'string') throw unusable(keyFile, key)
    methods.push({ type: 'publickey', username, key })
    tried.push(`the key ${keyFile}`)
  }
  if (agent !== null && !(identitiesOnly || keyFile !== null)) {
    methods.push({ type: 'agent', username, agent })
    tried.push('the agent')
  }
  for (const file of identityFiles) {
    const key = file === keyFile ? 'named twice' : readKey(file, passphrase, machine)
    if (key === ABSENT || key === 'named twice') continue
    if (typeof key !== 'string') methods.push({ type: 'publickey', username, key })
    tried.push(typeof key === 'string' ? `the key ${file} (${key})` : `the key ${file}`)
  }
  // Keys that need a passphrase which only an agent knows.
  if (agent !== null && identitiesOnly && methods.length === 0) {
    methods.push({ type: 'agent', username, agent })
    tried.push('the agent')
  }
  if (password !== null) {
    methods.push({ type: 'password', username, password })
    methods.push({
      type: 'keyboard-interactive',
      username,
      // Servers that ask for the password in a dialogue ask for one hidden line.
      prompt: (_name, _instructions, _language, prompts, answer) => answer(prompts.map(() => password)),
    })
    tried.push('the password')
  }
  return { methods, tried }
}

const ABSENT = 'not there'

/** @returns the key, or in words why it cannot be used */
function readKey(file: string, passphrase: string | null, machine: Machine): ParsedKey | string {
  let text: string | null
  try {
    text = machine.readFile(file)
  } catch {
    return 'cannot be read'
  }
  if (text === null) return ABSENT
  const parsed = ssh2.utils.parseKey(text, passphrase ?? undefined)
  if (parsed instanceof Error) {
    const locked = /passphrase|encrypted|integrity|bad decrypt/i.test(parsed.message)
    return locked
      ? passphrase === null
        ? 'needs a passphrase'
        : 'has another passphrase'
      : 'is of no kind that is known here'
  }
  const key = Array.isArray(parsed) ? parsed[0] : parsed
  return key?.isPrivateKey() ? key : 'is no private key'
}

function unusable(file: string, why: string): VaultError {
  return new VaultError('not_configured', `The key ${file} ${why}.`, {
    hint: 'OBSIDIAN_SFTP_KEY_FILE takes a private key; OBSIDIAN_SFTP_PASSPHRASE_FILE a file with its passphrase.',
  })
}
