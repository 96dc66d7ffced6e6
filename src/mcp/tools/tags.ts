import { z } from 'zod'
import { VaultError } from '../../errors.ts'
import { addTag, removeTag, renameTag } from '../../note/retag.ts'
import { matchTag } from '../../search/where.ts'
import { nearest } from '../../text/nearest.ts'
import type { TextEdit } from '../../vault/edit_types.ts'
import { readHiddenNotes } from '../../vault/hidden_notes.ts'
import { countTags } from '../../vault/tag_counts.ts'
import { requireNote, type Vault } from '../../vault/vault.ts'
import { changeAnswer, manyAnswer } from '../changes.ts'
import { dryRun, expectedRevision, expectedRevisions } from '../fields.ts'
import { placeMeant, revisionsMeant } from '../meant.ts'
import { defineTool, type ToolContext } from '../tool.ts'

export const tags = defineTool({
  name: 'tags',
  title: 'Tags',
  description:
    'Tags of the vault with counts and nesting (list; with path those of a note); rename one everywhere, nested ones along, properties and text, all or nothing; add to or remove from a note. Notes with a tag: search_metadata.',
  input: z.strictObject({
    action: z.enum(['list', 'rename', 'add', 'remove']),
    tag: z.string().optional().describe('list: only this and those below it'),
    to: z.string().optional().describe('rename: the new name'),
    path: z.string().optional().describe('add, remove: the note; list: a note or folder'),
    limit: z.int().min(1).max(5000).default(500),
    offset: z.int().min(0).default(0),
    expected_revision: expectedRevision,
    expected_revisions: expectedRevisions,
    dry_run: dryRun,
  }),
  output: z.looseObject({
    action: z.string(),
    results: z.array(z.object({ tag: z.string(), count: z.number(), total: z.number() })).optional(),
    total: z.number().optional(),
    truncated: z.boolean().optional(),
    message: z.string().optional(),
    warnings: z.array(z.string()).optional(),
  }),
  access: { reads: ['list'] },
  async run(context, args) {
    switch (args.action) {
      case 'list':
        return { data: { action: 'list', ...(await list(context.vault, args)) } }
      case 'rename':
        return { data: { action: 'rename', ...(await rename(context, args)) } }
      case 'add':
      case 'remove':
        return { data: { action: args.action, ...(await change(context, args.action, args)) } }
    }
  },
})

interface Args {
  readonly tag?: string | undefined
  readonly to?: string | undefined
  readonly path?: string | undefined
  readonly limit: number
  readonly offset: number
  readonly expected_revision?: string | undefined
  readonly expected_revisions?: Record<string, string> | undefined
  readonly dry_run: boolean
}

async function list(vault: Vault, { tag, path, limit, offset }: Args) {
  await vault.searchable()
  const all = countTags(vault.catalogue.notes(), { below: tag, path: await placeMeant(vault, path) })
  const results = all.slice(offset, offset + limit)
  return { results, total: all.length, truncated: offset + results.length < all.length }
}

async function rename({ vault, client }: ToolContext, args: Args) {
  const from = required('tag', args.tag, 'the tag to rename')
  const to = required('to', args.to, 'its new name')
  await vault.searchable()
  if (args.expected_revision !== undefined) {
    throw new VaultError('bad_argument', '"expected_revision" is for one note, and rename is about all.', {
      hint: 'Send expected_revisions: {"A.md": "revision"}.',
    })
  }
  const revisions = await revisionsMeant(vault, args.expected_revisions)
  const having = vault.catalogue.notes().filter(({ facts }) => facts !== null && matchTag(facts, from))
  if (having.length === 0) return nothingToRename(vault, from, to)
  const notes = having.filter(({ path }) => vault.rules.mayWrite(path))
  const hidden = [...(await readHiddenNotes(vault)).values()].filter((facts) => matchTag(facts, from)).length
  let uses = 0
  const edits = notes.map(
    ({ path }): TextEdit => ({
      path,
      mode: 'replace',
      expectedRevision: revisions.get(path),
      edit: (before) => {
        const { text, count } = renameTag(before?.text ?? '', from, to)
        uses += count
        return { text }
      },
    }),
  )
  const results = await vault.editor.changeMany(edits, {
    tool: 'tags',
    client,
    dryRun: args.dry_run,
  })
  const message = `Renamed #${bare(from)} to #${bare(to)}: ${uses} ${uses === 1 ? 'use' : 'uses'} in ${results.length} ${results.length === 1 ? 'note' : 'notes'}.`
  return manyAnswer(results, message, {
    dryRun: args.dry_run,
    hidden: having.length - notes.length + hidden,
  })
}

/** Renaming again what is renamed already is done; a tag that nobody ever had is a mistake. */
function nothingToRename(vault: Vault, from: string, to: string) {
  const failure = noSuchTag(vault, from)
  const isThere = vault.catalogue.notes().some(({ facts }) => facts !== null && matchTag(facts, to))
  if (!isThere) throw failure
  return manyAnswer([], `Nothing to change: no note has #${bare(from)}, and #${bare(to)} is in use.`, {
    warnings: failure.hint === undefined ? [] : [failure.hint],
  })
}

async function change({ vault, client }: ToolContext, action: 'add' | 'remove', args: Args) {
  const tag = required('tag', args.tag, 'the tag')
  const { path, warnings } = await vault.locateForChange(required('path', args.path, 'the note'))
  requireNote(path)
  const result = await vault.editor.change({
    path,
    tool: 'tags',
    client,
    mode: 'replace',
    dryRun: args.dry_run,
    expectedRevision:
      args.expected_revision ?? (await revisionsMeant(vault, args.expected_revisions)).get(path),
    edit: (before) => ({ text: (action === 'add' ? addTag : removeTag)(before?.text ?? '', tag).text }),
  })
  const message = action === 'add' ? `Added #${bare(tag)} to ${path}.` : `Removed #${bare(tag)} from ${path}.`
  return changeAnswer(result, message, { dryRun: args.dry_run, warnings })
}

function bare(tag: string): string {
  return tag.replace(/^#/, '')
}

function required(name: string, value: string | undefined, what: string): string {
  if (value !== undefined && value.trim() !== '') return value
  throw new VaultError('bad_argument', `"${name}" is missing.`, { hint: `Give ${what} in ${name}.` })
}

function noSuchTag(vault: Vault, tag: string): VaultError {
  const known = countTags(vault.catalogue.notes(), {}).map((row) => row.tag)
  const near = nearest(bare(tag), known)
  return new VaultError('target_not_found', `No note has the tag #${bare(tag)}.`, {
    hint:
      near.length > 0
        ? `Tags like it: ${near.map((n) => `#${n}`).join(', ')}.`
        : 'tags with action "list" shows all.',
    details: { nearest: near },
  })
}
