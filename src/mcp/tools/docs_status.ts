import { z } from 'zod'
import { libraryOf, progressFields } from '../docs_corpora.ts'
import { warnings } from '../fields.ts'
import { defineTool } from '../tool.ts'

export const docsStatus = defineTool({
  name: 'docs_status',
  title: 'State of the documentation',
  description: 'Indexed chunks of each manual, whether a reindex runs and how far it is, the last error.',
  input: z.strictObject({}),
  output: z.looseObject({
    chunks: z.number(),
    ...progressFields,
    last_error: z.string().nullable(),
    corpora: z.array(
      z.looseObject({
        name: z.string(),
        source: z.string(),
        chunks: z.number(),
        in_progress: z.boolean(),
        last_error: z.string().nullable(),
      }),
    ),
    warnings,
  }),
  access: 'read',
  docs: true,
  async run({ docs }) {
    const { corpora, reindexing, ...state } = await libraryOf(docs).status()
    return {
      data: { ...state, reindexing: [...reindexing], corpora: corpora.map((corpus) => ({ ...corpus })) },
    }
  },
})
