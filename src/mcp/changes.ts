import type { z } from 'zod'
import type { Change } from '../vault/edit_types.ts'
import type { change, manyChanges } from './fields.ts'

/** The answer of a change of one note, with a sentence for people. */
export function changeAnswer(
  result: Change,
  message: string,
  {
    dryRun = false,
    warnings = [],
  }: { readonly dryRun?: boolean; readonly warnings?: readonly string[] } = {},
): z.input<typeof change> {
  const done = result.changed ? message : `Nothing to change in ${result.path}.`
  return {
    ...result,
    message: dryRun && result.changed ? `Dry run, nothing was written. ${message}` : done,
    warnings: [...warnings, ...result.warnings],
  }
}

/** The answer of a change of several notes: a row each, the diffs one after the other within the usual bound. */
export function manyAnswer(
  results: readonly Change[],
  message: string,
  { dryRun = false, warnings = [], links = 0, hidden = 0 }: ManyOptions = {},
): z.input<typeof manyChanges> {
  const changed = results.filter((r) => r.changed)
  return {
    message: dryRun ? `Dry run, nothing was written. ${message}` : message,
    changed: changed.length > 0,
    changed_lines: changed.reduce((sum, r) => sum + r.changed_lines, 0),
    files_changed: changed.length,
    links_changed: links,
    hidden_skipped: hidden,
    notes: results.map(({ path, revision, previous_revision, changed: is, changed_lines }) => ({
      path,
      revision,
      previous_revision,
      changed: is,
      changed_lines,
    })),
    diff: shortened(changed.map((r) => r.diff)),
    warnings: [...warnings, ...results.flatMap((r) => r.warnings.map((w) => `${r.path}: ${w}`))],
  }
}

interface ManyOptions {
  readonly dryRun?: boolean
  readonly warnings?: readonly string[]
  readonly links?: number
  readonly hidden?: number
}

const MAX_DIFF_LINES = 40

function shortened(diffs: readonly string[]): string {
  const lines = diffs.filter((d) => d !== '').flatMap((d) => d.replace(/\n$/, '').split('\n'))
  if (lines.length <= MAX_DIFF_LINES) return lines.join('\n')
  return [...lines.slice(0, MAX_DIFF_LINES - 1), `… ${lines.length - MAX_DIFF_LINES + 1} more lines`].join(
    '\n',
  )
}
