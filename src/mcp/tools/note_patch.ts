import { z } from 'zod'
import { VaultError } from '../../errors.ts'
import { parseNote } from '../../note/parse.ts'
import { patchNote } from '../../note/patch.ts'
import type { PatchRequest } from '../../note/patch_request.ts'
import { findBlock, findHeading } from '../../note/sections.ts'
import type { TextEdit } from '../../vault/edit_types.ts'
import { type FragmentRename, planFragmentRename } from '../../vault/fragment_moves.ts'
import { planAround, readHiddenNotes } from '../../vault/hidden_notes.ts'
import { linkEdit } from '../../vault/link_edits.ts'
import { requireNote, type Vault } from '../../vault/vault.ts'
import { changeAnswer, manyAnswer } from '../changes.ts'
import { change, dryRun, expectedRevision, path } from '../fields.ts'
import { defineTool, type ToolContext } from '../tool.ts'

export const notePatch = defineTool({
  name: 'note_patch',
  title: 'Edit a part of a note',
  description:
    'Changes one section, block, property or range of lines and nothing else. Renaming a heading or block id rewrites every link to it. A phrase: note_replace; end of the note: note_insert.',
  input: z.strictObject({
    path,
    operation: z.enum(['append', 'prepend', 'replace', 'delete', 'rename']),
    target_type: z.enum(['heading', 'block', 'frontmatter', 'lines']),
    target: z.string().describe('Heading or path "A::B"; block id; property; lines "12-15"'),
    content: z.string().optional().describe('Text; YAML for properties; new name for rename'),
    scope: z.enum(['section', 'body']).default('section').describe('body: without subsections'),
    occurrence: z.int().min(1).optional().describe('Which of equal headings'),
    line: z.int().min(1).optional().describe('Line of the heading'),
    create_if_missing: z.boolean().default(false),
    allow_headings: z
      .boolean()
      .default(false)
      .describe('Allow headings of this or a higher level in content'),
    expected_revision: expectedRevision,
    dry_run: dryRun,
  }),
  output: change.extend({
    files_changed: z.number().optional(),
    links_changed: z.number().optional(),
    hidden_skipped: z.number().optional(),
    notes: z.array(z.looseObject({ path: z.string() })).optional(),
  }),
  access: 'write',
  annotations: { destructive: true },
  async run(context, args) {
    const { vault, client } = context
    const located = await vault.locateForChange(args.path)
    requireNote(located.path)
    const request = requestOf(args)
    if (args.operation === 'rename') return { data: await rename(context, located, request, args) }
    const result = await vault.editor.change({
      path: located.path,
      tool: 'note_patch',
      client,
      mode: 'replace',
      dryRun: args.dry_run,
      expectedRevision: args.expected_revision,
      edit: (before) => {
        const { text, notes } = patchNote(before?.text ?? '', request)
        return { text, warnings: notes }
      },
    })
    return {
      data: changeAnswer(
        result,
        `${DONE[args.operation]} ${args.target_type} "${args.target}" in ${located.path}.`,
        {
          dryRun: args.dry_run,
          warnings: located.warnings,
        },
      ),
    }
  },
})

const DONE = {
  append: 'Appended to',
  prepend: 'Prepended to',
  replace: 'Replaced',
  delete: 'Deleted',
  rename: 'Renamed',
} as const

interface Args {
  readonly operation: keyof typeof DONE
  readonly target_type: 'heading' | 'block' | 'frontmatter' | 'lines'
  readonly target: string
  readonly content?: string | undefined
  readonly scope: 'section' | 'body'
  readonly occurrence?: number | undefined
  readonly line?: number | undefined
  readonly create_if_missing: boolean
  readonly allow_headings: boolean
  readonly expected_revision?: string | undefined
  readonly dry_run: boolean
}

function requestOf(args: Args): PatchRequest {
  if (args.content === undefined && args.operation !== 'delete') {
    throw new VaultError('bad_argument', `"content" is missing: ${args.operation} needs it.`, {
      hint:
        args.operation === 'rename'
          ? 'Give the new heading text or block id in content.'
          : 'Give the text in content.',
    })
  }
  return {
    operation: args.operation,
    targetType: args.target_type,
    target: args.target,
    content: args.content ?? '',
    scope: args.scope,
    occurrence: args.occurrence,
    line: args.line,
    createIfMissing: args.create_if_missing,
    allowHeadings: args.allow_headings,
  }
}

/** The note's own text and every link to the renamed place, in one step. */
async function rename(
  { vault, client }: ToolContext,
  { path: note, warnings }: { path: string; warnings: readonly string[] },
  request: PatchRequest,
  args: Args,
) {
  await vault.searchable()
  const { plan, skipped } = await fragmentPlan(vault, note, request)
  const { rewrites, misled } = plan
  const others = rewrites.filter((r) => r.path !== note && vault.rules.mayWrite(r.path))
  const own = rewrites.find((r) => r.path === note)
  const edits: TextEdit[] = [
    {
      path: note,
      mode: 'replace',
      expectedRevision: args.expected_revision,
      edit: (before) => {
        const relinked =
          own === undefined || before === null ? before : { ...before, text: linkEdit(own).edit(before).text }
        const { text, notes } = patchNote(relinked?.text ?? '', request)
        return { text, warnings: notes }
      },
    },
    ...others.map(linkEdit),
  ]
  const results = await vault.editor.changeMany(edits, { tool: 'note_patch', client, dryRun: args.dry_run })
  const links = [...others, ...(own ? [own] : [])].reduce((sum, r) => sum + r.links, 0)
  const message = `Renamed ${args.target_type} "${args.target}" in ${note}; ${links} ${links === 1 ? 'link' : 'links'} rewritten.`
  const many = manyAnswer(results, message, {
    dryRun: args.dry_run,
    links,
    hidden: rewrites.filter((r) => !vault.rules.mayWrite(r.path)).length + skipped,
    warnings: [
      ...warnings,
      ...misled.map((m) => `${m.source_path}, line ${m.line}: ${m.raw} may lead elsewhere now.`),
    ],
  })
  const mine = results.find((r) => r.path === note)
  return {
    ...many,
    path: note,
    revision: mine?.revision ?? null,
    previous_revision: mine?.previous_revision ?? null,
  }
}

async function fragmentPlan(vault: Vault, note: string, request: PatchRequest) {
  const { graph } = vault.catalogue
  const hidden = await readHiddenNotes(vault)
  const plan = (rename: FragmentRename) =>
    planAround(graph, hidden, () => planFragmentRename(graph, note, rename))
  const parsed = parseNote((await vault.read(note)).text)
  const { target, content = '', occurrence, line } = request
  if (request.targetType === 'heading') {
    const heading = findHeading(parsed, target, { occurrence, line })
    return plan({ heading, text: content.trim().replace(/^#{1,6}\s+/, '') })
  }
  if (request.targetType === 'block') {
    return plan({
      block: findBlock(parsed, target).id,
      id: content.trim().replace(/^\^/, ''),
    })
  }
  throw new VaultError('bad_argument', `A ${request.targetType} target cannot be renamed.`, {
    hint: 'rename is for headings and block ids.',
  })
}
