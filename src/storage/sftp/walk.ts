import { posix } from 'node:path'
import { VaultError } from '../../errors.ts'
import { folderOf, joinPath, type VaultPath } from '../../note/path.ts'
import { type Doing, shown, storageError } from '../failure.ts'
import type { Attrs, Calls } from './calls.ts'
import { isStatus, LostError, STATUS, sftpError } from './failure.ts'

/** What stands at a path. `real`: its vault path with every link followed. */
export interface Seen {
  readonly real: VaultPath
  readonly attrs: Attrs
}

/** The last folder on the way to a name that is not there. */
interface Gap {
  readonly folder: VaultPath
  readonly missing: readonly string[]
}

/** A name on the way; `ofLink`: out of a link's target, so that the link leads nowhere if the name is not there. */
interface Step {
  readonly name: string
  readonly ofLink: boolean
}

type Found =
  | ({ readonly is: 'seen' } & Seen)
  | ({ readonly is: 'gap'; readonly behindLink: boolean } & Gap)
  | { readonly is: 'blocked'; readonly file: VaultPath; readonly behindLink: boolean }

/** Where a name stands or will stand: `folder` is real, the name itself may be a link or absent. */
export interface Place {
  readonly folder: VaultPath
  /** `folder` and the name together, real but for the name itself. */
  readonly path: VaultPath
}

/** Links followed on the way to one name before it counts as a circle. */
const MOST_LINKS = 40

/**
 * Keeps every path of a vault inside its folder. Servers differ in what their REALPATH follows, so each name on the
 * way is looked at by LSTAT (all of them in one go: one round trip) and links are followed here; only what a link
 * leads to outside of the root is asked of the server, and is refused unless it comes back inside.
 */
export class Walk {
  readonly #calls: Calls
  /** Absolute path of the vault's folder on the server. */
  readonly root: string

  constructor(calls: Calls, root: string) {
    this.#calls = calls
    this.root = root
  }

  absolute(path: VaultPath): string {
    return path === '' ? this.root : posix.join(this.root, path)
  }

  /** What stands at `path`, links followed. @throws `not_found`, `outside_vault`, `unavailable` */
  async look(path: VaultPath, doing: Doing): Promise<Seen> {
    const found = await this.#find(path, doing, true)
    if (found.is === 'seen') return found
    if (found.behindLink) throw leadsOut(path)
    throw storageError({ code: 'ENOENT' }, path, doing)
  }

  /** The place of a name whose folder exists, and what stands there (a link itself). */
  async place(path: VaultPath, doing: Doing): Promise<Place & { readonly attrs: Attrs | null }> {
    if (path === '')
      throw new VaultError('is_folder', 'The vault itself is no file.', { hint: 'Name a file in it.' })
    const found = await this.#find(path, doing, false)
    if (found.is === 'seen') return { folder: folderOf(found.real), path: found.real, attrs: found.attrs }
    const [name, ...more] = found.is === 'gap' ? found.missing : []
    if (found.behindLink) throw leadsOut(path)
    if (found.is === 'blocked' || name === undefined || more.length > 0)
      throw storageError({ code: 'ENOENT' }, path, doing)
    return { folder: found.folder, path: joinPath(found.folder, name), attrs: null }
  }

  /**
   * Where something new will stand.
   * @returns the nearest folder that exists, and the names that are missing below it, the last one `path`'s own
   * @throws `outside_vault`, `already_exists` where something stands there or a file is in the way
   */
  async gap(path: VaultPath): Promise<Gap> {
    if (path === '') throw storageError({ code: 'EEXIST' }, path, 'write')
    const found = await this.#find(path, 'write', true)
    if (found.is === 'seen') throw storageError({ code: 'EEXIST' }, path, 'write')
    if (found.behindLink) throw leadsOut(path)
    if (found.is === 'gap') return found
    throw new VaultError('already_exists', `${found.file} is a file, so nothing can be made below it.`, {
      hint: 'Choose another folder.',
    })
  }

  async #find(path: VaultPath, doing: Doing, followLast: boolean): Promise<Found> {
    requirePlain(path)
    try {
      return await this.#follow(path, followLast)
    } catch (error) {
      throw error instanceof LostError ? error : sftpError(error, path, doing)
    }
  }

  async #follow(path: VaultPath, followLast: boolean): Promise<Found> {
    let real: VaultPath = ''
    let pending: Step[] = path === '' ? [] : path.split('/').map((name) => ({ name, ofLink: false }))
    for (let links = 0; links <= MOST_LINKS; ) {
      if (pending[0]?.name === '..') {
        real = folderOf(real)
        pending = pending.slice(1)
        continue
      }
      const up = pending.findIndex(({ name }) => name === '..')
      const run = up < 0 ? pending : pending.slice(0, up)
      const found = await this.#straight(real, run, up >= 0 || followLast)
      if (found.is === 'link') {
        links++
        const led = await this.#leads(found.at, path)
        real = led.real
        pending = [...led.names.map((name) => ({ name, ofLink: true })), ...pending.slice(found.count)]
      } else if (up < 0 || found.is !== 'seen') return found
      else {
        real = found.real
        pending = pending.slice(up)
      }
    }
    throw leadsOut(path)
  }

  /** Looks at all names on the way at once, up to the first link; `count`: with how many names that was reached. */
  async #straight(
    from: VaultPath,
    run: readonly Step[],
    followLast: boolean,
  ): Promise<Found | { readonly is: 'link'; readonly at: VaultPath; readonly count: number }> {
    const paths = [from]
    for (const { name } of run) paths.push(joinPath(paths.at(-1)!, name))
    const looks = await Promise.all(paths.map((at) => this.#lstat(at)))
    for (const [i, { attrs, error }] of looks.entries()) {
      const at = paths[i]!
      const step = run[i - 1]
      const behindLink = step?.ofLink === true
      if (error !== undefined) throw error
      if (attrs === undefined) {
        if (step === undefined) throw rootGone()
        return { is: 'gap', folder: folderOf(at), missing: run.slice(i - 1).map((s) => s.name), behindLink }
      }
      const isLast = i === run.length
      if (attrs.kind === 'link' && (followLast || !isLast)) return { is: 'link', at, count: i }
      if (isLast) return { is: 'seen', real: at, attrs }
      if (attrs.kind !== 'folder') return { is: 'blocked', file: at, behindLink: run[i]!.ofLink }
    }
    throw rootGone()
  }

  /**
   * `attrs` is missing where nothing stands. What lies below a file or a closed folder fails too: only the first
   * failure on the way counts. The vault may be named by a link to its folder: whoever named it meant that folder.
   */
  async #lstat(path: VaultPath): Promise<{ attrs?: Attrs; error?: unknown }> {
    try {
      const absolute = this.absolute(path)
      const attrs = await (path === '' ? this.#calls.stat(absolute) : this.#calls.lstat(absolute))
      return attrs === null ? {} : { attrs }
    } catch (error) {
      return { error }
    }
  }

  /** Where a link leads: names (`..` among them) to go on with from a real folder of the vault. @throws `outside_vault` */
  async #leads(link: VaultPath, path: VaultPath): Promise<{ real: VaultPath; names: string[] }> {
    const target = await this.#calls.readlink(this.absolute(link))
    const folder = folderOf(link)
    if (!target.startsWith('/')) {
      const names = target.split('/').filter((name) => name !== '' && name !== '.')
      if (staysInside(folder, names)) return { real: folder, names }
    }
    const absolute = target.startsWith('/') ? target : `${this.absolute(folder)}/${target}`
    const direct = absolute.includes('..') ? null : this.#inside(absolute)
    if (direct !== null) return { real: '', names: direct }
    try {
      const names = this.#inside(await this.#calls.realpath(absolute))
      if (names !== null && !names.includes('..')) return { real: '', names }
    } catch (error) {
      if (!isStatus(error, STATUS.noSuchFile)) throw error
    }
    throw leadsOut(path)
  }

  /** The names below the root of an absolute path, or null where it lies outside. */
  #inside(absolute: string): string[] | null {
    if (absolute === this.root || absolute === `${this.root}/`) return []
    const above = this.root === '/' ? '/' : `${this.root}/`
    if (!absolute.startsWith(above)) return null
    const names = absolute.slice(above.length).split('/')
    return names.filter((name) => name !== '' && name !== '.')
  }
}

/** Does no `..` on the way climb above the vault's folder? */
function staysInside(folder: VaultPath, names: readonly string[]): boolean {
  let depth = folder === '' ? 0 : folder.split('/').length
  for (const name of names) {
    depth += name === '..' ? -1 : 1
    if (depth < 0) return false
  }
  return true
}

/** @throws VaultError `bad_path` */
function requirePlain(path: VaultPath): void {
  if (path === '') return
  if (path.split('/').some((s) => s === '' || s === '.' || s === '..') || path.includes('\0')) {
    throw new VaultError('bad_path', `${JSON.stringify(path)} is no path inside a vault.`, {
      hint: 'Use a path relative to the vault with / between folders.',
    })
  }
}

function leadsOut(path: VaultPath): VaultError {
  return new VaultError(
    'outside_vault',
    `${shown(path)} is or goes through a link that leads out of the vault or nowhere.`,
    { hint: 'Use the path of a real file in the vault.' },
  )
}

function rootGone(): VaultError {
  return new VaultError('unavailable', 'The folder of the vault cannot be reached.', {
    hint: 'Check that it is there on the server.',
  })
}
