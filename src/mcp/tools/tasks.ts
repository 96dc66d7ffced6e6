import { z } from 'zod'
import { VaultError } from '../../errors.ts'
import { localTimeAt } from '../../note/local_time.ts'
import type { TaskFact } from '../../note/note.ts'
import type { VaultPath } from '../../note/path.ts'
import { requireMarker, setTask } from '../../note/retask.ts'
import { compileFilters } from '../../vault/filters.ts'
import { requireNote, type Vault } from '../../vault/vault.ts'
import { changeAnswer } from '../changes.ts'
import { dryRun, expectedRevision } from '../fields.ts'
import { placeMeant } from '../meant.ts'
import { defineTool, type ToolContext } from '../tool.ts'

export const tasks = defineTool({
  name: 'tasks',
  title: 'Tasks',
  description:
    'Checkboxes of the vault, a folder or a note (list: filter by status, words or #tag in query), with line, heading, tags and dates; set changes the marker of the task on a line.',
  input: z.strictObject({
    action: z.enum(['list', 'set']),
    path: z.string().optional().describe('Note or folder; set: the note'),
    status: z.string().optional().describe('The marker itself: " " open, "x" done, "/" …'),
    line: z.int().min(1).optional().describe('set: the line of the task, from 1'),
    query: z.string().optional().describe('list: words or #tags the task must hold'),
    limit: z.int().min(1).max(1000).default(100),
    offset: z.int().min(0).default(0),
    expected_revision: expectedRevision,
    dry_run: dryRun,
  }),
  output: z.looseObject({
    action: z.string(),
    results: z
      .array(z.looseObject({ path: z.string(), line: z.number(), status: z.string(), text: z.string() }))
      .optional(),
    total: z.number().optional(),
    truncated: z.boolean().optional(),
    message: z.string().optional(),
    warnings: z.array(z.string()).optional(),
  }),
  access: { reads: ['list'] },
  async run(context, args) {
    if (args.action === 'list') return { data: { action: 'list', ...(await list(context.vault, args)) } }
    return { data: { action: 'set', ...(await set(context, args)) } }
  },
})

interface Args {
  readonly path?: string | undefined
  readonly status?: string | undefined
  readonly line?: number | undefined
  readonly query?: string | undefined
  readonly limit: number
  readonly offset: number
  readonly expected_revision?: string | undefined
  readonly dry_run: boolean
}

async function list(vault: Vault, { path, status, query, limit, offset }: Args) {
  if (status !== undefined && status !== '') requireMarker(status)
  await vault.searchable()
  const fits = compileFilters({ path: await placeMeant(vault, path) }) ?? (() => true)
  const holds = queryTest(query)
  const all: ({ path: VaultPath } & TaskFact)[] = []
  for (const note of vault.catalogue.notes()) {
    if (!fits(note)) continue
    for (const task of note.facts?.tasks ?? []) {
      if ((status === undefined || sameStatus(task.status, status)) && holds(task))
        all.push({ path: note.path, ...task })
    }
  }
  const results = all.slice(offset, offset + limit).map((task) => ({ ...task }))
  return { results, total: all.length, truncated: offset + results.length < all.length }
}

function sameStatus(have: string, wanted: string): boolean {
  return (
    have === wanted ||
    (wanted.toLowerCase() === 'x' && have.toLowerCase() === 'x') ||
    (wanted === '' && have === ' ')
  )
}

function queryTest(query: string | undefined): (task: TaskFact) => boolean {
  const words = (query ?? '')
    .toLowerCase()
    .split(/\s+/)
    .filter((w) => w !== '')
  return ({ text, tags, heading }) => {
    const own = new Set(tags.map((t) => t.toLowerCase()))
    const all = `${text} ${heading ?? ''}`.toLowerCase()
    return words.every((w) => (w.startsWith('#') ? own.has(w.slice(1)) || all.includes(w) : all.includes(w)))
  }
}

async function set({ vault, client }: ToolContext, args: Args) {
  const { line, status } = args
  if (args.path === undefined || line === undefined || status === undefined) {
    throw new VaultError('bad_argument', 'set needs path, line and status.', {
      hint: 'Take path and line from tasks with action "list"; status is the new marker, for example "x".',
    })
  }
  const { path, warnings } = await vault.locateForChange(args.path)
  requireNote(path)
  const stamp = carriesDoneDates(vault) ? { stampDone: today(vault) } : {}
  const result = await vault.editor.change({
    path,
    tool: 'tasks',
    client,
    mode: 'replace',
    dryRun: args.dry_run,
    expectedRevision: args.expected_revision,
    edit: (before) => ({ text: setTask(before?.text ?? '', line, status === '' ? ' ' : status, stamp) }),
  })
  return changeAnswer(result, `Set the task on line ${line} of ${path} to [${status}].`, {
    dryRun: args.dry_run,
    warnings,
  })
}

/** A vault whose done tasks carry the day they were done goes on so. */
function carriesDoneDates(vault: Vault): boolean {
  return vault.catalogue
    .notes()
    .some(({ facts }) => facts?.tasks.some((t) => t.dates.done !== undefined) ?? false)
}

function today(vault: Vault): string {
  return localTimeAt(Date.now(), vault.options.timezone).date
}
