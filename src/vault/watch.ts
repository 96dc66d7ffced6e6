import { relative } from 'node:path'
import { log } from '../logger.ts'
import type { VaultPath } from '../note/path.ts'

export interface FolderWatcher {
  /** What hinders watching, in words for a person, or null. */
  readonly trouble: string | null
  close(): Promise<void>
}

export interface WatchOptions {
  readonly root: string
  /** False: the folder is not entered. */
  readonly enter: (folder: VaultPath) => boolean
  /** Something happened in these folders; `deep` ones are new or gone as a whole. A hint, never a fact. */
  readonly onHint: (folders: ReadonlySet<VaultPath>, deep: ReadonlySet<VaultPath>) => void
}

/** Hints that come within this time (ms) are one; editors save in bursts of rename and write. */
const QUIET_MS = 25
/** A steady stream of events is still answered after this time (ms). */
const LONGEST_WAIT_MS = 250

/**
 * Watches the folders of a vault, not its files (a watch a file costs 40 MB on 6,000 notes): every event is a hint
 * that a folder is to be listed again.
 */
export async function watchFolders({ root, enter, onHint }: WatchOptions): Promise<FolderWatcher> {
  const { watch } = await import('chokidar')
  const state: { trouble: string | null } = { trouble: null }
  let folders = new Set<VaultPath>()
  let deep = new Set<VaultPath>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let firstAt = 0

  const flush = () => {
    timer = undefined
    const hinted = folders
    const whole = deep
    folders = new Set()
    deep = new Set()
    onHint(hinted, whole)
  }
  const hint = (absolute: string, whole: boolean) => {
    const folder = vaultPath(root, absolute)
    if (folder === null) return
    ;(whole ? deep : folders).add(folder)
    const now = performance.now()
    if (timer === undefined) firstAt = now
    else if (now - firstAt > LONGEST_WAIT_MS) return
    clearTimeout(timer)
    timer = setTimeout(flush, QUIET_MS)
  }
  const watcher = watch(root, {
    ignoreInitial: true,
    persistent: true,
    followSymlinks: false,
    atomic: false,
    ignored: (path, stats) => {
      if (stats?.isFile()) return true
      const folder = vaultPath(root, path)
      return folder === null || (folder !== '' && !enter(folder))
    },
  })
  watcher.on('raw', (_event, _path, details) => {
    const watched = (details as { watchedPath?: string }).watchedPath
    if (watched !== undefined) hint(watched, false)
  })
  watcher.on('addDir', (path) => hint(path, true))
  watcher.on('unlinkDir', (path) => hint(path, true))
  watcher.on('error', (error) => {
    const words = troubleOf(error)
    if (state.trouble === null) log.warn(`watching the vault: ${words}`)
    state.trouble = words
  })
  await new Promise<void>((resolve) => watcher.once('ready', () => resolve()))
  return {
    get trouble() {
      return state.trouble
    },
    close: async () => {
      clearTimeout(timer)
      await watcher.close()
    },
  }
}

function vaultPath(root: string, absolute: string): VaultPath | null {
  const path = relative(root, absolute).replaceAll('\\', '/')
  return path.startsWith('..') ? null : path
}

function troubleOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'ENOSPC')
    return 'the limit of watched folders is reached (raise fs.inotify.max_user_watches); changes are found by scanning'
  if (code === 'EMFILE')
    return 'the limit of open files is reached (raise ulimit -n or fs.inotify.max_user_instances); changes are found by scanning'
  return `${code ?? 'an error'}; changes are found by scanning`
}
