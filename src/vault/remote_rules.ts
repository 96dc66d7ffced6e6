import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { VaultError } from '../errors.ts'
import { log } from '../logger.ts'
import type { Storage } from '../storage/storage.ts'
import { replaceFile } from './replace_file.ts'
import { createRules, gitignoreLines, type RuleSources, type Rules, readIgnoreLines } from './rules.ts'

/** The texts of the ignore files in a vault, null where there is none. */
interface IgnoreFiles {
  readonly ignore: string | null
  readonly knapignore: string | null
}

export interface RemoteRules {
  readonly rules: Rules
  /** The patterns in force, for display; changes with them. */
  readonly patterns: string[]
  /** The same files, of which nothing is looked at before the ignore files of today are known. */
  readonly storage: Storage
}

const PATHS = { ignore: '.obsidian-mcp/ignore', knapignore: '.knapignore' } as const
const MOST_BYTES = 1024 * 1024

/**
 * The rules of a remote vault: what its ignore files said the last time, so that a start waits for nobody, and what
 * they say now as soon as anything of the vault itself is asked for.
 * @param dataDir the folder of this vault's own, where the last ones are kept
 * @throws VaultError where they were never read and cannot be read now: a server that guessed would show what it was
 * told to hide
 */
export async function openRemoteRules(
  storage: Storage,
  dataDir: string,
  sources: Pick<RuleSources, 'exclude' | 'allow' | 'deny' | 'write'>,
): Promise<RemoteRules> {
  const file = join(dataDir, 'ignore_files.json')
  const patterns: string[] = []
  let files: IgnoreFiles
  let rules: Rules
  const take = (next: IgnoreFiles) => {
    const exclude = [...(sources.exclude ?? []), ...readIgnoreLines(next.ignore ?? '', PATHS.ignore)]
    rules = createRules({ ...sources, exclude, knapignore: next.knapignore ?? undefined })
    files = next
    patterns.splice(0, patterns.length, ...exclude, ...gitignoreLines(next.knapignore ?? undefined))
  }
  const refresh = async () => {
    const [top, now] = await Promise.all([storage.stat(''), readIgnoreFiles(storage)])
    if (top?.kind !== 'folder') throw noFolder()
    if (files !== undefined && now.ignore === files.ignore && now.knapignore === files.knapignore) return
    take(now)
    await replaceFile(file, [new TextEncoder().encode(JSON.stringify(now))]).catch((error) =>
      log.warn(`the ignore files of the vault could not be remembered: ${error}`),
    )
  }
  let known: Promise<void> | null = null
  const fresh = () => {
    known ??= refresh().catch((error) => {
      known = null
      throw error
    })
    return known
  }
  const last = await lastKnown(file)
  if (last === null) await fresh()
  else take(last)
  return {
    rules: {
      verdict: (path, options) => rules.verdict(path, options),
      mayWrite: (path) => rules.mayWrite(path),
      get hidesSome() {
        return rules.hidesSome
      },
      listsEmpty: (folder) => rules.listsEmpty(folder),
    },
    patterns,
    storage: behind(storage, fresh),
  }
}

function noFolder(): VaultError {
  return new VaultError('bad_path', 'The vault is a file, no folder.', {
    hint: 'Give the folder that holds the notes.',
  })
}

async function lastKnown(file: string): Promise<IgnoreFiles | null> {
  try {
    const { ignore, knapignore } = JSON.parse(await readFile(file, 'utf8')) as IgnoreFiles
    const isText = (text: unknown) => text === null || typeof text === 'string'
    return isText(ignore) && isText(knapignore) ? { ignore, knapignore } : null
  } catch {
    return null
  }
}

async function readIgnoreFiles(storage: Storage): Promise<IgnoreFiles> {
  const [ignore, knapignore] = await Promise.all(
    [PATHS.ignore, PATHS.knapignore].map((path) => textOrNull(storage, path)),
  )
  return { ignore: ignore ?? null, knapignore: knapignore ?? null }
}

async function textOrNull(storage: Storage, path: string): Promise<string | null> {
  try {
    return new TextDecoder().decode(await storage.read(path, { maxBytes: MOST_BYTES }))
  } catch (error) {
    if (error instanceof VaultError && error.code === 'not_found') return null
    throw error
  }
}

function behind(storage: Storage, ready: () => Promise<void>): Storage {
  const then = async <T>(work: () => Promise<T>): Promise<T> => {
    await ready()
    return await work()
  }
  return {
    kind: storage.kind,
    id: storage.id,
    list: (folder, options) => then(() => storage.list(folder, options)),
    stat: (path) => then(() => storage.stat(path)),
    read: (path, options) => then(() => storage.read(path, options)),
    write: (path, bytes, options) => then(() => storage.write(path, bytes, options)),
    rename: (from, to) => then(() => storage.rename(from, to)),
    remove: (path) => then(() => storage.remove(path)),
    makeFolder: (path) => then(() => storage.makeFolder(path)),
    removeEmptyFolder: (path) => then(() => storage.removeEmptyFolder(path)),
    sweep: (age) => then(() => storage.sweep(age)),
    close: () => storage.close(),
    ...(storage.background && { background: behind(storage.background, ready) }),
    ...(storage.connection && { connection: () => storage.connection!() }),
  }
}
