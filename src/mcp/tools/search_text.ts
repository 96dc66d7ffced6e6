import { z } from 'zod'
import { FIELDS } from '../../index/fields.ts'
import { stemOf } from '../../note/path.ts'
import { NO_WORD } from '../../search/describe.ts'
import type { Condition } from '../../search/where.ts'
import { passagesOf, searchNotes } from '../../vault/search_notes.ts'
import { filters, indexState, warnings } from '../fields.ts'
import { defineTool } from '../tool.ts'

export const searchText = defineTool({
  name: 'search_text',
  title: 'Search words',
  description:
    'Ranked full-text search in every language, word forms included: words (any may match), "phrases", +must, -not, pre*, AND/OR/NOT, field:word, tag:#a, path:Folder, [property:value]. Answers passages with lines. Names: note_find; patterns: search_regex; tag or property alone: search_metadata.',
  input: z.strictObject({
    query: z.string(),
    fuzzy: z.boolean().default(false).describe('Forgive typos'),
    fields: z.array(z.enum(FIELDS)).optional().describe('Only in these'),
    context_length: z.int().min(0).max(2000).default(100).describe('Characters each side'),
    max_results: z.int().min(0).max(200).default(20),
    offset: z.int().min(0).default(0),
    ...filters,
    explain: z.boolean().default(false).describe('Explain scores'),
  }),
  output: z.object({
    results: z.array(
      z.looseObject({
        path: z.string(),
        title: z.string(),
        score: z.number(),
        matches: z.array(
          z.looseObject({
            line: z.number(),
            context: z.string(),
            highlights: z.array(z.array(z.number())),
          }),
        ),
      }),
    ),
    total: z.number(),
    truncated: z.boolean(),
    understood: z.string(),
    notice: z.string().optional(),
    did_you_mean: z.array(z.object({ word: z.string(), near: z.array(z.string()) })).optional(),
    index: indexState,
    warnings,
  }),
  access: 'read',
  searches: true,
  async run({ vault }, args) {
    const index = await vault.searchable()
    const { query, fuzzy, fields, offset, explain, path, tag, where, modified_after, modified_before } = args
    const found = await searchNotes(vault, {
      query,
      fuzzy,
      fields,
      offset,
      explain,
      path,
      tag,
      where: where as Condition[] | undefined,
      modified_after,
      modified_before,
      limit: args.max_results,
    })
    const results = await Promise.all(
      found.hits.map(async (hit, rank) => ({
        path: hit.path,
        title: stemOf(hit.path),
        score: hit.score,
        tags: [...(vault.file(hit.path)?.facts?.tags ?? [])],
        matches: (
          await passagesOf(vault, hit, { contextLength: args.context_length, max: passagesAt(rank) })
        ).map((passage) => ({
          line: passage.line,
          context: passage.text,
          ...(passage.headingPath.length > 0 ? { heading: passage.headingPath.join('::') } : {}),
          highlights: passage.highlights.map(({ start, end }) => [start, end]),
        })),
        ...(hit.explanation ? { explanation: hit.explanation } : {}),
      })),
    )
    return {
      data: {
        results,
        total: found.total,
        truncated: offset + results.length < found.total,
        understood: found.understood,
        ...noticeOf(found, index.state),
        ...(found.suggestions.length > 0
          ? { did_you_mean: found.suggestions.map(({ word, near }) => ({ word, near: [...near] })) }
          : {}),
        index,
      },
    }
  },
})

/** The best notes show up to three passages, the others their best one: an answer is read by somebody who pays by the word. */
function passagesAt(rank: number): number {
  return rank < 5 ? 3 : 1
}

function noticeOf({ hasWords }: { hasWords: boolean }, state: string): { notice?: string } {
  if (!hasWords) return { notice: NO_WORD }
  if (state === 'building') {
    return { notice: 'The index is still being built: more notes may match. Ask again in a few seconds.' }
  }
  return {}
}
