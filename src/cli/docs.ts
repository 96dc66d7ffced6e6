import { resolve } from 'node:path'
import type { Library } from '../docs/library.ts'
import { foldersIn } from '../docs/page.ts'
import type { Progress } from '../docs/reindex.ts'
import type { CorpusStatus, DocsStatus } from '../docs/status.ts'
import { VaultError } from '../errors.ts'

export interface DocsFlags {
  /** The one corpus that is meant; default all. */
  readonly corpus: string | undefined
  readonly limit: number
  readonly json: boolean
  /** Absolute folder that a relative FILE starts from. */
  readonly cwd: string
  /** Takes a line about progress. */
  readonly say: (line: string) => void
}

/** A line about progress at most this often (ms). */
const SAY_EVERY_MS = 2000

/**
 * `knap docs index [FOLDERS]`, `status`, `search QUERY`, `export FILE`.
 * @returns what is printed, with a line end
 * @throws VaultError `bad_argument`, `not_ready`, `unavailable`
 */
export async function docsCommand(
  library: Library,
  words: readonly string[],
  flags: DocsFlags,
): Promise<string> {
  const [action = 'status', what, ...others] = words
  if (others.length > 0) throw unclear()
  if (action === 'status' && what === undefined) return printed(await library.status(flags.corpus), flags)
  if (action === 'index') return await index(library, what, flags)
  if (action === 'search' && what !== undefined) return await search(library, what, flags)
  if (action === 'export' && what !== undefined) return await exported(library, what, flags)
  throw unclear()
}

async function index(library: Library, folders: string | undefined, flags: DocsFlags): Promise<string> {
  const names = flags.corpus === undefined ? library.names : [flags.corpus]
  if (folders !== undefined && names.length !== 1) throw whichCorpus(library)
  const taken = folders === undefined ? null : foldersIn(folders)
  const { reindexing } = library.reindex({ corpora: new Map(names.map((name) => [name, taken])) })
  await followed(library, flags.say)
  const status = await library.status(flags.corpus)
  const failed = status.corpora.find((c) => reindexing.includes(c.name) && c.last_error !== null)
  if (failed === undefined) return printed(status, flags)
  throw new VaultError('unavailable', `${failed.name} was not indexed: ${failed.last_error}`, {
    hint: failed.chunks > 0 ? 'What was indexed before stays.' : '',
  })
}

async function followed(library: Library, say: DocsFlags['say']): Promise<void> {
  let said = ''
  const tell = async () => {
    const { progress } = await library.status()
    const line = progress ? progressLine(progress) : said
    if (line !== said) say(line)
    said = line
  }
  const timer = setInterval(() => void tell(), SAY_EVERY_MS)
  await library.settled().finally(() => clearInterval(timer))
}

function progressLine({ corpus, phase, done, total }: Progress): string {
  const unit = { fetching: 'bytes', reading: 'pages', embedding: 'chunks' }[phase]
  return `${corpus}: ${phase}, ${done}${total === undefined ? '' : ` of ${total}`} ${unit}`
}

async function search(library: Library, query: string, { limit, corpus, json }: DocsFlags): Promise<string> {
  const { hits, notice } = await library.search(query, { limit, corpus })
  const results = hits.map(({ corpus: from, fragment: { title, headings, path, text }, match }) => {
    const header = headings.join(' > ')
    return { corpus: from, title, header, file_path: path, match_percent: match, content: text }
  })
  if (json) return `${JSON.stringify({ query, results, ...(notice ? { notice } : {}) }, null, 2)}\n`
  const blocks = results.map(({ title, header, file_path, match_percent, content }, i) =>
    [
      `${i + 1}. ${title}${header === '' ? '' : ` # ${header}`}  (${match_percent} %, ${file_path})`,
      ...shortened(content).map((line) => `   ${line}`),
    ].join('\n'),
  )
  if (blocks.length === 0) blocks.push('Nothing was found.')
  return `${[...blocks, ...(notice ? [notice] : [])].join('\n\n')}\n`
}

function shortened(content: string): string[] {
  const lines = content.split('\n').filter((line) => line.trim() !== '')
  return lines.slice(0, 6).map((line) => line.slice(0, 160))
}

async function exported(library: Library, file: string, { corpus, cwd, json }: DocsFlags): Promise<string> {
  const [only, ...others] = library.names
  const name = corpus ?? (others.length === 0 ? only : undefined)
  if (name === undefined) throw whichCorpus(library)
  const target = resolve(cwd, file)
  const { facts, fragments, vectors } = await library.export(name, target)
  const chunks = fragments.size
  if (json)
    return `${JSON.stringify({ corpus: facts.name, file: target, chunks, model: vectors?.identity ?? null })}\n`
  return `${facts.name}: ${chunks} chunks ${vectors === null ? 'without vectors' : 'with their vectors'} are in ${target}\n`
}

function printed(status: DocsStatus, { json }: DocsFlags): string {
  if (json) return `${JSON.stringify(status, null, 2)}\n`
  return status.corpora.map((c) => `${line(c)}\n`).join('')
}

function line(status: CorpusStatus): string {
  const { name, source, chunks, pages, embedded, folders, indexed_at, last_error, left_out_total } = status
  const parts = [
    chunks === 0 ? 'not indexed' : `${chunks} chunks of ${pages} pages, ${embedded} with vectors`,
    ...(folders.length > 0 ? [`folders ${folders.join(', ')}`] : []),
    ...(indexed_at === null ? [] : [`read ${indexed_at}`]),
    ...(left_out_total > 0 ? [`${left_out_total} files left out`] : []),
    ...(last_error === null ? [] : [`last error: ${last_error}`]),
  ]
  return `${name} (${source}): ${parts.join('; ')}`
}

function whichCorpus(library: Library): VaultError {
  return new VaultError('bad_argument', 'Which corpus?', {
    hint: `Name it with --corpus: ${library.names.join(', ')}.`,
  })
}

function unclear(): VaultError {
  return new VaultError('bad_argument', 'What is to be done with the documentation?', {
    hint: 'knap docs index [FOLDERS], knap docs status, knap docs search QUERY, knap docs export FILE.',
  })
}
