import { createHmac } from 'node:crypto'

/** One line of a `known_hosts` file. @see sshd(8), SSH_KNOWN_HOSTS FILE FORMAT */
export interface KnownHost {
  readonly marker: '@revoked' | '@cert-authority' | null
  /** Names, patterns and hashes, as written. */
  readonly names: readonly string[]
  /** e.g. `ssh-ed25519` */
  readonly type: string
  /** The key in base64. */
  readonly key: string
  /** Where it stands, for messages. */
  readonly file: string
  readonly line: number
}

export type KeyVerdict =
  | { readonly is: 'known' }
  | { readonly is: 'unknown' }
  | { readonly is: 'changed' | 'revoked'; readonly by: KnownHost }

/** Reads the lines of a file; what is no entry is passed over, as OpenSSH does. */
export function parseKnownHosts(text: string, file: string): KnownHost[] {
  const found: KnownHost[] = []
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const words = line.trim().split(/\s+/)
    if (line.trim() === '' || words[0]!.startsWith('#')) continue
    const marker = words[0]!.startsWith('@') ? words.shift()! : null
    const [names, type, key] = words
    if (names === undefined || type === undefined || key === undefined || /^\d+$/.test(type)) continue
    if (marker !== null && marker !== '@revoked' && marker !== '@cert-authority') continue
    found.push({ marker, names: names.split(','), type, key, file, line: index + 1 })
  }
  return found
}

/**
 * What the entries say of a key that a server showed.
 * @param key the key as it is sent, in base64
 */
export function judgeHostKey(
  entries: readonly KnownHost[],
  { host, port, key }: { host: string; port: number; key: string },
): KeyVerdict {
  const name = hostName(host, port)
  const mine = entries.filter((entry) => entry.marker !== '@cert-authority' && isFor(entry, name))
  const revoked = mine.find((entry) => entry.marker === '@revoked' && entry.key === key)
  if (revoked !== undefined) return { is: 'revoked', by: revoked }
  const plain = mine.filter((entry) => entry.marker === null)
  if (plain.some((entry) => entry.key === key)) return { is: 'known' }
  const [other] = plain
  if (other !== undefined) return { is: 'changed', by: other }
  // Known under the plain name, which another port of the same machine may well share.
  const withoutPort = entries.filter((entry) => entry.marker === null && isFor(entry, host.toLowerCase()))
  return { is: withoutPort.some((entry) => entry.key === key) ? 'known' : 'unknown' }
}

/** The kinds of key that are known of a host, so that the server is asked for one of these first. */
export function knownTypes(entries: readonly KnownHost[], host: string, port: number): Set<string> {
  const names = [hostName(host, port), host.toLowerCase()]
  const mine = entries.filter((entry) => entry.marker === null && names.some((name) => isFor(entry, name)))
  return new Set(mine.map(({ type }) => type))
}

/** As a host is named in the file: with its port where that is not 22. */
export function hostName(host: string, port: number): string {
  return port === 22 ? host.toLowerCase() : `[${host.toLowerCase()}]:${port}`
}

function isFor({ names }: KnownHost, name: string): boolean {
  let matches = false
  for (const written of names) {
    const negated = written.startsWith('!')
    const pattern = negated ? written.slice(1) : written
    if (!(pattern.startsWith('|1|') ? isHashOf(pattern, name) : fits(pattern.toLowerCase(), name))) continue
    if (negated) return false
    matches = true
  }
  return matches
}

function isHashOf(hashed: string, name: string): boolean {
  const [, , salt = '', hash = ''] = hashed.split('|')
  return createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest('base64') === hash
}

function fits(pattern: string, name: string): boolean {
  if (!/[*?]/.test(pattern)) return pattern === name
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  return new RegExp(`^${source}$`, 's').test(name)
}
