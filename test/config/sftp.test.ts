import { expect, test } from 'bun:test'
import { load } from './load.ts'

const VAULT = { OBSIDIAN_VAULT_PATH: 'sftp://me@box/srv/notes' }
const FILES = { '/secrets/p': 'correct horse\n', '/secrets/empty': '\n' }

test('a password comes from a file, is never shown, and is kept out of the log', () => {
  const env = { ...VAULT, OBSIDIAN_SFTP_PASSWORD_FILE: '/secrets/p' }
  const { config, inForce, secrets } = load({ env, files: FILES })
  expect(config.sftp.password).toBe('correct horse')
  expect(secrets).toContain('correct horse')
  expect(JSON.stringify(inForce)).not.toContain('correct horse')
})

test.each(['PASSWORD', 'PASSPHRASE'])(
  'a %s has no flag, which every user of the machine could read',
  (name) => {
    expect(() => load({ argv: [`--sftp-${name.toLowerCase()}=x`], env: VAULT })).toThrow(/--sftp-/)
  },
)

const WRONG = [
  {
    env: { OBSIDIAN_SFTP_PASSWORD: 'x', OBSIDIAN_SFTP_PASSWORD_FILE: '/secrets/p' },
    says: /OBSIDIAN_SFTP_PASSWORD_FILE and OBSIDIAN_SFTP_PASSWORD both give the password/,
  },
  { env: { OBSIDIAN_SFTP_PASSPHRASE_FILE: '/secrets/empty' }, says: /is empty; .*the passphrase/ },
  { env: { OBSIDIAN_SFTP_PASSPHRASE_FILE: '/secrets/none' }, says: /\/secrets\/none is not there/ },
]
test.each(WRONG)('$says', ({ env, says }) => {
  expect(() => load({ env: { ...VAULT, ...env }, files: FILES })).toThrow(says)
})
