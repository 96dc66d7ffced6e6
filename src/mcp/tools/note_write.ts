import { z } from 'zod'
import { VaultError } from '../../errors.ts'
import { scanFrontmatter } from '../../note/frontmatter.ts'
import { requireSoundFrontmatter } from '../../note/guard.ts'
import { kindOf } from '../../note/kinds.ts'
import type { VaultPath } from '../../note/path.ts'
import { requireSoundText } from '../../vault/text_files.ts'
import type { Vault } from '../../vault/vault.ts'
import { changeAnswer } from '../changes.ts'
import { change, dryRun, expectedRevision, path } from '../fields.ts'
import { defineTool } from '../tool.ts'

export const noteWrite = defineTool({
  name: 'note_write',
  title: 'Replace a note',
  description:
    'Replaces the whole text of a note, or its body (keeps the properties). Smaller changes: note_patch, note_replace; new notes: note_create.',
  input: z.strictObject({
    path,
    content: z.string(),
    create: z.boolean().default(false).describe('If missing'),
    scope: z.enum(['whole', 'body']).default('whole'),
    expected_revision: expectedRevision,
    dry_run: dryRun,
  }),
  output: change,
  access: 'write',
  annotations: { destructive: true, idempotent: true },
  async run({ vault, client }, args) {
    const { path, warnings, isNew } = await target(vault, args.path, args.create)
    if (kindOf(path) === 'attachment') {
      throw new VaultError('not_a_note', `"${path}" is not a text file.`, {
        hint: 'attachments with action "add" brings binary files into the vault.',
      })
    }
    const result = await vault.editor.change({
      path,
      tool: 'note_write',
      client,
      mode: isNew ? 'create' : 'replace',
      dryRun: args.dry_run,
      expectedRevision: args.expected_revision,
      edit: (before) => rewrite(path, before?.text ?? '', args),
    })
    return {
      data: changeAnswer(result, `${isNew ? 'Created' : 'Wrote'} ${path}.`, {
        dryRun: args.dry_run,
        warnings,
      }),
    }
  },
})

async function target(vault: Vault, argument: string, create: boolean) {
  if (create) {
    try {
      return { ...(await vault.locateForChange(argument)), isNew: false }
    } catch (error) {
      if (!(error instanceof VaultError) || error.code !== 'not_found') throw error
      return { ...(await vault.locateNew(argument, { note: true })), isNew: true }
    }
  }
  return { ...(await vault.locateForChange(argument)), isNew: false }
}

function rewrite(
  path: VaultPath,
  before: string,
  { content, scope }: { content: string; scope: 'whole' | 'body' },
) {
  if (kindOf(path) !== 'note') return { text: requireSoundText(path, content) }
  if (scope === 'whole') {
    requireSoundFrontmatter(content)
    return { text: content, warnings: lossWarning(before, content) }
  }
  const { bodyStart } = scanFrontmatter(before)
  return {
    text: before.slice(0, bodyStart) + content,
    warnings: lossWarning(before.slice(bodyStart), content),
  }
}

/** UTF-16 units from which a note counts as long. */
const LONG = 2000

/** An agent that meant to add a paragraph may have replaced the note by it. */
function lossWarning(before: string, after: string): string[] {
  if (before.length < LONG || after.length > before.length / 3) return []
  const percent = Math.round((1 - after.length / before.length) * 100)
  return [
    `The new text is ${percent}% shorter than the old one. If you meant to add to the note, undo with history and use note_insert or note_patch.`,
  ]
}
