import { z } from 'zod'
import { VaultError } from '../../errors.ts'
import { insertText } from '../../note/insert.ts'
import { requireNote } from '../../vault/vault.ts'
import { changeAnswer } from '../changes.ts'
import { change, dryRun, expectedRevision, path } from '../fields.ts'
import { defineTool } from '../tool.ts'

export const noteInsert = defineTool({
  name: 'note_insert',
  title: 'Append or prepend',
  description:
    'Adds text at the end of a note or its beginning (after the properties). Under a heading: note_patch.',
  input: z.strictObject({
    path,
    content: z.string(),
    position: z.enum(['end', 'beginning']).default('end'),
    separator: z
      .enum(['auto', 'newline', 'blank', 'none'])
      .default('auto')
      .describe('auto: a blank line only where text would run together'),
    create: z.boolean().default(false).describe('If missing'),
    expected_revision: expectedRevision,
    dry_run: dryRun,
  }),
  output: change,
  access: 'write',
  async run({ vault, client }, args) {
    const { content, position, separator } = args
    const found = await vault.locateForChange(args.path).catch(async (error: unknown) => {
      if (!args.create || !(error instanceof VaultError) || error.code !== 'not_found') throw error
      return { ...(await vault.locateNew(args.path, { note: true })), isNew: true }
    })
    requireNote(found.path)
    const isNew = 'isNew' in found
    const result = await vault.editor.change({
      path: found.path,
      tool: 'note_insert',
      client,
      mode: isNew ? 'create' : 'replace',
      dryRun: args.dry_run,
      expectedRevision: args.expected_revision,
      edit: (before) => {
        if (before === null) return { text: content }
        const { text, notes } = insertText(before.text, content, { position, separator })
        return { text, warnings: notes }
      },
    })
    const message = isNew ? `Created ${found.path}.` : `Added to the ${position} of ${found.path}.`
    return { data: changeAnswer(result, message, { dryRun: args.dry_run, warnings: found.warnings }) }
  },
})
