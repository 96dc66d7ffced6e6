import { z } from 'zod'
import type { FoundNote, QuickSwitcher } from '../../vault/find.ts'
import { indexState, warnings } from '../fields.ts'
import { defineTool } from '../tool.ts'

export const noteFind = defineTool({
  name: 'note_find',
  title: 'Find a note by name',
  description:
    'The quick switcher: notes by name, alias or heading, typos and beginnings of words forgiven; recent true lists the last edited ones. For what notes say use search_text.',
  input: z.strictObject({
    query: z.string().default(''),
    limit: z.int().min(1).max(100).default(10),
    recent: z.boolean().default(false).describe('Last edited first; query may be left out'),
  }),
  output: z.object({
    results: z.array(z.looseObject({ path: z.string(), title: z.string(), matched: z.string() })),
    index: indexState,
    warnings,
  }),
  access: 'read',
  searches: true,
  async run({ vault }, { query, limit, recent }) {
    const index = await vault.searchable()
    const switcher = await vault.switcher()
    const found = recent ? await recentOf(switcher, query, limit) : await switcher.find(query, limit)
    return { data: { results: found.map((row) => ({ ...row })), index } }
  },
})

/** Of the notes that a query finds, or of all, those that changed last. */
async function recentOf(
  switcher: QuickSwitcher,
  query: string,
  limit: number,
): Promise<readonly FoundNote[]> {
  if (query.trim() === '') return switcher.recent(limit)
  const newestFirst = (a: FoundNote, b: FoundNote) => (a.modified < b.modified ? 1 : -1)
  return (await switcher.find(query, MOST_CONSIDERED)).sort(newestFirst).slice(0, limit)
}

const MOST_CONSIDERED = 1000
