import { VaultError } from '../errors.ts'
import { kindOf } from '../note/kinds.ts'
import { mediaTypeOf } from '../note/media_type.ts'
import { baseName, extensionOf, folderOf, joinPath, pathKey, type VaultPath } from '../note/path.ts'
import type { Storage } from '../storage/storage.ts'
import { byCodePoint } from '../text/order.ts'
import type { AppSettings } from './app_settings.ts'
import { insidePath, pathFromSettings } from './settings_path.ts'

/** One attachment in a list. */
export interface Attachment {
  readonly path: VaultPath
  /** Bytes. */
  readonly size: number
  /** By the name alone. */
  readonly mediaType: string
  readonly modified: string
}

/** What a list is made of; the catalogue's records and a storage's entries both fit. */
interface SizedFile {
  readonly path: VaultPath
  readonly size: number
  readonly mtimeMs: number
}

/** Largest attachment that is read or added, in bytes. */
export const MAX_ATTACHMENT_BYTES = 25 * 1024 * 1024

/** Everything that is no note and no text file, sorted by path. */
export function listAttachments(files: Iterable<SizedFile>): Attachment[] {
  const found: Attachment[] = []
  for (const { path, size, mtimeMs } of files) {
    if (kindOf(path) !== 'attachment') continue
    found.push({ path, size, mediaType: mediaTypeOf(path), modified: new Date(mtimeMs).toISOString() })
  }
  return found.sort((a, b) => byCodePoint(a.path, b.path))
}

/** Attachments that no note, canvas or base links to. */
export function orphanAttachments(
  files: Iterable<SizedFile>,
  isLinked: (path: VaultPath) => boolean,
): Attachment[] {
  return listAttachments(files).filter(({ path }) => !isLinked(path))
}

/**
 * One attachment's bytes.
 * @throws VaultError `bad_argument` for a note or text file, `too_large`, and what reading throws
 */
export async function readAttachment(
  storage: Storage,
  path: VaultPath,
): Promise<{ bytes: Uint8Array; mediaType: string }> {
  refuseText(path, 'Read it with note_read.')
  const bytes = await storage.read(path, { maxBytes: MAX_ATTACHMENT_BYTES })
  return { bytes, mediaType: mediaTypeOf(path, bytes) }
}

export interface AttachmentPlace {
  readonly storage: Storage
  readonly settings: AppSettings
  /** A bare name goes where the vault's setting says; one with folders goes exactly there. */
  readonly name: string
  /** The note it is meant for: settings such as `./files` are relative to it. Without one they mean the root. */
  readonly note?: VaultPath | undefined
}

/**
 * Where a new attachment goes: never onto a file that is there, whatever the case or normal form of its name; the
 * name gets ` 1`, ` 2`, … as in the application.
 * @throws VaultError `bad_argument` for a note or text file, `outside_vault`, `bad_path`
 */
export async function placeForAttachment(place: AttachmentPlace): Promise<VaultPath> {
  // One letter and a colon may be a drive; without a slash behind it, it is but a name that cannot be.
  if (/^[a-z]:[^/\\]/i.test(place.name)) {
    throw new VaultError('bad_path', `path: "${place.name}" holds a colon.`, {
      hint: 'Choose a name without * " : < > | ?.',
    })
  }
  const name = insidePath(place.name, 'path', 'Give a visible path inside the vault.')
  if (name === '') {
    throw new VaultError('bad_argument', 'path: the attachment has no name.', {
      hint: 'Give one such as image.png.',
    })
  }
  refuseText(name, 'Write it with note_create or note_write.')
  if (place.name.includes('\\')) {
    throw new VaultError('bad_path', 'path: backslashes are not taken.', {
      hint: `Write "${place.name.replaceAll('\\', '/')}".`,
    })
  }
  const folder = /\//.test(place.name) ? folderOf(name) : await attachmentFolder(place)
  return await freePath(place.storage, folder, baseName(name))
}

/** The folder that `attachmentFolderPath` means: `/`, `Folder`, `./` or `./sub` beside the note. */
async function attachmentFolder({
  storage,
  settings,
  note,
}: Pick<AttachmentPlace, 'storage' | 'settings' | 'note'>): Promise<VaultPath> {
  const setting = settings.attachmentFolderPath
  const what = 'The attachment folder setting'
  if (!/^\.(?:[/\\]|$)/.test(setting)) return await pathFromSettings(storage, setting, what)
  const below = insidePath(setting.slice(1), what)
  const beside = note === undefined ? '' : folderOf(note)
  return below === '' ? beside : joinPath(beside, below)
}

/**
 * Bytes from base64, as agents send them: line breaks and a `data:` prefix are taken.
 * @throws VaultError `bad_argument`, `too_large`
 */
export function decodeBase64(data: string): Uint8Array {
  const body = data.replace(/^data:[^,]*;base64,/i, '').replace(/\s/g, '')
  if (body.length > Math.ceil(MAX_ATTACHMENT_BYTES / 3) * 4) {
    throw new VaultError('too_large', `data: more than ${MAX_ATTACHMENT_BYTES} bytes.`, {
      hint: 'Put the file into the vault by other means.',
    })
  }
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(body) || body.replace(/=+$/, '').length % 4 === 1) {
    throw new VaultError('bad_argument', 'data: no valid base64.', {
      hint: "Send the file's bytes as base64.",
    })
  }
  return new Uint8Array(Buffer.from(body, 'base64'))
}

function refuseText(path: VaultPath, hint: string): void {
  const kind = kindOf(path)
  if (kind === 'attachment') return
  throw new VaultError(
    'bad_argument',
    `${path} is a ${kind === 'note' ? 'note' : 'text file'}, no attachment.`,
    {
      hint,
    },
  )
}

async function freePath(storage: Storage, folder: VaultPath, name: string): Promise<VaultPath> {
  const taken = new Set<string>()
  if ((await storage.stat(folder))?.kind === 'folder') {
    const { entries } = await storage.list(folder, { recursive: false })
    for (const { path } of entries) taken.add(pathKey(baseName(path)))
  }
  const extension = extensionOf(name)
  const dot = extension === '' ? name.length : name.length - extension.length - 1
  for (let n = 0; ; n++) {
    const tried = n === 0 ? name : `${name.slice(0, dot)} ${n}${name.slice(dot)}`
    if (!taken.has(pathKey(tried))) return joinPath(folder, tried)
  }
}
