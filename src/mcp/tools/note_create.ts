import { z } from 'zod'
import { VaultError } from '../../errors.ts'
import { composeNote } from '../../note/compose.ts'
import { kindOf } from '../../note/kinds.ts'
import { stemOf } from '../../note/path.ts'
import { textFromTemplate } from '../../vault/templates.ts'
import { requireSoundText } from '../../vault/text_files.ts'
import { changeAnswer } from '../changes.ts'
import { change, dryRun } from '../fields.ts'
import { defineTool } from '../tool.ts'

export const noteCreate = defineTool({
  name: 'note_create',
  title: 'Create a note',
  description:
    'Creates a note (and its folders); never overwrites. To change a note: note_patch, note_insert, note_replace, frontmatter.',
  input: z.strictObject({
    path: z.string().describe('Path of the new note; .md is added'),
    content: z.string().optional(),
    frontmatter: z.record(z.string(), z.unknown()).optional().describe('Merged with a block in content'),
    template: z.string().optional().describe('Path or name of a template; content follows it'),
    dry_run: dryRun,
  }),
  output: change,
  access: 'write',
  async run({ vault, client }, args) {
    const { path, warnings } = await vault.locateNew(args.path, { note: true })
    if (kindOf(path) === 'attachment') {
      throw new VaultError('not_a_note', `"${path}" is not a text file.`, {
        hint: 'attachments with action "add" brings binary files into the vault.',
      })
    }
    if (kindOf(path) === 'text' && Object.keys(args.frontmatter ?? {}).length > 0) {
      throw new VaultError('not_a_note', `"${path}" is not a Markdown note: it has no properties.`, {
        hint: 'Leave frontmatter out, or give a name that ends in .md.',
      })
    }
    const base =
      args.template === undefined
        ? (args.content ?? '')
        : await textFromTemplate(vault, {
            template: args.template,
            title: stemOf(path),
            content: args.content,
          })
    const text = kindOf(path) === 'note' ? composeNote(base, args.frontmatter) : requireSoundText(path, base)
    const result = await vault.editor.change({
      path,
      tool: 'note_create',
      client,
      mode: 'create',
      dryRun: args.dry_run,
      edit: () => ({ text }),
    })
    return { data: changeAnswer(result, `Created ${path}.`, { dryRun: args.dry_run, warnings }) }
  },
})
