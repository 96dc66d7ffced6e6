import { z } from 'zod'
import { noticesOf, troublesOf } from '../../vault/health.ts'
import { indexState } from '../fields.ts'
import { defineTool } from '../tool.ts'

export const indexTool = defineTool({
  name: 'index',
  title: 'Index',
  description:
    'The search index: its status and freshness, sync (look at the files now), rebuild (read all notes anew). Needed only when search seems stale.',
  input: z.strictObject({
    action: z.enum(['status', 'sync', 'rebuild']),
    accept_deletions: z
      .boolean()
      .default(false)
      .describe('sync: believe it when very many files are gone at once'),
  }),
  output: z.looseObject({
    action: z.string(),
    message: z.string().optional(),
    index: indexState,
    last_look: z.string().nullable(),
    last_error: z.string().nullable(),
    notices: z.array(z.string()),
    unreadable: z.array(z.object({ path: z.string(), reason: z.string() })),
    problems: z.array(z.object({ path: z.string(), reason: z.string() })),
    warnings: z.array(z.string()).optional(),
  }),
  access: { reads: ['status'] },
  async run({ vault, progress }, { action, accept_deletions }) {
    if (action !== 'status') {
      const report = () => {
        const { indexed, total } = vault.indexState()
        const embedded = vault.embeddings().status?.indexed_notes
        const meaning = embedded === undefined ? '' : `, ${embedded} of them for search by meaning`
        progress(indexed, total, `${indexed} of ${total} notes are indexed${meaning}`)
      }
      const timer = setInterval(report, 500)
      try {
        if (action === 'sync') await vault.sync.fullPass(accept_deletions)
        else await vault.rebuild()
      } finally {
        clearInterval(timer)
      }
      report()
    }
    const { lookedAt, lastError, unreadable } = vault.sync.status
    const message = messageOf(action, lastError)
    return {
      data: {
        action,
        ...(message === undefined ? {} : { message }),
        index: vault.indexState(),
        last_look: lookedAt === null ? null : new Date(lookedAt).toISOString(),
        last_error: lastError,
        notices: noticesOf(vault),
        unreadable: [...unreadable].map(([path, reason]) => ({ path, reason })),
        problems: troublesOf(vault, 100),
      },
    }
  },
})

function messageOf(action: 'status' | 'sync' | 'rebuild', lastError: string | null): string | undefined {
  if (action === 'status') return undefined
  if (lastError !== null) return `The look at the files failed, what was known stays: ${lastError}`
  return action === 'sync' ? 'Looked at all files.' : 'Read all notes anew.'
}
