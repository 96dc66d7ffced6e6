import { shown } from './error.ts'
import { absolutePath, type Machine, pathsOf } from './places.ts'

/** A vault to serve: a folder of this machine (absolute path), or one behind SSH. */
export type VaultSource =
  | { readonly name: string; readonly kind: 'local'; readonly path: string }
  | { readonly name: string; readonly kind: 'sftp'; readonly uri: string }

/** What a vault setting takes, for messages. */
export const VAULT_RIGHT =
  'the path of a folder, an sftp://[user@]host[:port]/absolute/path address, or name=path for several'

/**
 * The vaults that a setting names: one path or address, `name=path` (several in a list), or a mapping of names.
 * @param base absolute path that relative ones start from
 * @throws Error whose message says what is wrong, to be put behind the setting's name
 */
export function readVaults(raw: unknown, base: string, machine: Machine): VaultSource[] {
  const named = namedTargets(raw)
  const several = named.length > 1
  const vaults = named.map(({ name, target }) => {
    if (several && name === null)
      throw new Error(`${shown(target)} has no name; several vaults are given as name=path`)
    return sourceOf(name, target, base, machine)
  })
  refuseTwins(vaults)
  return vaults
}

interface NamedTarget {
  readonly name: string | null
  readonly target: string
}

function namedTargets(raw: unknown): NamedTarget[] {
  if (typeof raw === 'string') return [splitName(raw)]
  if (Array.isArray(raw)) return raw.flatMap(namedTargets)
  if (typeof raw !== 'object' || raw === null)
    throw new Error(`${shown(raw)} is not right; it takes ${VAULT_RIGHT}`)
  const entry = raw as Record<string, unknown>
  if (typeof entry.name === 'string' && typeof entry.path === 'string' && Object.keys(entry).length === 2) {
    return [{ name: entry.name === '' ? null : entry.name, target: entry.path }]
  }
  return Object.entries(entry).map(([name, target]) => {
    if (typeof target !== 'string') throw new Error(`${name}: ${shown(target)} is not right; it takes a path`)
    return { name, target }
  })
}

/** `work=/notes` names a vault; `/odd/a=b` is a path, since a name holds no slash. */
function splitName(raw: string): NamedTarget {
  const match = /^([^=/\\:~]+)=(.+)$/s.exec(raw)
  return match ? { name: match[1] as string, target: match[2] as string } : { name: null, target: raw }
}

const NAME = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N} _.-]{0,62}[\p{L}\p{M}\p{N}])?$/u

function sourceOf(name: string | null, target: string, base: string, machine: Machine): VaultSource {
  const cleanName = name?.trim().normalize('NFC') ?? null
  if (cleanName !== null && !NAME.test(cleanName)) {
    throw new Error(
      `${shown(cleanName)} is no name for a vault; use letters, digits, blanks, "_", "." and "-"`,
    )
  }
  const cleanTarget = unquoted(target)
  if (cleanTarget === '') throw new Error(`${shown(target)} names no folder; it takes ${VAULT_RIGHT}`)
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(cleanTarget)) return remote(cleanName, cleanTarget)
  const path = absolutePath(cleanTarget, base, machine)
  return { name: cleanName ?? (pathsOf(machine).basename(path) || 'vault'), kind: 'local', path }
}

function remote(name: string | null, target: string): VaultSource {
  const address = URL.canParse(target) ? new URL(target) : undefined
  if (address?.protocol !== 'sftp:' || address.hostname === '') {
    throw new Error(`${shown(target)} is not right; it takes ${VAULT_RIGHT}`)
  }
  if (address.password !== '') {
    throw new Error(
      `${shown(target)} holds a password, which others can see there; leave it out of the address`,
    )
  }
  if (address.search !== '' || address.hash !== '') {
    throw new Error(`${shown(target)} has "?" or "#" in it; write them as %3F and %23 in the path`)
  }
  const uri = target.replace(/\/+$/, '') + (/^sftp:\/\/[^/]+\/*$/i.test(target) ? '/' : '')
  const folder = decodeURIComponent(address.pathname.replace(/\/+$/, '').split('/').at(-1) ?? '')
  return { name: name ?? (folder || address.hostname), kind: 'sftp', uri }
}

/** `"/a b"` → `/a b`: quotes that a client's settings carried along. */
export function unquoted(raw: string): string {
  const trimmed = raw.trim()
  const match = /^(["'])(.*)\1$/s.exec(trimmed)
  return match ? (match[2] as string).trim() : trimmed
}

function refuseTwins(vaults: readonly VaultSource[]): void {
  const names = new Set<string>()
  const places = new Set<string>()
  for (const vault of vaults) {
    const name = vault.name.toLowerCase()
    const place = vault.kind === 'local' ? vault.path : vault.uri
    if (names.has(name))
      throw new Error(`two vaults are called ${shown(vault.name)}; each needs a name of its own`)
    if (places.has(place)) throw new Error(`${shown(place)} is given twice; each vault is served once`)
    names.add(name)
    places.add(place)
  }
}
