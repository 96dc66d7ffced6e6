import { z } from 'zod'
import { text, whole } from './kinds.ts'
import { option } from './option.ts'

const DAY = 86_400

/** Settings of vaults behind SSH. */
export const sftpSettings = z.object({
  timeoutSecs: option(whole(1, DAY), {
    env: ['OBSIDIAN_SFTP_TIMEOUT_SECS'],
    fallback: 30,
    says: 'Seconds that one operation may take, waiting and connecting included.',
  }),
  pollIntervalSecs: option(whole(1, DAY), {
    env: ['OBSIDIAN_SFTP_POLL_INTERVAL_SECS'],
    fallback: 300,
    says: 'Seconds between looks at names, sizes and times.',
  }),
  verifyIntervalSecs: option(whole(1, DAY), {
    env: ['OBSIDIAN_SFTP_VERIFY_INTERVAL_SECS'],
    fallback: 3600,
    says: 'Seconds between comparisons of all contents; at least the polling interval.',
  }),
  fingerprint: option(text.nullable(), {
    env: ['OBSIDIAN_SFTP_FINGERPRINT'],
    fallback: null,
    fallbackSays: '`known_hosts` decides',
    says: "The server's host key, as `SHA256:…`.",
  }),
  knownHosts: option(text.nullable(), {
    env: ['OBSIDIAN_SFTP_KNOWN_HOSTS'],
    form: 'path',
    fallback: null,
    fallbackSays: "`~/.ssh/known_hosts` and the system's",
    says: 'The file of known host keys.',
  }),
  sshConfig: option(text.nullable(), {
    env: ['OBSIDIAN_SFTP_SSH_CONFIG'],
    form: 'path',
    fallback: null,
    fallbackSays: '`~/.ssh/config`',
    says: 'The SSH settings in which the host is looked up.',
  }),
  keyFile: option(text.nullable(), {
    env: ['OBSIDIAN_SFTP_KEY_FILE'],
    form: 'path',
    fallback: null,
    fallbackSays: "the agent's keys, then those in `~/.ssh`",
    says: 'The private key to log in with.',
  }),
  passphrase: option(text.nullable(), {
    env: ['OBSIDIAN_SFTP_PASSPHRASE'],
    flag: null,
    fallback: null,
    secret: true,
    says: 'Passphrase of the private key.',
  }),
  passphraseFile: option(text.nullable(), {
    env: ['OBSIDIAN_SFTP_PASSPHRASE_FILE'],
    form: 'path',
    fallback: null,
    says: 'A file that holds the passphrase.',
  }),
  password: option(text.nullable(), {
    env: ['OBSIDIAN_SFTP_PASSWORD'],
    flag: null,
    fallback: null,
    secret: true,
    says: 'Password to log in with where no key does.',
  }),
  passwordFile: option(text.nullable(), {
    env: ['OBSIDIAN_SFTP_PASSWORD_FILE'],
    form: 'path',
    fallback: null,
    says: 'A file that holds the password.',
  }),
})
