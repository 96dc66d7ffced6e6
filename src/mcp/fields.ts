import { z } from 'zod'
import { OPERATORS } from '../search/where.ts'

/** Parameters and answers that several tools share, each described once. */

export const path = z.string().describe('Note path from the vault root; .md may be left out')
export const expectedRevision = z
  .string()
  .optional()
  .describe('Revision you read; answers conflict if the note changed since')
export const expectedRevisions = z
  .record(z.string(), z.string())
  .optional()
  .describe('Revisions you read, by path')
export const dryRun = z.boolean().default(false).describe('Answer with the diff, write nothing')

const where = z
  .array(
    z.object({
      field: z.string(),
      operator: z.enum(OPERATORS).optional(),
      value: z.unknown().optional(),
    }),
  )
  .optional()
  .describe('Property conditions, all must hold')

export const filters = {
  path: z.string().optional().describe('Only this folder or note'),
  tag: z.string().optional().describe('Only notes with this tag, nested ones included'),
  where,
  modified_after: z.string().optional().describe('ISO date'),
  modified_before: z.string().optional().describe('ISO date'),
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
