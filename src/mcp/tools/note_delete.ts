import { z } from 'zod'
import { VaultError } from '../../errors.ts'
import { backlinks } from '../../vault/link_queries.ts'
import { changeAnswer } from '../changes.ts'
import { change, dryRun, expectedRevision } from '../fields.ts'
import { defineTool } from '../tool.ts'

export const noteDelete = defineTool({
  name: 'note_delete',
  title: 'Delete a note',
  description:
    'Moves a note or attachment to the trash and says how many notes link to it. history restores it.',
  input: z.strictObject({
    path: z.string().describe('Spelled exactly'),
    confirm: z.boolean().describe('Must be true'),
    permanent: z.boolean().default(false),
    expected_revision: expectedRevision,
    dry_run: dryRun,
  }),
  output: change.extend({ trashed_to: z.string().nullable(), linked_from: z.array(z.string()) }),
  access: 'write',
  annotations: { destructive: true },
  async question({ vault }, { path: argument, confirm, permanent, dry_run }) {
    if (!confirm || dry_run) return null
    const { path } = await vault.locateForChange(argument)
    await vault.searchable()
    const links = linksTo(backlinks(vault.catalogue.graph, path).length)
    return permanent
      ? `Delete "${path}" for good?${links} Only the history of this server keeps it then.`
      : `Move "${path}" to the trash?${links}`
  },
  async run({ vault, client }, args) {
    if (!args.confirm) {
      throw new VaultError('bad_argument', 'Deleting needs confirm: true.', {
        hint: 'Ask the user, then call again with confirm: true.',
      })
    }
    const { path, warnings } = await vault.locateForChange(args.path)
    const { trashOption } = await vault.settings()
    await vault.searchable()
    const linkedFrom = backlinks(vault.catalogue.graph, path).map((row) => row.source_path)
    const removed = await vault.editor.remove({
      path,
      tool: 'note_delete',
      client,
      permanent: args.permanent,
      trash: trashOption,
      expectedRevision: args.expected_revision,
      dryRun: args.dry_run,
    })
    const where = args.permanent ? 'Deleted' : 'Moved to the trash:'
    const links = linksTo(linkedFrom.length)
    return {
      data: {
        ...changeAnswer(removed, `${where} ${path}.${links}`, { dryRun: args.dry_run, warnings }),
        trashed_to: removed.trashed_to,
        linked_from: linkedFrom,
      },
    }
  },
})

function linksTo(count: number): string {
  return count === 0 ? '' : ` ${count} ${count === 1 ? 'note links' : 'notes link'} to it.`
}
