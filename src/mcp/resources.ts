import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server'
import { VaultError } from '../errors.ts'
import { scanFrontmatter } from '../note/frontmatter.ts'
import { mediaTypeOf } from '../note/media_type.ts'
import type { ParsedNote } from '../note/note.ts'
import { stemOf, type VaultPath } from '../note/path.ts'
import { findBlock, findHeading } from '../note/sections.ts'
import { byCodePoint } from '../text/order.ts'
import { readAttachment } from '../vault/attachments.ts'
import type { FileRecord } from '../vault/catalogue.ts'
import { WHOLE_NOTE_BYTES } from '../vault/pages.ts'
import type { Vault } from '../vault/vault.ts'
import { type NoteAddress, type NotePart, noteUri, readNoteUri, uriTemplates } from './note_uri.ts'
import type { ToolSet } from './registry.ts'

/** What of the vaults can be had as resources: no more than the open tools show. */
export interface ResourceView {
  readonly vaults: readonly Vault[]
  readonly tools: ToolSet
}

const PAGE = 500
const NOTE_TYPE = 'text/markdown'

/** Are there resources at all? They say what `note_read` says. */
export function offersResources({ vaults, tools }: ResourceView): boolean {
  return vaults.length > 0 && tools.find('note_read') !== undefined
}

/** A page of the files, in order of their paths; the cursor is the last path of the page before. */
export async function listResources({ vaults, tools }: ResourceView, cursor: string | undefined) {
  await Promise.all(vaults.map((vault) => vault.named()))
  const after = cursor === undefined ? null : readCursor(cursor)
  const hasAttachments = tools.find('attachments') !== undefined
  const rows: { vault: Vault; file: FileRecord }[] = []
  for (const [at, vault] of vaults.entries()) {
    if (after !== null && at < after.vault) continue
    const files = vault.catalogue.files().filter(({ kind }) => hasAttachments || kind !== 'attachment')
    const from = after?.vault === at ? firstAfter(files, after.path) : 0
    rows.push(...files.slice(from, from + PAGE + 1 - rows.length).map((file) => ({ vault, file })))
    if (rows.length > PAGE) break
  }
  const shown = rows.slice(0, PAGE)
  const last = shown.at(-1)
  return {
    resources: shown.map(({ vault, file }) => resourceOf(file, vaults.length === 1 ? '' : vault.name)),
    ...(rows.length > PAGE && last !== undefined
      ? { nextCursor: writeCursor({ vault: vaults.indexOf(last.vault), path: last.file.path }) }
      : {}),
  }
}

export function listTemplates({ vaults }: ResourceView) {
  const says: Record<string, { title: string; description: string; mimeType: string }> = {
    note: { title: 'A note', description: 'A note or other file by its path.', mimeType: NOTE_TYPE },
    section: { title: 'A section', description: 'One section of a note.', mimeType: NOTE_TYPE },
    property: {
      title: 'A property',
      description: 'One property of a note, as JSON.',
      mimeType: 'application/json',
    },
  }
  return {
    resourceTemplates: vaults.flatMap(({ name }) =>
      uriTemplates(vaults.length === 1 ? '' : name).map(({ uriTemplate, part }) => ({
        uriTemplate,
        name: vaults.length === 1 ? part : `${name}: ${part}`,
        ...says[part],
      })),
    ),
  }
}

/** @throws ProtocolError for what is not there, or too large for one answer */
export async function readResource(view: ResourceView, uri: string) {
  try {
    const { vault, path, part } = await locate(view, uri)
    if (vault.file(path)?.kind === 'attachment') {
      if (view.tools.find('attachments') === undefined) throw new ResourceNotFoundError(uri)
      const { bytes, mediaType } = await readAttachment(vault.storage, path)
      return { contents: [{ uri, mimeType: mediaType, blob: Buffer.from(bytes).toString('base64') }] }
    }
    return { contents: [{ uri, ...(await textOf(vault, path, part)) }] }
  } catch (error) {
    if (!(error instanceof VaultError)) throw error
    if (error.code === 'not_found') throw new ResourceNotFoundError(uri, error.message)
    const { code, message, hint } = error
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${message} ${hint}`, { code, hint })
  }
}

/** The vault and path of an address, whether or not a file is there. */
export function placeOf(vaults: readonly Vault[], uri: string): { vault: Vault; path: string } | null {
  const [first] = readNoteUri(uri)
  const vault = first && vaultNamed(vaults, first)
  return first === undefined || vault === undefined ? null : { vault, path: first.path }
}

function vaultNamed(vaults: readonly Vault[], { vault }: NoteAddress): Vault | undefined {
  if (vault === '') return vaults.length === 1 ? vaults[0] : undefined
  return vaults.find(({ name }) => name === vault)
}

async function locate({ vaults }: ResourceView, uri: string) {
  const readings = readNoteUri(uri)
  for (const [at, reading] of readings.entries()) {
    const vault = vaultNamed(vaults, reading)
    if (vault === undefined) break
    try {
      const { path } = await vault.locate(reading.path)
      return { vault, path, part: reading.part }
    } catch (error) {
      if (at === readings.length - 1) throw error
    }
  }
  throw new ResourceNotFoundError(uri, `There is no resource ${uri}; notes are note:///Folder/Note.md.`)
}

async function textOf(vault: Vault, path: VaultPath, part: NotePart | null) {
  if (part === null) {
    const { text, bytes } = await vault.read(path)
    if (bytes.length > WHOLE_NOTE_BYTES) {
      throw new VaultError('too_large', `"${path}" has ${bytes.length} bytes.`, {
        hint: 'note_read gives it in pages.',
      })
    }
    return { mimeType: typeOf(path), text }
  }
  const { text, parsed } = await vault.readParsed(path)
  if (part.kind === 'property') {
    const value = scanFrontmatter(text).data?.[part.name]
    if (value === undefined) {
      throw new VaultError('not_found', `"${path}" has no property "${part.name}".`, {
        hint: 'frontmatter with action "get" shows all.',
      })
    }
    return { mimeType: 'application/json', text: JSON.stringify(value) }
  }
  const { start, end } = rangeOf(parsed, part)
  return { mimeType: NOTE_TYPE, text: text.slice(start, end) }
}

function rangeOf(parsed: ParsedNote, part: Exclude<NotePart, { kind: 'property' }>) {
  if (part.kind === 'block') return findBlock(parsed, part.id).range
  const heading = parsed.headings[findHeading(parsed, part.heading)]
  return heading === undefined ? { start: 0, end: 0 } : heading.section
}

function resourceOf({ path, kind, size, mtimeMs }: FileRecord, vault: string) {
  return {
    uri: noteUri(path, vault),
    name: vault === '' ? path : `${vault}: ${path}`,
    title: stemOf(path),
    description: kind === 'note' ? 'A note.' : 'A file of the vault.',
    mimeType: typeOf(path),
    size,
    annotations: { lastModified: new Date(mtimeMs).toISOString() },
  }
}

function typeOf(path: VaultPath): string {
  const named = mediaTypeOf(path)
  if (/\.md$/i.test(path)) return NOTE_TYPE
  return named === 'application/octet-stream' ? 'text/plain' : named
}

interface Position {
  /** Among those that are served. */
  readonly vault: number
  readonly path: VaultPath
}

function writeCursor({ vault, path }: Position): string {
  return Buffer.from(JSON.stringify([vault, path])).toString('base64url')
}

function readCursor(cursor: string): Position {
  try {
    const [vault, path] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[]
    if (typeof vault === 'number' && typeof path === 'string') return { vault, path }
  } catch {
    // Told below.
  }
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The cursor is none of ours; begin without one.')
}

/** Where the next page begins, also where the file of the cursor is gone. */
function firstAfter(files: readonly FileRecord[], path: VaultPath): number {
  let [low, high] = [0, files.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (byCodePoint((files[middle] as FileRecord).path, path) > 0) high = middle
    else low = middle + 1
  }
  return low
}
