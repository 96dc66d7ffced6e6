import { mkdir, open, rename, stat, unlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { errnoOf } from '../storage/disk.ts'
import type { SystemTrash } from './trash.ts'

const MOST_NAMES = 1000

/**
 * The home trash of freedesktop systems, for a vault on the same file system.
 * @param root absolute real folder of the vault
 * @param trash absolute folder of the trash (`$XDG_DATA_HOME/Trash`)
 * @see The FreeDesktop.org Trash specification 1.0
 */
function freedesktopTrash({ root, trash }: { root: string; trash: string }): SystemTrash {
  return {
    put: async (path) => {
      try {
        return await moveThere(join(root, path), trash)
      } catch {
        // Whatever is wrong with that trash, the vault's own one serves.
        return false
      }
    },
  }
}

/** The trash that this system has for a vault's folder, or null where there is none that we know to use. */
export function systemTrashFor(
  root: string,
  { platform, home, dataHome }: { platform: string; home: string; dataHome: string | undefined },
): SystemTrash | null {
  if (platform !== 'linux' || home === '') return null
  return freedesktopTrash({ root, trash: join(dataHome || join(home, '.local', 'share'), 'Trash') })
}

async function moveThere(source: string, trash: string): Promise<boolean> {
  for (const folder of ['files', 'info']) await mkdir(join(trash, folder), { recursive: true, mode: 0o700 })
  if ((await stat(join(trash, 'files'))).dev !== (await stat(join(source, '..'))).dev) return false
  const { name, info } = await reserve(source, trash)
  try {
    await rename(source, join(trash, 'files', name))
    return true
  } catch (error) {
    await unlink(info).catch(() => {})
    throw error
  }
}

/** The information file is made first and exclusively: whoever makes it has the name. */
async function reserve(source: string, trash: string): Promise<{ name: string; info: string }> {
  const date = localTime(new Date())
  const text = `[Trash Info]\nPath=${source.split('/').map(encodeURIComponent).join('/')}\nDeletionDate=${date}\n`
  for (let n = 1; n <= MOST_NAMES; n++) {
    const name = n === 1 ? basename(source) : `${basename(source)}.${n}`
    const info = join(trash, 'info', `${name}.trashinfo`)
    try {
      const handle = await open(info, 'wx', 0o600)
      try {
        await handle.writeFile(text)
      } finally {
        await handle.close()
      }
      return { name, info }
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error
    }
  }
  throw new Error('No free name in the trash.')
}

/** `2026-01-31T09:05:00`, in the zone of this machine as the specification wants it. */
function localTime(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}
