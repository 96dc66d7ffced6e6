import { z } from 'zod'
import { foldersIn } from '../../docs/page.ts'
import { VaultError } from '../../errors.ts'
import { libraryOf, progressFields } from '../docs_corpora.ts'
import { warnings } from '../fields.ts'
import { defineTool } from '../tool.ts'

/** Parameters that are there for one corpus each. */
const HELP = 'obsidian-help'
const DEVELOPER_DOCS = 'obsidian-developer-docs'

export const docsReindex = defineTool({
  name: 'docs_reindex',
  title: 'Index the documentation anew',
  description:
    'Reads the manuals anew in the background and returns at once; docs_status tells how far it is. Folders are names with commas between (en,es), without them those of the settings.',
  input: z.strictObject({
    user_help_folders: z.string().optional().describe(`Of ${HELP}`),
    developer_docs_folders: z.string().optional().describe(`Of ${DEVELOPER_DOCS}`),
    corpus: z.string().optional().describe('Default all'),
    folders: z.string().optional().describe('Of corpus'),
  }),
  output: z.looseObject({ message: z.string(), ...progressFields, warnings }),
  access: 'write',
  docs: true,
  annotations: { idempotent: true, openWorld: true },
  async run({ docs }, args) {
    const library = libraryOf(docs)
    const state = library.reindex({ corpora: corporaOf(library.names, args) })
    const message = `Reindexing ${state.reindexing.join(', ')} in the background.`
    return { data: { message, ...state, reindexing: [...state.reindexing] } }
  },
})

interface Args {
  readonly user_help_folders?: string | undefined
  readonly developer_docs_folders?: string | undefined
  readonly corpus?: string | undefined
  readonly folders?: string | undefined
}

function corporaOf(names: readonly string[], args: Args): ReadonlyMap<string, readonly string[] | null> {
  const { corpus, folders } = args
  const asked = new Map<string, readonly string[] | null>(
    (corpus === undefined ? names : [corpus]).map((n) => [n, null]),
  )
  const [only] = asked.keys()
  if (folders !== undefined) {
    if (asked.size !== 1 || only === undefined) throw whichCorpus(names)
    asked.set(only, foldersIn(folders))
  }
  for (const [key, name] of [
    ['user_help_folders', HELP],
    ['developer_docs_folders', DEVELOPER_DOCS],
  ] as const) {
    const given = args[key]
    if (given === undefined) continue
    if (!asked.has(name)) throw notAsked(key, name)
    asked.set(name, foldersIn(given))
  }
  return asked
}

function whichCorpus(names: readonly string[]): VaultError {
  return new VaultError('bad_argument', 'Folders of which corpus?', {
    hint: `Name one in corpus: ${names.join(', ')}.`,
  })
}

function notAsked(key: string, name: string): VaultError {
  return new VaultError('bad_argument', `${key} is for the corpus ${name}, which is not reindexed here.`, {
    hint: 'Name the corpus in corpus and its folders in folders.',
  })
}
