import { z } from 'zod'
import { VaultError } from '../../errors.ts'
import { scanFrontmatter } from '../../note/frontmatter.ts'
import { removeProperty, setProperties } from '../../note/properties.ts'
import { didYouMean, nearest } from '../../text/nearest.ts'
import { requireRevision } from '../../vault/revisions.ts'
import { requireNote } from '../../vault/vault.ts'
import { changeAnswer } from '../changes.ts'
import { dryRun, expectedRevision, path } from '../fields.ts'
import { defineTool, type ToolContext } from '../tool.ts'

export const frontmatter = defineTool({
  name: 'frontmatter',
  title: 'Properties of a note',
  description:
    "Gets a note's properties, sets one (key, value) or several (set), removes one. Only the bytes of those pairs change.",
  input: z.strictObject({
    action: z.enum(['get', 'set', 'remove']),
    path,
    key: z.string().optional(),
    value: z.unknown().optional().describe('Any JSON value; its type is kept'),
    set: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Several keys at once, in place of key and value'),
    expected_revision: expectedRevision,
    dry_run: dryRun,
  }),
  output: z.looseObject({
    action: z.string(),
    path: z.string(),
    revision: z.string().nullable(),
    frontmatter: z.record(z.string(), z.unknown()).nullable().optional(),
    key: z.string().optional(),
    value: z.unknown().optional(),
    has_block: z.boolean().optional(),
    message: z.string().optional(),
    warnings: z.array(z.string()).optional(),
  }),
  access: { reads: ['get'] },
  annotations: { destructive: true },
  async run(context, args) {
    if (args.action === 'get') return await get(context, args)
    const { vault, client } = context
    const edit = editOf(args)
    const { path, warnings } = await vault.locateForChange(args.path)
    requireNote(path)
    const result = await vault.editor.change({
      path,
      tool: 'frontmatter',
      client,
      mode: 'replace',
      dryRun: args.dry_run,
      expectedRevision: args.expected_revision,
      edit: (before) => ({ text: edit.apply(before?.text ?? '') }),
    })
    const answer = changeAnswer(result, `${edit.says} in ${path}.`, { dryRun: args.dry_run, warnings })
    return { data: { action: args.action, ...answer } }
  },
})

interface GetArgs {
  readonly path: string
  readonly key?: string | undefined
  readonly expected_revision?: string | undefined
}

async function get({ vault }: ToolContext, args: GetArgs) {
  const { path, warnings } = await vault.locate(args.path)
  requireNote(path)
  const note = await vault.read(path)
  requireRevision(note, args.expected_revision)
  const { text, revision } = note
  const { kind, data, problems } = scanFrontmatter(text)
  // A block that never closes is text to the application: there are no properties. One that closes and does not parse is an error.
  const closed = scanFrontmatter(text).block !== null
  if (kind === 'broken' && closed) {
    const problem = problems[0]
    throw new VaultError(
      'bad_frontmatter',
      `The properties of "${path}" cannot be read: ${problem?.message ?? 'broken YAML'}`,
      {
        hint: `Mend line ${problem?.line ?? 1} with note_replace (scope whole) or note_write.`,
        details: { line: problem?.line ?? 1 },
      },
    )
  }
  const one = args.key === undefined ? {} : property(data, args.key)
  const shown = [...warnings, ...problems.map((p) => `line ${p.line}: ${p.message}`)]
  return {
    data: {
      action: 'get',
      path,
      revision,
      frontmatter: data,
      ...one,
      has_block: kind === 'mapping' || kind === 'empty',
      ...(shown.length > 0 ? { warnings: shown } : {}),
    },
    text: JSON.stringify('value' in one ? one.value : data),
  }
}

/** @throws VaultError `target_not_found` with the nearest names */
function property(data: Record<string, unknown> | null, key: string): { key: string; value: unknown } {
  if (data !== null && Object.hasOwn(data, key)) return { key, value: data[key] }
  const names = Object.keys(data ?? {})
  const near = nearest(key, names)
  const listed =
    names.length === 0 ? 'The note has no properties.' : `Its properties: ${names.slice(0, 20).join(', ')}.`
  throw new VaultError('target_not_found', `There is no property "${key}".`, {
    hint: didYouMean(near).trim() || listed,
    details: { nearest: near },
  })
}

interface Args {
  readonly action: 'get' | 'set' | 'remove'
  readonly key?: string | undefined
  readonly value?: unknown
  readonly set?: Record<string, unknown> | undefined
}

function editOf(args: Args): { says: string; apply: (text: string) => string } {
  const { action, key, set } = args
  if (action === 'remove') {
    if (key === undefined) throw missing('key', 'remove needs it')
    return { says: `Removed ${key}`, apply: (text) => removeProperty(text, key) }
  }
  if (set !== undefined && key === undefined) {
    return { says: `Set ${Object.keys(set).join(', ')}`, apply: (text) => setProperties(text, set) }
  }
  if (key === undefined) throw missing('key', 'set needs it, or several keys in "set"')
  if (!('value' in args)) throw missing('value', 'set needs it')
  const changes = Object.fromEntries([...Object.entries(set ?? {}), [key, args.value]])
  return { says: `Set ${Object.keys(changes).join(', ')}`, apply: (text) => setProperties(text, changes) }
}

function missing(name: string, why: string): VaultError {
  return new VaultError('bad_argument', `"${name}" is missing: ${why}.`, {
    hint: 'For example {action: "set", path: "A.md", key: "status", value: "done"}.',
  })
}
