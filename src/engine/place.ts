import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'

/** What the place of the sockets depends on. */
export interface PlaceOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Null on Windows, whose pipes have names in no folder. */
  readonly uid?: number | null
  /** The system's folder for temporary files. */
  readonly tmp?: string
}

/** Linux takes 107 bytes, macOS 103. */
const LONGEST_SOCKET_PATH = 103
/** `/`, 24 hex digits, a letter and `.sock`. */
const LONGEST_NAME = 31

/**
 * The folder of this user's sockets: made where it is missing, mode 0700. Below the system's folder for running
 * programs where there is one that is ours alone, else below the folder for temporary files.
 * @returns null where no folder can be trusted: it belongs to somebody else, others may enter it, or its path is too long
 */
export function socketFolder({
  env,
  uid = process.getuid?.() ?? null,
  tmp = tmpdir(),
}: PlaceOptions): string | null {
  const runtime = env.XDG_RUNTIME_DIR
  const candidates = [
    ...(runtime !== undefined && isAbsolute(runtime) && isOurs(runtime, uid) ? [join(runtime, 'knap')] : []),
    join(tmp, `knap-${uid ?? 'user'}`),
  ]
  return candidates.find((folder) => made(folder, uid)) ?? null
}

/** Where the engine of this name listens. */
export function socketPath(
  folder: string,
  name: string,
  platform: NodeJS.Platform = process.platform,
): string {
  if (platform !== 'win32') return join(folder, `${name}.sock`)
  return `\\\\.\\pipe\\knap-${folder.replace(/[^a-z0-9]/gi, '-').slice(-80)}-${name}`
}

/** The engine that a start with these inputs has found the last time, if any. A hint: the engine itself decides. */
export function readHint(folder: string, hint: string): string | null {
  try {
    const name = readFileSync(join(folder, `${hint}.hint`), 'utf8')
    return /^[0-9a-f]{24}$/.test(name) ? name : null
  } catch {
    return null
  }
}

export function writeHint(folder: string, hint: string, key: string): void {
  try {
    if (readHint(folder, hint) === key) return
    const file = join(folder, `${hint}.hint`)
    const fresh = `${file}-${process.pid}`
    writeFileSync(fresh, key, { mode: 0o600 })
    renameSync(fresh, file)
  } catch {
    // The next start takes the longer way.
  }
}

/** Hints of an engine that has ended lead nowhere. */
export function removeHints(folder: string, key: string): void {
  for (const [file, leadsTo] of hintsIn(folder)) if (leadsTo === key) unlinkQuietly(file)
}

/** Removes sockets and hints of killed engines. @param isTaken does a process hold this name? */
export function removeLeftBehind(folder: string, isTaken: (name: string) => boolean): void {
  for (const name of namesIn(folder)) {
    if (name.endsWith('.sock') && !isTaken(name.slice(0, -'.sock'.length))) unlinkQuietly(join(folder, name))
  }
  for (const [file, key] of hintsIn(folder)) {
    if (!isTaken(key) && !isTaken(key + LASTING)) unlinkQuietly(file)
  }
}

/** What is put behind the name of an engine that stays when its clients go; such a one is asked first. */
export const LASTING = 's'

function hintsIn(folder: string): (readonly [file: string, key: string])[] {
  return namesIn(folder)
    .filter((name) => name.endsWith('.hint'))
    .map((name) => [join(folder, name), readHint(folder, name.slice(0, -'.hint'.length)) ?? ''] as const)
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function unlinkQuietly(file: string): void {
  try {
    unlinkSync(file)
  } catch {
    // Somebody else was faster.
  }
}

function made(folder: string, uid: number | null): boolean {
  if (Buffer.byteLength(folder) + LONGEST_NAME > LONGEST_SOCKET_PATH) return false
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false
  }
  return isOurs(folder, uid) && staysOurs(dirname(folder), uid)
}

/** A folder, no link to one, of this user, that nobody else may enter. */
function isOurs(folder: string, uid: number | null): boolean {
  try {
    const found = lstatSync(folder)
    return found.isDirectory() && (uid === null || (found.uid === uid && (found.mode & 0o077) === 0))
  } catch {
    return false
  }
}

const STICKY = 0o1000

/** Can nobody else put another folder in the place of ours? */
function staysOurs(parent: string, uid: number | null): boolean {
  if (uid === null) return true
  const { uid: owner, mode } = statSync(parent)
  return (owner === uid || owner === 0) && ((mode & 0o022) === 0 || (mode & STICKY) !== 0)
}
