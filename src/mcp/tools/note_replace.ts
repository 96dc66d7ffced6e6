import { z } from 'zod'
import { VaultError } from '../../errors.ts'
import { kindOf } from '../../note/kinds.ts'
import type { VaultPath } from '../../note/path.ts'
import { replaceInText } from '../../note/replace.ts'
import type { TextEdit } from '../../vault/edit_types.ts'
import { changeAnswer, manyAnswer } from '../changes.ts'
import { dryRun, expectedRevision, expectedRevisions } from '../fields.ts'
import { revisionsMeant } from '../meant.ts'
import { defineTool } from '../tool.ts'

export const noteReplace = defineTool({
  name: 'note_replace',
  title: 'Replace text',
  description:
    'Replaces a phrase (or RE2 pattern) in one note or several, all or nothing, without rewriting the rest. Several matches need count or expected_count. A whole section: note_patch.',
  input: z.strictObject({
    path: z.string().optional(),
    paths: z.array(z.string()).min(1).max(100).optional().describe('Several notes, in place of path'),
    search: z.string().describe('Literal text unless regex'),
    replace: z.string().describe('"" deletes; with regex $1 works'),
    regex: z.boolean().default(false),
    match_case: z.boolean().default(true),
    whole_word: z.boolean().default(false),
    count: z
      .union([z.int().min(1), z.literal('all')])
      .optional()
      .describe('Replace so many in each note'),
    expected_count: z.int().min(1).optional().describe('Refuse unless a note holds exactly so many'),
    scope: z.enum(['body', 'whole']).default('body').describe('whole: properties too'),
    expected_revision: expectedRevision,
    expected_revisions: expectedRevisions,
    dry_run: dryRun,
  }),
  output: z.looseObject({
    message: z.string(),
    changed: z.boolean(),
    replaced: z.number(),
    diff: z.string(),
    warnings: z.array(z.string()),
  }),
  access: 'write',
  annotations: { destructive: true },
  async run({ vault, client }, args) {
    const arguments_ = targets(args.path, args.paths)
    const located = await Promise.all(arguments_.map((p) => vault.locateForChange(p)))
    const paths = [...new Set(located.map((l) => l.path))]
    const warnings = located.flatMap((l) => l.warnings)
    for (const path of paths) requireText(path)
    if (paths.length > 1 && args.expected_revision !== undefined) {
      throw new VaultError('bad_argument', '"expected_revision" is for one note.', {
        hint: 'For several notes send expected_revisions: {"A.md": "revision"}.',
      })
    }
    const revisions = await revisionsMeant(vault, args.expected_revisions)
    let replaced = 0
    const edit = (text: string) => {
      const done = replaceInText(text, {
        search: args.search,
        replace: args.replace,
        regex: args.regex,
        matchCase: args.match_case,
        wholeWord: args.whole_word,
        scope: args.scope,
        ...(args.count === undefined ? {} : { count: args.count }),
        ...(args.expected_count === undefined ? {} : { expectedCount: args.expected_count }),
      })
      replaced += done.count
      return { text: done.text }
    }
    const actor = { tool: 'note_replace', client, dryRun: args.dry_run }
    const only = paths.length === 1 && args.paths === undefined ? paths[0] : undefined
    if (only !== undefined) {
      const result = await vault.editor.change({
        ...actor,
        path: only,
        mode: 'replace',
        expectedRevision: args.expected_revision ?? revisions.get(only),
        edit: (before) => edit(before?.text ?? ''),
      })
      const message = `Replaced ${times(replaced)} in ${only}.`
      return { data: { ...changeAnswer(result, message, { dryRun: args.dry_run, warnings }), replaced } }
    }
    const edits = paths.map(
      (path): TextEdit => ({
        path,
        mode: 'replace',
        expectedRevision: revisions.get(path) ?? args.expected_revision,
        edit: (before) => inFile(path, () => edit(before?.text ?? '')),
      }),
    )
    const results = await vault.editor.changeMany(edits, actor)
    const answer = manyAnswer(
      results,
      `Replaced ${times(replaced)} in ${paths.length === 1 ? 'one note' : `${paths.length} notes`}.`,
      {
        dryRun: args.dry_run,
        warnings,
      },
    )
    return { data: { ...answer, replaced } }
  },
})

/** Where one of several files stops the change, its name belongs to the reason. */
function inFile<T>(path: VaultPath, edit: () => T): T {
  try {
    return edit()
  } catch (error) {
    if (!(error instanceof VaultError)) throw error
    const { code, message, hint, details } = error
    throw new VaultError(code, `${path}: ${message}`, { hint, details: { path, ...details }, cause: error })
  }
}

function requireText(path: VaultPath): void {
  if (kindOf(path) !== 'attachment') return
  throw new VaultError('not_a_note', `"${path}" is not a text file.`, {
    hint: 'Binary files are read and added by attachments, moved by note_move and deleted by note_delete.',
  })
}

function times(n: number): string {
  return n === 1 ? 'one match' : `${n} matches`
}

function targets(path: string | undefined, paths: string[] | undefined): string[] {
  if ((path === undefined) === (paths === undefined)) {
    throw new VaultError('bad_argument', 'Exactly one of path and paths is needed.', {
      hint: 'Give path for one note, paths for several.',
    })
  }
  return paths ?? [path as string]
}
