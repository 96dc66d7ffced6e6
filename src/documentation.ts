import { join } from 'node:path'
import { ConfigError } from './config/error.ts'
import type { Config } from './config.ts'
import type { Library } from './docs/library.ts'
import { type CorpusSource, PRESETS } from './docs/source.ts'
import { log } from './logger.ts'
import { withLibrary } from './mcp/docs_corpora.ts'
import type { Tool } from './mcp/tool.ts'
import { semanticOptions } from './semantic_options.ts'

/** The words of the vaults come first: manuals that are missing are made after this long (ms). */
const START_AFTER_MS = 2000

/** One for the whole process, whoever asks: its indexes are large, and one reindex runs at a time. */
let opened: Promise<Library> | null = null
let wanted: (() => Promise<Library>) | null = null

/**
 * The tools that can be offered with these settings: those about manuals where a corpus is set up, tied to it.
 * @param isOpen may anybody use this tool here? Manuals that nobody can ask are neither loaded nor fetched
 */
export function offeredTools(
  tools: readonly Tool[],
  config: Config,
  isOpen: (name: string) => boolean,
): readonly Tool[] {
  const isAsked = tools.some((tool) => tool.docs && isOpen(tool.name))
  if (config.docs.corpora.length === 0) {
    if (isAsked && /^docs\b/i.test(config.tools))
      log.warn('no documentation corpus is set up: see docs.corpora')
    return withLibrary(tools, null)
  }
  const library = () => {
    opened ??= openLibrary(config).then((found) => {
      // Who asks for a reindex by the call that opens the library comes first.
      setTimeout(() => void found.start()).unref()
      return found
    })
    return opened
  }
  if (isAsked) wanted ??= library
  return withLibrary(tools, library)
}

/** For a process that has opened its vaults itself: manuals that may be asked for get ready in the background. */
export function startDocumentation(): void {
  const library = wanted
  if (library === null || opened !== null) return
  setTimeout(() => {
    library().catch((error) => log.error('the documentation could not be opened', error))
  }, START_AFTER_MS).unref()
}

/**
 * The corpora for a command of the terminal.
 * @param name one that is asked for: a preset need not be in the settings
 * @throws ConfigError where there is none
 */
export async function libraryFor(config: Config, name: string | undefined): Promise<Library> {
  const configured = corporaOf(config)
  const isThere = configured.some((corpus) => corpus.name.toLowerCase() === name?.toLowerCase())
  const preset = name === undefined || isThere ? undefined : PRESETS.get(name)
  const asked = name === undefined || preset === undefined ? [] : [sourceOf(config, { name, place: preset })]
  if (configured.length + asked.length === 0) {
    const presets = [...PRESETS.keys()].join(' or ')
    throw new ConfigError(
      `no documentation corpus is set up: name one under docs.corpora in knap.yaml, or say --corpus ${presets}.`,
    )
  }
  return await openLibrary(config, [...configured, ...asked])
}

/** @param corpora others than those of the settings */
async function openLibrary(config: Config, corpora = corporaOf(config)): Promise<Library> {
  const { Library } = await import('./docs/library.ts')
  const semantic = semanticOptions(config)
  return await Library.open({
    corpora,
    folder: join(config.cacheDir, 'docs'),
    openModel: semantic === null ? null : semantic.open,
  })
}

/** The corpora of the settings, each with its prebuilt index. */
function corporaOf(config: Config): CorpusSource[] {
  return config.docs.corpora.map((corpus) => sourceOf(config, corpus))
}

function sourceOf(
  { docs }: Config,
  corpus: Pick<CorpusSource, 'name' | 'place'> & Partial<CorpusSource>,
): CorpusSource {
  return { folders: [], ...corpus, prebuilt: corpus.prebuilt ?? docs.prebuiltUrl }
}

export async function closeDocumentation(): Promise<void> {
  const library = await opened
  await library?.close()
}
