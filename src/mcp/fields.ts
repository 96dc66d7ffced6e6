import { z } from 'zod'
import { OPERATORS } from '../search/where.ts'

/** Parameters and answers that several tools share, each described once. */

export const path = z.string().describe('From the vault root; .md optional')
export const expectedRevision = z.string().optional().describe('What you read; conflict if it changed')
export const expectedRevisions = z
  .record(z.string(), z.string())
  .optional()
  .describe('Revisions you read, by path')
export const dryRun = z.boolean().default(false).describe('Only show the diff')

/** Conditions with their operators spelled out are search_metadata's; the others point there, since every model reads this. */
export const conditions = z.array(
  z.strictObject({
    field: z.string(),
    operator: z.enum(OPERATORS).optional(),
    value: z.unknown().optional(),
  }),
)
export const conditionsShort = z
  .array(z.looseObject({ field: z.string() }))
  .optional()
  .describe('[{field, operator, value}], all must hold: see search_metadata')

export const filters = {
  path: z.string().optional().describe('Folder or note'),
  tag: z.string().optional().describe('Tag, nested ones too'),
  where: conditionsShort,
  modified_after: z.string().optional().describe('ISO date or time'),
  modified_before: z.string().optional(),
}

export const warnings = z.array(z.string()).optional()

/** What every change answers. */
export const change = z.object({
  message: z.string(),
  path: z.string(),
  revision: z.string().nullable(),
  previous_revision: z.string().nullable(),
  changed: z.boolean(),
  changed_lines: z.number(),
  diff: z.string(),
  warnings: z.array(z.string()),
})

/** A change of several notes. */
export const manyChanges = z.object({
  message: z.string(),
  changed: z.boolean(),
  files_changed: z.number(),
  links_changed: z.number(),
  notes: z.array(z.looseObject({ path: z.string() })),
  hidden_skipped: z.number(),
  diff: z.string(),
  warnings: z.array(z.string()),
})

export const indexState = z.object({
  state: z.string(),
  indexed: z.number(),
  total: z.number(),
  semantic: z.string(),
})
