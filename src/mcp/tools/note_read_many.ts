import { z } from 'zod'
import { VaultError } from '../../errors.ts'
import type { VaultPath } from '../../note/path.ts'
import { folderOf } from '../../note/path.ts'
import { compileGlob } from '../../text/glob.ts'
import { lookInto } from '../../vault/hidden_folder.ts'
import { MAX_PAGE_BYTES } from '../../vault/pages.ts'
import { requireReadable } from '../../vault/readable.ts'
import type { Vault } from '../../vault/vault.ts'
import { warnings } from '../fields.ts'
import { defineTool } from '../tool.ts'

const MAX_SKIPPED_NAMED = 100

export const noteReadMany = defineTool({
  name: 'note_read_many',
  title: 'Read several notes',
  description:
    'Reads several notes: by paths, or all of a folder (dir). What does not fit or is missing is skipped with its reason; next_cursor goes on. One note or a part: note_read.',
  input: z.strictObject({
    paths: z.array(z.string()).min(1).max(100).optional(),
    dir: z.string().optional().describe('Folder ("" the root), instead of paths'),
    recursive: z.boolean().optional().describe('With dir'),
    glob: z.string().optional().describe('With dir'),
    max_files: z.int().min(1).max(100).default(20),
    max_bytes: z.int().min(1).max(MAX_PAGE_BYTES).default(65_536).describe('Content bytes in all'),
    cursor: z.string().optional().describe('From the answer before'),
  }),
  output: z.object({
    notes: z.array(
      z.object({ path: z.string(), content: z.string(), revision: z.string(), bytes: z.number() }),
    ),
    skipped: z.array(z.object({ path: z.string(), reason: z.string() })),
    skipped_count: z.number(),
    content_bytes: z.number(),
    total: z.number(),
    truncated: z.boolean(),
    next_cursor: z.string().optional(),
    warnings,
  }),
  access: 'read',
  async run({ vault }, args) {
    const from = cursorOffset(args.cursor)
    const asked = await selection(vault, args)
    const window = asked.slice(from, from + args.max_files)
    const notes: { path: string; content: string; revision: string; bytes: number }[] = []
    const skipped: { path: string; reason: string }[] = []
    let bytes = 0
    for (const argument of window) {
      const outcome = await readOne(vault, argument, args.max_bytes - bytes, args.paths !== undefined)
      if ('reason' in outcome) skipped.push({ path: argument, reason: outcome.reason })
      else {
        notes.push(outcome)
        bytes += outcome.bytes
      }
    }
    const next = from + window.length
    return {
      data: {
        notes,
        skipped: skipped.slice(0, MAX_SKIPPED_NAMED),
        skipped_count: skipped.length,
        content_bytes: bytes,
        total: asked.length,
        truncated: next < asked.length,
        ...(next < asked.length ? { next_cursor: String(next) } : {}),
      },
    }
  },
})

interface Selection {
  paths?: string[] | undefined
  dir?: string | undefined
  recursive?: boolean | undefined
  glob?: string | undefined
}

async function selection(vault: Vault, { paths, dir, recursive, glob }: Selection): Promise<string[]> {
  if ((paths === undefined) === (dir === undefined)) {
    throw new VaultError('bad_argument', 'Exactly one of paths and dir is needed.', {
      hint: 'Give paths: ["A.md", "B.md"], or dir: "Folder".',
    })
  }
  if (dir !== undefined) return notesIn(vault, dir, recursive ?? false, glob)
  if (recursive || glob !== undefined) {
    throw new VaultError('bad_argument', 'recursive and glob go with dir, not with paths.', {
      hint: 'Leave them out, or give dir in place of paths.',
    })
  }
  // One path that leads out of the vault spoils the call before anything is read.
  for (const path of paths ?? []) await vault.checkArgument(path)
  return paths ?? []
}

async function notesIn(
  vault: Vault,
  dir: string,
  recursive: boolean,
  glob: string | undefined,
): Promise<VaultPath[]> {
  const matches = glob === undefined ? () => true : compileGlob(glob)
  const { path: folder } = await vault.locateFolder(dir)
  const { files } = await lookInto(vault, folder)
  return files
    .filter((f) => f.kind === 'note' && (recursive || folderOf(f.path) === folder) && matches(f.path))
    .map((f) => f.path)
}

/** Codes of a single note that do not spoil the call. */
const REASONS: Record<string, string> = { is_folder: 'is_folder', too_large: 'byte_limit' }

async function readOne(vault: Vault, argument: string, room: number, lenient: boolean) {
  try {
    const { path } = lenient ? await vault.locate(argument) : { path: argument }
    if ((vault.file(path)?.size ?? 0) > room) return { reason: 'byte_limit' }
    const note = await vault.read(path)
    requireReadable(note)
    const size = Buffer.byteLength(note.text)
    if (size > room) return { reason: 'byte_limit' }
    return { path, content: note.text, revision: note.revision, bytes: size }
  } catch (error) {
    if (error instanceof VaultError) return { reason: REASONS[error.code] ?? error.code }
    throw error
  }
}

function cursorOffset(cursor: string | undefined): number {
  if (cursor === undefined) return 0
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor)
  throw new VaultError('bad_argument', `cursor ${JSON.stringify(cursor)} is none of ours.`, {
    hint: 'Give next_cursor of the answer before, with the same arguments otherwise.',
  })
}
