import { z } from 'zod'
import { VaultError } from '../../errors.ts'
import { unifiedDiff } from '../../note/diff.ts'
import { decodeNote } from '../../note/encoding.ts'
import { hasKnownExtension } from '../../note/kinds.ts'
import type { VaultPath } from '../../note/path.ts'
import type { Restored } from '../../vault/edit_types.ts'
import type { HistoryEntry } from '../../vault/history_entry.ts'
import { notFound } from '../../vault/paths.ts'
import type { Vault } from '../../vault/vault.ts'
import { manyAnswer } from '../changes.ts'
import { dryRun, expectedRevision } from '../fields.ts'
import { defineTool, type ToolContext } from '../tool.ts'

export const history = defineTool({
  name: 'history',
  title: 'History and undo',
  description:
    'What was changed, by which client, newest first (list; with path of one note); diff against an earlier revision; restore undoes a change, also deletes and moves; purge forgets a note for good.',
  input: z.strictObject({
    action: z.enum(['list', 'diff', 'restore', 'purge']),
    path: z.string().optional(),
    revision: z.string().optional().describe('A revision, or the id of an entry'),
    limit: z.int().min(1).max(500).default(20),
    offset: z.int().min(0).default(0),
    expected_revision: expectedRevision,
    dry_run: dryRun,
  }),
  output: z.looseObject({
    action: z.string(),
    results: z
      .array(z.looseObject({ id: z.string(), time: z.string(), client: z.string(), tool: z.string() }))
      .optional(),
    total: z.number().optional(),
    truncated: z.boolean().optional(),
    diff: z.string().optional(),
    message: z.string().optional(),
    warnings: z.array(z.string()).optional(),
  }),
  access: { reads: ['list', 'diff'] },
  annotations: { destructive: true },
  async run(context, args) {
    const { vault } = context
    await vault.named()
    const path = args.path === undefined ? undefined : await visiblePath(vault, args.path)
    switch (args.action) {
      case 'list':
        return { data: { action: 'list', ...(await list(vault, path, args)) } }
      case 'diff':
        return { data: { action: 'diff', ...(await diff(vault, path, args.revision)) } }
      case 'restore':
        return { data: { action: 'restore', ...(await restore(context, path, args)) } }
      case 'purge': {
        if (path === undefined) throw missing('path', 'the note to forget')
        return { data: { action: 'purge', ...(await purge(vault, path, args.dry_run)) } }
      }
    }
  },
})

/** A path that may be gone from the vault, with `.md` where that is how the history knows it. */
async function visiblePath(vault: Vault, argument: string): Promise<VaultPath> {
  const { path } = await vault.checkArgument(argument)
  const full = vault.catalogue.kindAt(path) === null && !hasKnownExtension(path) ? `${path}.md` : path
  if (vault.rules.verdict(full) !== 'visible') throw notFound(path, vault.catalogue)
  return full
}

function isVisible(vault: Vault, entry: HistoryEntry): boolean {
  return entry.changes.some((c) => vault.rules.verdict(c.path) === 'visible')
}

async function list(
  vault: Vault,
  path: VaultPath | undefined,
  { limit, offset }: { limit: number; offset: number },
) {
  const entries = await vault.history.list({ ...(path === undefined ? {} : { path }), limit: Infinity })
  const all = entries.filter((e) => isVisible(vault, e))
  const results = all.slice(offset, offset + limit).map(shown)
  return { results, total: all.length, truncated: offset + results.length < all.length }
}

async function purge(vault: Vault, path: VaultPath, dryRun: boolean) {
  const count = dryRun
    ? (await vault.history.list({ path, limit: Infinity })).length
    : await vault.history.purge(path)
  const what = `${count} kept ${count === 1 ? 'change' : 'changes'} of ${path}.`
  return {
    path,
    changed: count > 0,
    message: dryRun ? `Dry run, nothing was forgotten: ${what}` : `Forgot ${what}`,
  }
}

function shown(entry: HistoryEntry) {
  return {
    id: entry.id,
    time: new Date(entry.time).toISOString(),
    client: entry.client,
    tool: entry.tool,
    action: entry.action,
    changes: entry.changes.map(({ path, from, before, after }) => ({
      path,
      ...(from === undefined ? {} : { from }),
      revision: after,
      previous_revision: before,
    })),
  }
}

async function diff(vault: Vault, path: VaultPath | undefined, revision: string | undefined) {
  if (path === undefined) throw missing('path', 'the note')
  const reference = revision ?? (await latestBefore(vault, path))
  const old = await bytesOf(vault, path, reference)
  const now = await vault.read(path).then(
    (note) => note.text,
    () => '',
  )
  const { diff: text, changedLines } = unifiedDiff(decodeNote(old).text, now, { path })
  return { path, revision: reference, diff: text, changed_lines: changedLines }
}

async function latestBefore(vault: Vault, path: VaultPath): Promise<string> {
  for (const entry of await vault.history.list({ path, limit: 50 })) {
    const before = entry.changes.find((c) => c.path === path || c.from === path)?.before
    if (before) return before
  }
  throw new VaultError('not_found', `The history holds no earlier version of "${path}".`, {
    hint: 'history with action "list" shows what it holds.',
  })
}

async function bytesOf(vault: Vault, path: VaultPath, reference: string): Promise<Uint8Array> {
  const { entry, revision } = await vault.history.find(reference)
  const wanted = revision ?? entry.changes.find((c) => c.path === path || c.from === path)?.before ?? null
  const bytes = wanted === null ? null : await vault.history.bytesOf(wanted)
  if (bytes !== null) return bytes
  throw new VaultError(
    'not_found',
    `The history holds no bytes of "${path}" under ${JSON.stringify(reference)}.`,
    {
      hint: 'history with action "list" and this path shows the revisions that it holds.',
    },
  )
}

async function restore(
  { vault, client }: ToolContext,
  path: VaultPath | undefined,
  args: {
    revision?: string | undefined
    expected_revision?: string | undefined
    dry_run: boolean
  },
) {
  const reference = args.revision ?? (await lastEntry(vault, path))
  const restored = await vault.editor.restore({
    path,
    reference,
    tool: 'history',
    client,
    expectedRevision: args.expected_revision,
    dryRun: args.dry_run,
  })
  const message = `Restored ${restored.map((r) => r.path).join(', ')}.`
  const [one, ...others] = restored
  return {
    ...manyAnswer(restored, message, { dryRun: args.dry_run }),
    ...(one === undefined || others.length > 0 ? {} : ofOne(one)),
  }
}

function ofOne({ path, revision, previous_revision }: Restored) {
  return { path, revision, previous_revision }
}

/** Without a revision the last change of the note is undone. */
async function lastEntry(vault: Vault, path: VaultPath | undefined): Promise<string> {
  if (path === undefined)
    throw missing('revision', 'an id or revision from the list, or a path whose last change is to be undone,')
  const last = (await vault.history.list({ path, limit: 1 }))[0]
  if (last) return last.id
  throw new VaultError('not_found', `The history holds nothing of "${path}".`, {
    hint: 'history with action "list" shows what it holds.',
  })
}

function missing(name: string, what: string): VaultError {
  return new VaultError('bad_argument', `"${name}" is missing.`, { hint: `Give ${what} in ${name}.` })
}
