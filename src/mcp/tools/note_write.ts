import { z } from 'zod'
import { VaultError } from '../../errors.ts'
import { requireSoundFrontmatter } from '../../note/guard.ts'
import { kindOf } from '../../note/kinds.ts'
import type { VaultPath } from '../../note/path.ts'
import { inFormOf, rewriteNote } from '../../note/rewrite.ts'
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
      edit: (before) => rewrite(path, before?.text ?? null, args),
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

function rewrite(path: VaultPath, before: string | null, { content, scope }: Args) {
  if (kindOf(path) !== 'note') {
    return { text: requireSoundText(path, before === null ? content : inFormOf(before, content)) }
  }
  if (before === null) {
    requireSoundFrontmatter(content)
    return { text: content }
  }
  const { text, notes } = rewriteNote(before, content, scope)
  return { text, warnings: notes }
}

interface Args {
  readonly content: string
  readonly scope: 'whole' | 'body'
}
