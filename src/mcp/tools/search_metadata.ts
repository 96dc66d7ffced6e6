import { z } from 'zod'
import { VaultError } from '../../errors.ts'
import { stemOf, type VaultPath } from '../../note/path.ts'
import { compileSort, type Described, selectFields } from '../../search/fields.ts'
import { type Condition, matchTag, OPERATORS } from '../../search/where.ts'
import type { FileRecord } from '../../vault/catalogue.ts'
import { compileFilters } from '../../vault/filters.ts'
import { filters, indexState, warnings, where } from '../fields.ts'
import { byHitPath, defineTool, type VaultHit } from '../tool.ts'

export const searchMetadata = defineTool({
  name: 'search_metadata',
  title: 'Search by tag or property',
  description:
    'Finds notes by tag (type tag) or properties (type frontmatter). Exact, unranked, all of them. Words: search_text.',
  input: z.strictObject({
    type: z.enum(['tag', 'frontmatter']),
    tag: z.string().optional().describe('With or without #'),
    include_nested: z.boolean().default(true).describe('a also finds a/b'),
    field: z.string().optional().describe('Property; dotted if nested; file.modified, file.size, …'),
    operator: z.enum(OPERATORS).default('eq').describe('Lists: any element'),
    value: z.unknown().optional(),
    where: where.describe('More conditions: [{field, operator, value}]'),
    path: filters.path,
    limit: z.int().min(1).max(5000).default(1000),
    offset: z.int().min(0).default(0),
    sort: z.string().optional().describe('Fields, - for descending: "-date,title"'),
    select: z.array(z.string()).optional().describe('Fields to answer'),
  }),
  output: z.object({
    results: z.array(z.looseObject({ path: z.string(), title: z.string() })),
    total: z.number(),
    truncated: z.boolean(),
    index: indexState,
    warnings,
  }),
  access: 'read',
  searches: true,
  hitOrder({ sort }) {
    if (sort === undefined) return byHitPath
    const order = compileSort(sort)
    const noteOf = ({ vault, hit }: VaultHit) => vault.file(hit.path as VaultPath) as FileRecord
    return (a, b) => order(described(noteOf(a)), described(noteOf(b)))
  },
  async run({ vault }, args) {
    const conditions = [...conditionsOf(args), ...((args.where ?? []) as Condition[])]
    const holds = compileFilters({ path: args.path, where: conditions })
    const order = args.sort === undefined ? null : compileSort(args.sort)
    const { tag, include_nested } = args
    const index = await vault.searchable()
    let found = vault.catalogue
      .notes()
      .filter(
        (file) =>
          file.facts !== null &&
          (tag === undefined || args.type !== 'tag' || matchTag(file.facts, tag, include_nested)),
      )
      .filter((file) => holds === null || holds(file))
    if (order)
      found = found
        .map(described)
        .sort(order)
        .map(({ file }) => file as FileRecord)
    const page = found.slice(args.offset, args.offset + args.limit)
    const select = args.select
    return {
      data: {
        results: page.map((file) => ({
          path: file.path,
          title: stemOf(file.path),
          ...(select ? { fields: selectFields(described(file), select) } : {}),
        })),
        total: found.length,
        truncated: args.offset + page.length < found.length,
        index,
      },
    }
  },
})

function described(file: FileRecord): Described {
  return { file, facts: file.facts as NonNullable<FileRecord['facts']> }
}

type Args = {
  type: 'tag' | 'frontmatter'
  tag?: string | undefined
  field?: string | undefined
  operator: (typeof OPERATORS)[number]
  value?: unknown
  where?: readonly unknown[] | undefined
}

function conditionsOf(args: Args): Condition[] {
  if (args.type === 'tag') {
    if (args.tag === undefined || args.tag.replace(/^#/, '').trim() === '')
      throw missing('tag', 'type "tag" needs it')
    return []
  }
  const { field, operator, value } = args
  if (field === undefined) {
    if (args.where !== undefined && args.where.length > 0) return []
    throw missing('field', 'type "frontmatter" needs it, or conditions in where')
  }
  const needsNone = operator === 'exists' || operator === 'missing'
  if (!('value' in args) && !needsNone) throw missing('value', `operator "${operator}" needs it`)
  return [{ field, operator, ...(needsNone ? {} : { value }) }]
}

function missing(name: string, why: string): VaultError {
  return new VaultError('bad_argument', `"${name}" is missing: ${why}.`, {
    hint: 'For example {type: "tag", tag: "project"} or {type: "frontmatter", field: "status", value: "done"}.',
  })
}
