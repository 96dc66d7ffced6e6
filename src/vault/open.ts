import { VaultError } from '../errors.ts'
import { isNotePath, type VaultPath } from '../note/path.ts'

export interface OpenRequest {
  /** The vault's name in the application: the name of its folder. */
  readonly vault: string
  readonly path: VaultPath
  /** As shown; `A::B` or `A#B` for B under A. */
  readonly heading?: string | undefined
  readonly newLeaf?: boolean | undefined
}

/** The address under which the note application opens a note. @see https://help.obsidian.md/Extending+Obsidian/Obsidian+URI */
export function openUri({ vault, path, heading, newLeaf = false }: OpenRequest): string {
  const file = isNotePath(path) ? path.slice(0, -3) : path
  const fragment = heading === undefined ? '' : `#${heading.split('::').map(asLinkText).join('#')}`
  const pane = newLeaf ? '&paneType=tab' : ''
  return `obsidian://open?vault=${encode(vault)}&file=${encode(file + fragment)}${pane}`
}

/** Links cannot hold these: the application itself puts a blank for them. */
function asLinkText(heading: string): string {
  return heading
    .replace(/^#{1,6}\s+/, '')
    .replace(/[|^[\]]|%%/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

/** All but letters, digits and `-._~`: the address passes through other programs' hands. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** The desktop's program that opens an address, by platform; each takes it as one argument, without a shell. */
const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32.exe', 'url.dll,FileProtocolHandler'],
  linux: ['xdg-open'],
  freebsd: ['xdg-open'],
  openbsd: ['xdg-open'],
}

export interface Opener {
  readonly platform: string
  /** The program's file, or null where there is none. */
  which(program: string): string | null
  /** Starts the program and does not wait for it for longer than it takes to fail; answers its exit code then. */
  start(command: readonly string[]): Promise<number | null>
}

/** @throws VaultError `unavailable` where nothing can open it; the details hold the address */
export async function openInApplication(
  request: OpenRequest,
  opener: Opener = systemOpener,
): Promise<string> {
  const uri = openUri(request)
  const [program, ...args] = OPENERS[opener.platform] ?? []
  const file = program === undefined ? null : opener.which(program)
  if (file === null) throw cannotOpen('There is no desktop here that opens addresses', uri)
  let code: number | null
  try {
    code = await opener.start([file, ...args, uri])
  } catch (cause) {
    throw cannotOpen(`${program} could not be started`, uri, cause)
  }
  if (code !== null && code !== 0) throw cannotOpen(`${program} failed with code ${code}`, uri)
  return uri
}

/** How long a program may take to fail. */
const FAILS_WITHIN_MS = 1500

const systemOpener: Opener = {
  platform: process.platform,
  which: (program) => Bun.which(program),
  async start(command) {
    // The runtime collects the child's exit by itself: none is left behind.
    const child = Bun.spawn([...command], { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' })
    const patience = Promise.withResolvers<null>()
    const timer = setTimeout(() => patience.resolve(null), FAILS_WITHIN_MS)
    const code = await Promise.race([child.exited, patience.promise])
    clearTimeout(timer)
    child.unref()
    return code
  },
}

function cannotOpen(what: string, uri: string, cause?: unknown): VaultError {
  return new VaultError('unavailable', `${what}.`, {
    hint: 'Give the address in the details to the user, who can open it.',
    details: { uri },
    cause,
  })
}
