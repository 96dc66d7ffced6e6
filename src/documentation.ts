import { join } from 'node:path'
import type { Config } from './config.ts'
import type { Library } from './docs/library.ts'
import type { CorpusSource } from './docs/source.ts'
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
      void found.start()
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

/** @param corpora others than those of the settings */
export async function openLibrary(config: Config, corpora = corporaOf(config)): Promise<Library> {
  const { Library } = await import('./docs/library.ts')
  const semantic = semanticOptions(config)
  return await Library.open({
    corpora,
    folder: join(config.cacheDir, 'docs'),
    openModel: semantic === null ? null : semantic.open,
  })
}

/** The corpora of the settings, each with its prebuilt index. */
export function corporaOf({ docs }: Config): CorpusSource[] {
  return docs.corpora.map((corpus) => ({ ...corpus, prebuilt: corpus.prebuilt ?? docs.prebuiltUrl }))
}

export async function closeDocumentation(): Promise<void> {
  const library = await opened
  await library?.close()
}
