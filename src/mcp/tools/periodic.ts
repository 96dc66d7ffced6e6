import { z } from 'zod'
import { VaultError } from '../../errors.ts'
import { insertText } from '../../note/insert.ts'
import { patchNote } from '../../note/patch.ts'
import {
  type CreatePlan,
  findPeriodic,
  listPeriodic,
  type PeriodicContext,
  planPeriodicAppend,
  planPeriodicCreate,
} from '../../vault/periodic.ts'
import type { Vault } from '../../vault/vault.ts'
import { changeAnswer } from '../changes.ts'
import { dryRun, expectedRevision } from '../fields.ts'
import { defineTool, type ToolContext } from '../tool.ts'

export const periodic = defineTool({
  name: 'periodic',
  title: 'Daily and other periodic notes',
  description:
    'Daily to yearly notes, named and placed as the vault is set up: get, create from the template, append (made where missing), list the newest.',
  input: z.strictObject({
    action: z.enum(['get', 'create', 'list', 'append']),
    period: z.enum(['daily', 'weekly', 'monthly', 'quarterly', 'yearly']),
    date: z.string().optional().describe('YYYY-MM-DD, default today'),
    content: z.string().optional().describe('Text; create: in place of the template'),
    heading: z.string().optional().describe('append: at the end of this section'),
    limit: z.int().min(1).max(366).default(10).describe('For list'),
    expected_revision: expectedRevision,
    dry_run: dryRun,
  }),
  output: z.looseObject({
    action: z.string(),
    path: z.string().optional(),
    content: z.string().optional(),
    revision: z.string().nullable().optional(),
    message: z.string().optional(),
    results: z.array(z.object({ path: z.string(), date: z.string(), title: z.string() })).optional(),
    total: z.number().optional(),
    truncated: z.boolean().optional(),
    warnings: z.array(z.string()).optional(),
  }),
  access: { reads: ['get', 'list'] },
  async run(context, args) {
    const { vault } = context
    const about = await contextOf(vault)
    switch (args.action) {
      case 'get': {
        const { path, date, title } = await findPeriodic(about, args)
        const { text, revision } = await vault.read(path)
        return { data: { action: 'get', path, date, title, content: text, revision } }
      }
      case 'list': {
        const all = await listPeriodic(about, args.period)
        const results = all.slice(0, args.limit)
        return {
          data: { action: 'list', results, total: all.length, truncated: results.length < all.length },
        }
      }
      case 'create':
        return {
          data: { action: 'create', ...(await create(context, await planPeriodicCreate(about, args), args)) },
        }
      case 'append':
        return { data: { action: 'append', ...(await append(context, about, args)) } }
    }
  },
})

type Args = {
  period: 'daily' | 'weekly' | 'monthly' | 'quarterly' | 'yearly'
  date?: string | undefined
  content?: string | undefined
  heading?: string | undefined
  expected_revision?: string | undefined
  dry_run: boolean
}

async function contextOf(vault: Vault): Promise<PeriodicContext> {
  await vault.named()
  const { locale, timezone } = vault.options
  return {
    ...vault.templateSource(),
    settings: await vault.settings(),
    now: Date.now(),
    zone: timezone,
    locale,
  }
}

async function create({ vault, client }: ToolContext, plan: CreatePlan, args: Args) {
  const { path, warnings } = await vault.locateNew(plan.path, { note: true })
  const result = await vault.editor.change({
    path,
    tool: 'periodic',
    client,
    mode: 'create',
    dryRun: args.dry_run,
    edit: () => ({ text: plan.content, warnings: plan.warnings }),
  })
  return changeAnswer(result, `Created ${path}.`, { dryRun: args.dry_run, warnings })
}

async function append({ vault, client }: ToolContext, about: PeriodicContext, args: Args) {
  const { content } = args
  if (content === undefined) {
    throw new VaultError('bad_argument', '"content" is missing: append needs the text.', {
      hint: 'Give the text to append in content.',
    })
  }
  const plan = await planPeriodicAppend(about, args)
  const isNew = plan.create !== null
  const { path, warnings } = isNew
    ? await vault.locateNew(plan.path, { note: true })
    : await vault.locateForChange(plan.path)
  const result = await vault.editor.change({
    path,
    tool: 'periodic',
    client,
    mode: isNew ? 'create' : 'replace',
    dryRun: args.dry_run,
    expectedRevision: args.expected_revision,
    edit: (before) => {
      const base = before?.text ?? plan.create?.content ?? ''
      const added = addText(base, content, args.heading)
      return { text: added.text, warnings: [...(plan.create?.warnings ?? []), ...added.notes] }
    },
  })
  const message = isNew ? `Created ${path} and appended to it.` : `Appended to ${path}.`
  return changeAnswer(result, message, { dryRun: args.dry_run, warnings })
}

function addText(base: string, content: string, heading: string | undefined) {
  if (heading === undefined) return insertText(base, content)
  return patchNote(base, {
    operation: 'append',
    targetType: 'heading',
    target: heading,
    content,
    scope: 'section',
    createIfMissing: true,
    allowHeadings: false,
  })
}
