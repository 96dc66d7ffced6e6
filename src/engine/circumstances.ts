import { readlinkSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }

/** What a start is made of: settings are read from it, by the engine as they would be by the process itself. */
export interface Inputs {
  readonly argv: readonly string[]
  /** The variables that settings come from. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** Variables that settings are read from. */
const SETTINGS_VARIABLES =
  /^(OBSIDIAN_|OPENAI_|XDG_|LC_)|^(HOME|USERPROFILE|APPDATA|LOCALAPPDATA|LANG|LANGUAGE|TZ)$/
/** Variables that steer what an engine does beside its settings: proxies, certificates, the desktop that notes open on. */
const STEERING_VARIABLES =
  /^(PATH|HOME|TZ|TMPDIR|DISPLAY|WAYLAND_DISPLAY|DBUS_SESSION_BUS_ADDRESS|SSH_AUTH_SOCK|LD_LIBRARY_PATH|XDG_DATA_HOME)$|^(https?|all|no)_proxy$|^(SSL_CERT|NODE_|BUN_|ORT_|HF_)/i
/** What each connection has for itself. */
const POLICY_VARIABLES = /^OBSIDIAN_(TOOLS|PROFILES|READ_ONLY)$/

export function inputsOf(argv: readonly string[], env: Environment, cwd: string): Inputs {
  return { argv, env: picked(env, SETTINGS_VARIABLES), cwd }
}

/** Names what a start may find a running engine by, before any setting is read: 16 hex digits. */
export function hintOf({ argv, env, cwd }: Inputs): string {
  const rest = Object.entries(env).filter(([name]) => !POLICY_VARIABLES.test(name))
  return Bun.hash(JSON.stringify([buildOf(), argv, rest.sort(), cwd]))
    .toString(16)
    .padStart(16, '0')
}

/**
 * What two processes must have in common, beside equal settings, before one may work for the other: the same build,
 * user, groups, file mode mask, view of the file system, and variables that steer the system's libraries.
 */
export function circumstances(env: Environment): string {
  const { getuid, geteuid, getgid, getegid, getgroups } = process
  return JSON.stringify([
    buildOf(),
    [getuid?.(), geteuid?.(), getgid?.(), getegid?.(), getgroups?.()],
    process.umask(),
    [linkOf('/proc/self/ns/mnt'), linkOf('/proc/self/ns/pid'), linkOf('/proc/self/ns/net')],
    identityOf('/'),
    Object.entries(picked(env, STEERING_VARIABLES)).sort(),
    [linkOf('/etc/localtime'), identityOf('/etc/localtime')],
  ])
}

const ROOMS =
  'main.ts|.|engine|mcp|mcp/tools|docs|vault|storage|search|index|vector|note|text|config|cli|../profiles'

let build: string | undefined

/**
 * The version, and for sources when they were last changed: an engine that runs yesterday's code is not joined by
 * today's. Programs that replace files also touch their folders.
 */
function buildOf(): string {
  build ??= JSON.stringify([packageJson.version, Bun.version, process.execPath, import.meta.dir, ...stamps()])
  return build
}

function stamps(): unknown[] {
  const source = dirname(import.meta.dir)
  return [
    identityOf(process.execPath, true),
    ...ROOMS.split('|').map((room) => identityOf(join(source, room), true)),
  ]
}

/** Which file it is, and for `changes` also in which state; null where there is none. */
export function identityOf(path: string, changes = false): readonly number[] | null {
  try {
    const { dev, ino, mtimeMs, size } = statSync(path)
    return changes ? [dev, ino, mtimeMs, size] : [dev, ino]
  } catch {
    return null
  }
}

function linkOf(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch {
    return null
  }
}

function picked(env: Environment, names: RegExp): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => names.test(entry[0]) && entry[1] !== undefined,
    ),
  )
}
