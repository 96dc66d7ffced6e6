import { VaultError } from '../../errors.ts'
import { hostName, judgeHostKey, type KnownHost, knownTypes } from './known_hosts.ts'

/** Whose keys are trusted for one host. */
export interface Trust {
  readonly host: string
  readonly port: number
  /** `SHA256:…`; then nothing else counts. */
  readonly fingerprint: string | null
  readonly known: readonly KnownHost[]
  /** The file that the hint names to add a key to. */
  readonly file: string
}

/**
 * Judges the key that a server shows, before anything secret is sent.
 * @param key as it is sent (RFC 4253, section 6.6)
 * @returns null where it is trusted, else why not
 */
export function judgeKey(trust: Trust, key: Uint8Array): VaultError | null {
  const shown = fingerprintOf(key)
  if (trust.fingerprint !== null) return judgePinned(trust, trust.fingerprint, shown)
  const { host, port } = trust
  const base64 = Buffer.from(key).toString('base64')
  const verdict = judgeHostKey(trust.known, { host, port, key: base64 })
  switch (verdict.is) {
    case 'known':
      return null
    case 'unknown':
      return refusal(
        `The server ${hostName(host, port)} is not known: its key is ${shown} (${typeOf(key)}).`,
        `Compare that with what the server's owner says (there: ssh-keygen -lf /etc/ssh/ssh_host_${plainType(key)}_key.pub). If it is the same, run: echo '${hostName(host, port)} ${typeOf(key)} ${base64}' >> ${trust.file}`,
      )
    case 'changed':
      return refusal(
        `The server ${hostName(host, port)} shows another key than the one that is known: ${shown} (${typeOf(key)}), against line ${verdict.by.line} of ${verdict.by.file}. Somebody may stand in between.`,
        `Nothing was sent. Ask the server's owner; only if the key was changed on purpose, run: ssh-keygen -R '${hostName(host, port)}' -f ${verdict.by.file}`,
      )
    case 'revoked':
      return refusal(
        `The server ${hostName(host, port)} shows a key that is revoked in line ${verdict.by.line} of ${verdict.by.file}: ${shown}.`,
        "Nothing was sent. Ask the server's owner for a new key.",
      )
  }
}

function judgePinned({ host, port }: Trust, pinned: string, shown: string): VaultError | null {
  if (bare(pinned) === bare(shown)) return null
  return refusal(
    `The server ${hostName(host, port)} shows the key ${shown}, and OBSIDIAN_SFTP_FINGERPRINT names another.`,
    "Nothing was sent. Ask the server's owner which is right.",
  )
}

/** The kinds of key to ask a server for, those that are known first; SHA-1 signatures never. */
export function keyTypes({ known, host, port }: Pick<Trust, 'known' | 'host' | 'port'>): string[] {
  const have = knownTypes(known, host, port)
  const isKnown = (type: string) => have.has(type) || (type.startsWith('rsa-') && have.has('ssh-rsa'))
  return [...KEY_TYPES.filter(isKnown), ...KEY_TYPES.filter((type) => !isKnown(type))]
}

const KEY_TYPES = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
]

export function fingerprintOf(key: Uint8Array): string {
  return `SHA256:${new Bun.CryptoHasher('sha256').update(key).digest('base64').replace(/=+$/, '')}`
}

/** A key begins with the name of its kind, its length before it. */
function typeOf(key: Uint8Array): string {
  const bytes = Buffer.from(key)
  return bytes.toString('latin1', 4, 4 + bytes.readUInt32BE(0))
}

function plainType(key: Uint8Array): string {
  return typeOf(key).replace(/^ssh-|-.*$/g, '')
}

function bare(fingerprint: string): string {
  return fingerprint
    .trim()
    .replace(/^SHA256:/i, '')
    .replace(/=+$/, '')
}

function refusal(message: string, hint: string): VaultError {
  return new VaultError('not_configured', message, { hint })
}
