import { z } from 'zod'
import { VaultError } from '../../errors.ts'
import { baseName, extensionOf, isNotePath, joinPath, type VaultPath } from '../../note/path.ts'
import { planAround, readHiddenNotes } from '../../vault/hidden_notes.ts'
import { linkEdit } from '../../vault/link_edits.ts'
import { backlinks } from '../../vault/link_queries.ts'
import { type LinkNotice, type MovePlan, planMove } from '../../vault/moves.ts'
import type { Vault } from '../../vault/vault.ts'
import { manyAnswer } from '../changes.ts'
import { dryRun, expectedRevision, manyChanges } from '../fields.ts'
import { defineTool } from '../tool.ts'

/** From so many on, a person is asked first where the client can. */
const MANY_FILES = 10
const MANY_LINKS = 20

export const noteMove = defineTool({
  name: 'note_move',
  title: 'Move or rename',
  description:
    'Moves or renames a note, attachment or folder and rewrites every link to it in its own style; all or nothing.',
  input: z.strictObject({
    from: z.string().describe('Spelled exactly'),
    to: z.string().describe('Whole new path; ending in / puts it into that folder'),
    update_links: z.boolean().default(true),
    overwrite: z.boolean().default(false).describe('Replace a file at to (kept in history)'),
    expected_revision: expectedRevision,
    dry_run: dryRun,
  }),
  output: manyChanges.extend({
    from: z.string(),
    path: z.string(),
    kind: z.string(),
    revision: z.string().nullable(),
    previous_revision: z.string().nullable(),
    files_moved: z.number(),
  }),
  access: 'write',
  annotations: { destructive: true },
  async question({ vault }, { from, to, update_links, dry_run }) {
    if (dry_run) return null
    const { path, kind } = await vault.locateAnyForChange(from)
    await vault.searchable()
    if (kind === 'folder') {
      const { length } = vault.catalogue.below(path).files
      return length < MANY_FILES ? null : `Move the folder "${path}" with ${length} files to "${to}"?`
    }
    const { length } = backlinks(vault.catalogue.graph, path)
    if (!update_links || length < MANY_LINKS) return null
    return `Move "${path}" to "${to}" and rewrite the links in ${length} places?`
  },
  async run({ vault, client }, args) {
    const source = await vault.locateAnyForChange(args.from)
    if (source.path === '') {
      throw new VaultError('is_folder', 'The root of the vault cannot be moved.', {
        hint: 'Name a note or folder in it.',
      })
    }
    const target = await targetOf(vault, source, args.to)
    await vault.searchable()
    const { plan, skipped } = await planned(vault, source.path, target.path)
    const rewrites = args.update_links ? plan.rewrites : []
    const writable = rewrites.filter(({ path }) => vault.rules.mayWrite(path))
    const moved = await vault.editor.move({
      from: source.path,
      to: target.path,
      tool: 'note_move',
      client,
      edits: writable.map(linkEdit),
      overwrite: args.overwrite,
      expectedRevision: args.expected_revision,
      dryRun: args.dry_run,
    })
    const links = writable.reduce((sum, r) => sum + r.links, 0)
    const files = plan.moves.length
    const what =
      moved.kind === 'folder' ? `the folder with ${files} ${files === 1 ? 'file' : 'files'}` : moved.from
    const answer = manyAnswer(
      moved.changes,
      `Moved ${what} to ${moved.to}; ${links} ${links === 1 ? 'link' : 'links'} rewritten.`,
      {
        dryRun: args.dry_run,
        links,
        hidden: rewrites.length - writable.length + (args.update_links ? skipped : 0),
        warnings: [...source.warnings, ...target.warnings, ...warningsOf(plan, args.update_links)],
      },
    )
    return {
      data: {
        ...answer,
        changed: true,
        from: moved.from,
        path: moved.to,
        kind: moved.kind,
        revision: moved.revision,
        previous_revision: moved.previous_revision,
        files_moved: files,
      },
    }
  },
})

async function targetOf(vault: Vault, source: { path: VaultPath; kind: 'file' | 'folder' }, to: string) {
  const isNote = source.kind === 'file' && isNotePath(source.path)
  const wanted = source.kind === 'file' ? fileTarget(source.path, to, isNote) : to
  const target = await vault.locateNew(wanted, { note: isNote, renaming: source.path })
  if (isNote && !isNotePath(target.path)) {
    throw new VaultError('bad_path', `"${target.path}" would no longer be a note.`, {
      hint: 'Give a name that ends in .md, or leave the extension out.',
    })
  }
  if (source.kind === 'file' && !isNote && extensionOf(target.path) !== extensionOf(source.path)) {
    return {
      ...target,
      warnings: [
        ...target.warnings,
        `The file type changes from ".${extensionOf(source.path)}" to ".${extensionOf(target.path)}".`,
      ],
    }
  }
  return target
}

/** A folder with a `/` behind it keeps the name; a name without an extension keeps the file's own. */
function fileTarget(source: VaultPath, to: string, isNote: boolean): string {
  if (to.endsWith('/')) return joinPath(to.replace(/\/+$/, ''), baseName(source))
  const extension = extensionOf(source)
  return isNote || extension === '' || extensionOf(to) !== '' ? to : `${to}.${extension}`
}

async function planned(vault: Vault, from: VaultPath, to: VaultPath) {
  const { newLinkFormat } = await vault.settings()
  const hidden = await readHiddenNotes(vault)
  const { graph } = vault.catalogue
  return planAround(graph, hidden, () => planMove(graph, { from, to, format: newLinkFormat }))
}

function warningsOf(plan: MovePlan, updated: boolean): string[] {
  const links = plan.rewrites.reduce((sum, r) => sum + r.links, 0)
  if (!updated && links === 0) return []
  if (!updated) {
    return [
      links === 1
        ? 'One link was left as it is and may lead nowhere now.'
        : `${links} links were left as they are and may lead nowhere now.`,
    ]
  }
  return [
    ...plan.protected.map(
      (n) => `${place(n)} was rewritten so that the new name does not draw it to itself.`,
    ),
    ...plan.revived.map((n) => `${place(n)} led nowhere and leads to the moved file now.`),
    ...plan.unlinkable.map((n) => `${place(n)} cannot be written to the new name and breaks.`),
  ].slice(0, 20)
}

function place({ source_path, line, raw }: LinkNotice): string {
  return `${source_path}, line ${line}: ${raw}`
}
