import { z } from 'zod'
import { VaultError } from '../../errors.ts'
import {
  decodeBase64,
  listAttachments,
  orphanAttachments,
  placeForAttachment,
  readAttachment,
} from '../../vault/attachments.ts'
import type { Vault } from '../../vault/vault.ts'
import { changeAnswer } from '../changes.ts'
import { dryRun } from '../fields.ts'
import { type ContentBlock, defineTool, type ToolContext } from '../tool.ts'

export const attachments = defineTool({
  name: 'attachments',
  title: 'Attachments',
  description:
    'Files that are no text: list them, read one (images come as images), add one from base64 (placed as the vault is set up, never over an existing file), or find orphans that nothing links to.',
  input: z.strictObject({
    action: z.enum(['list', 'read', 'add', 'orphans']),
    path: z.string().optional().describe('list: a folder; read: the file; add: its name, or a path'),
    data: z.string().optional().describe('add: the bytes as base64'),
    note: z.string().optional().describe('add: the note it is for'),
    limit: z.int().min(1).max(1000).default(100),
    offset: z.int().min(0).default(0),
    dry_run: dryRun,
  }),
  output: z.looseObject({
    action: z.string(),
    path: z.string().optional(),
    results: z
      .array(z.looseObject({ path: z.string(), size: z.number(), media_type: z.string() }))
      .optional(),
    total: z.number().optional(),
    truncated: z.boolean().optional(),
    message: z.string().optional(),
    warnings: z.array(z.string()).optional(),
  }),
  access: { reads: ['list', 'read', 'orphans'] },
  async run(context, args) {
    const { vault } = context
    switch (args.action) {
      case 'list':
      case 'orphans':
        return { data: { action: args.action, ...(await list(vault, args)) } }
      case 'read':
        return await read(vault, required('path', args.path, 'the file to read'))
      case 'add':
        return { data: { action: 'add', ...(await add(context, args)) } }
    }
  },
})

interface Args {
  readonly action: string
  readonly path?: string | undefined
  readonly data?: string | undefined
  readonly note?: string | undefined
  readonly limit: number
  readonly offset: number
  readonly dry_run: boolean
}

async function list(vault: Vault, { action, path, limit, offset }: Args) {
  const { path: folder } = await vault.locateFolder(path ?? '')
  const { files } = vault.catalogue.below(folder)
  if (action === 'orphans') await vault.searchable()
  const all = action === 'list' ? listAttachments(files) : orphanAttachments(files, (p) => isLinked(vault, p))
  const results = all.slice(offset, offset + limit).map(({ path: file, size, mediaType, modified }) => ({
    path: file,
    size,
    media_type: mediaType,
    modified,
  }))
  return { results, total: all.length, truncated: offset + results.length < all.length }
}

function isLinked(vault: Vault, path: string): boolean {
  const { graph } = vault.catalogue
  for (const source of graph.mentioning(path)) {
    if (graph.linksOf(source).some((link) => graph.resolve(source, link).path === path)) return true
  }
  return false
}

async function read(vault: Vault, argument: string) {
  const { path, warnings } = await vault.locate(argument)
  const { bytes, mediaType } = await readAttachment(vault.storage, path)
  const isImage = mediaType.startsWith('image/') && mediaType !== 'image/svg+xml'
  const blocks: ContentBlock[] = isImage
    ? [{ type: 'image', data: Buffer.from(bytes).toString('base64'), mimeType: mediaType }]
    : []
  const about = { action: 'read', path, size: bytes.length, media_type: mediaType }
  return {
    data: { ...about, ...(warnings.length > 0 ? { warnings: [...warnings] } : {}) },
    text: JSON.stringify(about),
    blocks,
  }
}

async function add({ vault, client }: ToolContext, args: Args) {
  const bytes = decodeBase64(required('data', args.data, "the file's bytes as base64"))
  const name = required('path', args.path, 'the name of the new file')
  const note = args.note === undefined ? undefined : (await vault.locate(args.note)).path
  await vault.checkArgument(name)
  const place = await placeForAttachment({
    storage: vault.storage,
    settings: await vault.settings(),
    name,
    note,
  })
  const { path, warnings } = await vault.locateNew(place, { note: false })
  const result = await vault.editor.writeBytes({
    path,
    bytes,
    mode: 'create',
    tool: 'attachments',
    client,
    dryRun: args.dry_run,
  })
  return changeAnswer(result, `Added ${path}.`, { dryRun: args.dry_run, warnings })
}

function required(name: string, value: string | undefined, what: string): string {
  if (value !== undefined && value !== '') return value
  throw new VaultError('bad_argument', `"${name}" is missing.`, { hint: `Give ${what} in ${name}.` })
}
