import { z } from 'zod'

/** Parameters and answers that several tools share, each described once. */

export const path = z.string().describe('Vault path; .md optional')
export const expectedRevision = z.string().optional().describe('Conflict if it changed')
export const expectedRevisions = z
  .record(z.string(), z.string())
  .optional()
  .describe('Revisions you read, by path')
export const dryRun = z.boolean().default(false).describe('Only show the diff')

/** Operators are spelled out once, in search_metadata: every model reads this list in every conversation. */
export const where = z
  .array(z.looseObject({ field: z.string() }))
  .optional()
  .describe('All must hold: [{field, operator, value}], as in search_metadata')

export const filters = {
  path: z.string().optional().describe('Folder or note'),
  tag: z.string().optional().describe('Tag, nested ones too'),
  where,
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
  changed_lines: z.number(),
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
