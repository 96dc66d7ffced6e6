import { VaultError } from '../../errors.ts'

/** Where a remote vault lies, as it was written. */
export interface SftpAddress {
  readonly user: string | null
  /** A name, an alias of the user's SSH settings, or an IP address (IPv6 without brackets). */
  readonly host: string
  readonly port: number | null
  /** Absolute folder on the server, without a slash at the end. */
  readonly folder: string
}

/** Reads `sftp://[user@]host[:port]/absolute/path`. @throws VaultError `bad_argument` */
export function readAddress(uri: string): SftpAddress {
  const url = URL.canParse(uri) ? new URL(uri) : null
  const host = decode(url?.hostname ?? '')?.replace(/^\[(.*)\]$/, '$1')
  const folder = decode(url?.pathname ?? '')?.replace(/\/+$/, '')
  const user = decode(url?.username ?? '')
  if (url?.protocol !== 'sftp:' || !host || folder === undefined || user === undefined) throw wrong(uri)
  if (host.startsWith('-') || user.startsWith('-') || folder.includes('\0')) throw wrong(uri)
  return {
    user: user === '' ? null : user,
    host,
    port: url.port === '' ? null : Number(url.port),
    folder: folder === '' ? '/' : folder,
  }
}

/** The address in one spelling: what a vault's own folders are found by. */
export function addressText({
  user,
  host,
  port,
  folder,
}: SftpAddress & { user: string; port: number }): string {
  const name = host.includes(':') ? `[${host}]` : host
  return `sftp://${encodeURIComponent(user)}@${name}:${port}${encodeURI(folder)}`
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function wrong(uri: string): VaultError {
  return new VaultError('bad_argument', `${JSON.stringify(uri)} is no address of a remote vault.`, {
    hint: 'Write sftp://[user@]host[:port]/absolute/path.',
  })
}
