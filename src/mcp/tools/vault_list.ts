import { z } from 'zod'
import { VaultError } from '../../errors.ts'
import { stemOf, type VaultPath } from '../../note/path.ts'
import { compileGlob } from '../../text/glob.ts'
import { byCodePoint } from '../../text/order.ts'
import type { FileRecord } from '../../vault/catalogue.ts'
import { lookInto } from '../../vault/hidden_folder.ts'
import { warnings } from '../fields.ts'
import { defineTool } from '../tool.ts'
import { printTree } from '../tree.ts'

const MAX_ENTRIES = 5000

export const vaultList = defineTool({
  name: 'vault_list',
  title: 'List files',
  description:
    'Lists files and folders (ending in /), as paths or a tree. Notes by name: note_find, by content: search_text.',
  input: z.strictObject({
    path: z.string().optional().describe('Folder, default the root'),
    recursive: z.boolean().default(false),
    glob: z.string().optional().describe('Whole path, * crosses /: "*.md"'),
    format: z.enum(['list', 'tree']).default('list'),
    max_depth: z.int().min(1).optional().describe('Levels below path'),
    include_metadata: z.boolean().default(false).describe('Title, tags, size, times (list only)'),
    limit: z.int().min(1).max(MAX_ENTRIES).default(1000),
    offset: z.int().min(0).default(0),
  }),
  output: z.object({
    results: z.array(z.union([z.string(), z.looseObject({ path: z.string() })])).optional(),
    content: z.string().optional(),
    total: z.number(),
    truncated: z.boolean(),
    next_offset: z.number().optional(),
    warnings,
  }),
  access: 'read',
  async run({ vault }, args) {
    if (args.format === 'tree' && args.include_metadata) {
      throw new VaultError('bad_argument', 'A tree shows no metadata.', {
        hint: 'Ask for format "list", or leave include_metadata out.',
      })
    }
    const matches = args.glob === undefined ? () => true : compileGlob(args.glob)
    if (args.include_metadata) await vault.searchable()
    const { path: folder, warnings: notes } = await vault.locateFolder(args.path ?? '')
    const deepest = args.max_depth ?? Number.POSITIVE_INFINITY
    const depthLimit = args.recursive || args.format === 'tree' ? deepest : 1
    const found = list(await lookInto(vault, folder), folder, depthLimit).filter((e) => matches(e.path))
    const page = found.slice(args.offset, args.offset + args.limit)
    const rest = {
      total: found.length,
      truncated: args.offset + page.length < found.length,
      ...(args.offset + page.length < found.length ? { next_offset: args.offset + page.length } : {}),
      ...(notes.length > 0 ? { warnings: notes } : {}),
    }
    if (args.format === 'tree') {
      const content = printTree(folder === '' ? `${vault.name}/` : `${folder}/`, page.map(relativeTo(folder)))
      return { data: { content, ...rest }, text: content }
    }
    const results = page.map((e) => (args.include_metadata ? withMetadata(e) : shown(e)))
    return { data: { results, ...rest } }
  },
})

interface Listed {
  readonly path: VaultPath
  readonly file: FileRecord | null
}

function list(
  below: { readonly files: readonly FileRecord[]; readonly folders: readonly { readonly path: VaultPath }[] },
  folder: VaultPath,
  depth: number,
): Listed[] {
  const prefix = folder === '' ? 0 : folder.length + 1
  const depthOf = (path: VaultPath) => path.slice(prefix).split('/').length
  const entries: Listed[] = [
    ...below.files.map((file) => ({ path: file.path, file })),
    ...below.folders.map(({ path }) => ({ path, file: null })),
  ]
  return entries.filter((e) => depthOf(e.path) <= depth).sort((a, b) => byCodePoint(shown(a), shown(b)))
}

function shown({ path, file }: Listed): string {
  return file === null ? `${path}/` : path
}

function relativeTo(folder: VaultPath): (e: Listed) => string {
  return (e) => shown(e).slice(folder === '' ? 0 : folder.length + 1)
}

function withMetadata(entry: Listed) {
  const { file } = entry
  if (file?.kind !== 'note') return { path: shown(entry) }
  return {
    path: file.path,
    title: stemOf(file.path),
    tags: [...(file.facts?.tags ?? [])],
    size: file.size,
    modified: new Date(file.mtimeMs).toISOString(),
    created: new Date(file.ctimeMs).toISOString(),
  }
}
