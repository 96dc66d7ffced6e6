import { z } from 'zod'
import { byCodePoint } from '../../text/order.ts'
import type { FoundNote } from '../../vault/find.ts'
import type { Vault } from '../../vault/vault.ts'
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
    total: z.number(),
    truncated: z.boolean(),
    index: indexState,
    warnings,
  }),
  access: 'read',
  searches: true,
  hitOrder:
    ({ query, recent }) =>
    (a, b) =>
      recent || query.trim() === ''
        ? byCodePoint(String(b.hit.modified), String(a.hit.modified))
        : Number(b.hit.score) - Number(a.hit.score),
  async run({ vault }, { query, limit, recent }) {
    const index = await vault.searchable()
    const { found, total } = await look(vault, query, { limit, recent })
    const results = found.slice(0, limit).map((row) => ({ ...row }))
    return { data: { results, total, truncated: results.length < total, index } }
  },
})

/** The notes that a query finds, best first or those that changed last; without a query the last changed of all. */
async function look(
  vault: Vault,
  query: string,
  { limit, recent }: { readonly limit: number; readonly recent: boolean },
): Promise<{ found: readonly FoundNote[]; total: number }> {
  const switcher = await vault.switcher()
  if (query.trim() === '') return { found: switcher.recent(limit), total: vault.catalogue.noteCount }
  const found = await switcher.find(query, MOST_CONSIDERED)
  const newestFirst = (a: FoundNote, b: FoundNote) => (a.modified < b.modified ? 1 : -1)
  return { found: recent ? found.sort(newestFirst) : found, total: found.length }
}

const MOST_CONSIDERED = 1000
