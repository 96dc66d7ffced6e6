import { z } from 'zod'
import { VaultError } from '../../errors.ts'
import { kindOf } from '../../note/kinds.ts'
import { stemOf } from '../../note/path.ts'
import type { Condition } from '../../search/where.ts'
import { compileFilters } from '../../vault/filters.ts'
import { filters, indexState, warnings } from '../fields.ts'
import { byHitPath, defineTool } from '../tool.ts'

export const searchRegex = defineTool({
  name: 'search_regex',
  title: 'Search by pattern',
  description:
    'Finds notes by a regular expression (RE2: no look-around) over whole files; sorted by path, not ranked. Words: search_text.',
  input: z.strictObject({
    pattern: z.string().describe('At most 1000 bytes; (?i) (?m) (?s) work'),
    flags: z.string().optional().describe('Letters of i, m, s'),
    context_length: z.int().min(0).max(2000).default(100).describe('Characters each side'),
    max_results: z.int().min(0).max(200).default(20).describe('Notes'),
    ...filters,
  }),
  output: z.object({
    results: z.array(
      z.looseObject({
        path: z.string(),
        title: z.string(),
        matches: z.array(z.looseObject({ line: z.number(), context: z.string(), text: z.string() })),
      }),
    ),
    truncated: z.boolean(),
    searched: z.number(),
    unreadable: z.array(z.string()).optional(),
    index: indexState,
    warnings,
  }),
  access: 'read',
  searches: true,
  hitOrder: () => byHitPath,
  async run({ vault }, args) {
    const { path, tag, where, modified_after, modified_before } = args
    const fits = compileFilters({
      path,
      tag,
      where: where as Condition[] | undefined,
      modified_after,
      modified_before,
    })
    // Only what facts decide has to wait for them: the pattern itself is looked for in the files.
    const index =
      fits === null ? await vault.named().then(() => vault.indexState()) : await vault.searchable()
    const files = vault.catalogue
      .files()
      .filter((f) => kindOf(f.path) === 'note' && (fits === null || fits(f)))
    const searcher = await vault.regexSearcher()
    const found = await searcher.search({
      pattern: args.pattern,
      flags: args.flags,
      paths: files.map((f) => f.path),
      read: async (file) => {
        try {
          return await vault.storage.read(file)
        } catch (error) {
          if (error instanceof VaultError) return null
          throw error
        }
      },
      contextLength: args.context_length,
      maxResults: args.max_results,
    })
    return {
      data: {
        results: found.results.map(({ path: note, matches, more }) => ({
          path: note,
          title: stemOf(note),
          matches: matches.map(({ line, text, context, startByte, endByte }) => ({
            line,
            context,
            text,
            ...(startByte === null || endByte === null
              ? {}
              : { range: { start_byte: startByte, end_byte: endByte } }),
          })),
          ...(more ? { more_matches: true } : {}),
        })),
        truncated: found.truncated,
        searched: found.searched,
        ...(found.unreadable.length > 0 ? { unreadable: [...found.unreadable] } : {}),
        index,
      },
    }
  },
})
