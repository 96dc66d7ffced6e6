import { constants, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { access, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { locksIn } from '../vault/lock.ts'

export interface Finding {
  readonly what: string
  readonly state: 'ok' | 'warn' | 'fail'
  readonly says: string
  /** What to do; '' where nothing is to be done. */
  readonly remedy: string
}

/** What is looked at. */
export interface DoctorRequest {
  readonly bun: string
  readonly platform: NodeJS.Platform
  /** Folders of the vaults on this machine. */
  readonly vaults: readonly string[]
  readonly readOnly: boolean
  readonly watch: boolean
  readonly folders: readonly string[]
  /** Where the locks of the vaults lie. */
  readonly lockFolders: readonly string[]
  /** Where HTTP would listen. */
  readonly host: string
  readonly port: number
  /** Who answers there already, or null. */
  readonly portUser: (url: string) => Promise<'knap' | 'other' | null>
  readonly embeddings: 'off' | 'local' | 'api' | 'hash'
  /** Local models at hand, by name. */
  readonly models: readonly string[]
  /** Is an optional package there? */
  readonly hasPackage: (name: string) => boolean
}

/** Every check, one finding or more each. */
export async function examine(request: DoctorRequest): Promise<Finding[]> {
  const found = await Promise.all([
    [runtime(request)],
    optional(request),
    ...request.vaults.map((vault) => vaultFindings(vault, request)),
    request.vaults.length === 0
      ? [warn('vault', 'None is named.', 'Name one: knap doctor ~/Notes, or OBSIDIAN_VAULT_PATH.')]
      : [],
    Promise.all(request.folders.map(writable)),
    locks(request),
    portFinding(request),
  ])
  return found.flat()
}

/** What `knap doctor` prints, with a line end. */
export function printFindings(
  findings: readonly Finding[],
  { json, colour }: { json: boolean; colour: boolean },
): string {
  if (json) return `${JSON.stringify({ findings }, null, 2)}\n`
  const sign = { ok: ['ok  ', 32], warn: ['warn', 33], fail: ['FAIL', 31] } as const
  return findings
    .map(({ what, state, says, remedy }) => {
      const [word, code] = sign[state]
      const shown = colour ? `\u001b[${code}m${word}\u001b[0m` : word
      return `${shown}  ${what}: ${says}\n${remedy === '' ? '' : `      ${remedy}\n`}`
    })
    .join('')
}

const ok = (what: string, says: string): Finding => ({ what, state: 'ok', says, remedy: '' })
const warn = (what: string, says: string, remedy: string): Finding => ({ what, state: 'warn', says, remedy })
const fail = (what: string, says: string, remedy: string): Finding => ({ what, state: 'fail', says, remedy })

function runtime({ bun, platform }: DoctorRequest): Finding {
  const [major = 0, minor = 0] = bun.split('.').map(Number)
  return major > 1 || (major === 1 && minor >= 4)
    ? ok('runtime', `Bun ${bun} on ${platform}.`)
    : fail('runtime', `Bun ${bun} is too old.`, 'Use Bun 1.4 or newer: https://bun.com')
}

function optional({ hasPackage, embeddings, models }: DoctorRequest): Finding[] {
  const meaning = meaningFinding(embeddings, models, hasPackage('@huggingface/transformers'))
  const graph = hasPackage('hnswlib-node')
    ? ok('graph of vectors', 'hnswlib-node is there.')
    : warn(
        'graph of vectors',
        'hnswlib-node is not built; all vectors are compared instead.',
        'Matters above 20,000 vectors: install a C++ compiler and run bun install again.',
      )
  return [meaning, graph]
}

function meaningFinding(
  embeddings: DoctorRequest['embeddings'],
  models: readonly string[],
  canRun: boolean,
): Finding {
  const what = 'search by meaning'
  if (embeddings === 'off') return ok(what, 'Off in the settings.')
  if (embeddings !== 'local')
    return ok(what, embeddings === 'api' ? 'By an embedding API.' : 'Without a model.')
  if (!canRun) {
    const remedy = 'Run bun install, or set up an embedding API.'
    return warn(what, 'Local models cannot run: @huggingface/transformers is not installed.', remedy)
  }
  if (models.length === 0) {
    return warn(what, 'No model is at hand.', 'Run knap model pull multilingual-e5-small.')
  }
  return ok(what, `Models at hand: ${models.join(', ')}.`)
}

async function vaultFindings(folder: string, request: DoctorRequest): Promise<Finding[]> {
  const what = `vault ${folder}`
  try {
    if (!statSync(folder).isDirectory())
      return [fail(what, 'It is a file.', 'Name the folder that holds the notes.')]
  } catch {
    return [fail(what, 'It does not exist.', 'Check the path; paths with blanks need quotes.')]
  }
  try {
    await access(folder, constants.R_OK | constants.X_OK)
  } catch {
    return [fail(what, 'It may not be listed.', 'Give this user the right to read the folder.')]
  }
  const { notes, folders } = counted(folder)
  const read =
    notes === 0
      ? warn(
          what,
          'It holds no notes.',
          'Is this the folder that the application opens as a vault? A drive may not be mounted.',
        )
      : ok(what, `${notes} notes in ${folders} folders.`)
  return [read, writing(what, folder, request), ...watcher(folders, request)]
}

function counted(folder: string): { notes: number; folders: number } {
  let [notes, folders] = [0, 1]
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) folders++
    else if (entry.name.endsWith('.md')) notes++
  }
  return { notes, folders }
}

function writing(what: string, folder: string, { readOnly }: DoctorRequest): Finding {
  if (readOnly) return ok(what, 'Served read-only.')
  const probe = join(folder, `.knap-tmp-doctor-${process.pid}`)
  try {
    writeFileSync(probe, '', { flag: 'wx' })
    rmSync(probe)
    return ok(what, 'It can be written.')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return warn(
      what,
      `It cannot be written (${code ?? 'unknown reason'}).`,
      'Give this user the right to write, or serve it with OBSIDIAN_READ_ONLY=true.',
    )
  }
}

function watcher(folders: number, { platform, watch }: DoctorRequest): Finding[] {
  if (!watch) return [ok('watching', 'Off in the settings.')]
  const file = '/proc/sys/fs/inotify/max_user_watches'
  if (platform !== 'linux' || !existsSync(file)) return [ok('watching', 'This system sets no limit.')]
  const limit = Number(readFileSync(file, 'utf8'))
  return limit > folders * 2
    ? [ok('watching', `${folders} folders of at most ${limit}.`)]
    : [
        warn(
          'watching',
          `${folders} folders are near the system's limit of ${limit}; changes are then noticed by a slow scan.`,
          'Raise it: sysctl fs.inotify.max_user_watches=524288',
        ),
      ]
}

async function writable(folder: string): Promise<Finding> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await access(folder, constants.W_OK)
    return ok('folder', `${folder} can be written.`)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return fail(
      'folder',
      `${folder} cannot be written (${code ?? 'unknown reason'}).`,
      'Give this user the right, or name another folder in OBSIDIAN_MCP_DATA.',
    )
  }
}

function locks({ lockFolders }: DoctorRequest): Finding[] {
  const what = 'locks'
  const found = lockFolders.flatMap(locksIn)
  if (found.length === 0) return [ok(what, 'No change is under way.')]
  const holders = (isLeftBehind: boolean) => [
    ...new Set(
      found
        .filter((lock) => lock.isLeftBehind === isLeftBehind)
        .map(({ pid }) => (pid === null ? 'a process that is not known' : `process ${pid}`)),
    ),
  ]
  const [holding, gone] = [holders(false), holders(true)]
  return [
    ...holding.map((who) =>
      warn(what, `A change by ${who} is under way.`, 'If it stays so, end that process; others wait for it.'),
    ),
    ...gone.map((who) => ok(what, `Left behind by ${who}, which is gone: the next change takes over.`)),
  ]
}

async function portFinding({ host, port, portUser }: DoctorRequest): Promise<Finding[]> {
  if (port === 0) return [ok('port', 'Any free one is taken.')]
  const user = await portUser(`http://${host.includes(':') ? `[${host}]` : host}:${port}/health`)
  if (user === 'knap') return [ok('port', `A Knap answers at ${port} already.`)]
  return user === null
    ? [ok('port', `${port} is free.`)]
    : [
        warn(
          'port',
          `Another program answers at ${port}.`,
          'Only matters for --http: choose another with --port.',
        ),
      ]
}
