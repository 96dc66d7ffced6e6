import { z } from 'zod'
import { libraryOf } from '../docs_corpora.ts'
import { warnings } from '../fields.ts'
import { defineTool } from '../tool.ts'

export const docsSearch = defineTool({
  name: 'docs_search',
  title: 'Search the documentation',
  description:
    'Searches manuals that stand beside the vault, by words and meaning. Exact symbols (registerView) come first; questions work as well.',
  input: z.strictObject({
    query: z.string(),
    limit: z.int().min(1).max(20).default(3).describe('Fragments'),
    corpus: z.string().optional(),
  }),
  output: z.object({
    results: z.array(
      z.looseObject({
        title: z.string(),
        header: z.string(),
        content: z.string(),
        file_path: z.string(),
        match_percent: z.number(),
        source_type: z.string(),
      }),
    ),
    notice: z.string().optional(),
    warnings,
  }),
  access: 'read',
  docs: true,
  annotations: { openWorld: true },
  async run({ docs }, { query, limit, corpus }) {
    const library = libraryOf(docs)
    const { hits, notice, byMeaning } = await library.search(query, { limit, corpus })
    const isOnly = library.names.length === 1
    const results = hits.map(({ corpus: from, fragment: { title, headings, text, path }, match }) => ({
      title,
      header: headings.join(' > '),
      content: text,
      file_path: path,
      match_percent: match,
      source_type: byMeaning ? 'Hybrid' : 'Keyword',
      ...(isOnly ? {} : { corpus: from }),
    }))
    return { data: { results, ...(notice === undefined ? {} : { notice }) } }
  },
})
