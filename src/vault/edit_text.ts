import { VaultError } from '../errors.ts'
import { unifiedDiff } from '../note/diff.ts'
import { decodeNote, encodeNote } from '../note/encoding.ts'
import { keepFrontmatterSound, pluginCodeAdded, requireSoundFrontmatter } from '../note/guard.ts'
import { isNotePath, type VaultPath } from '../note/path.ts'
import { revisionOf } from '../note/revision.ts'
import type { Before, Change, TextEdit } from './edit_types.ts'
import { requireSoundText } from './text_files.ts'

/** A change of one text that is ready to be written. */
export interface PreparedEdit {
  readonly path: VaultPath
  readonly before: Uint8Array | null
  readonly after: Uint8Array
  readonly answer: Change
}

/**
 * Works out what an edit makes of a file, and whether that may be written.
 * @param recall bytes of a revision that may be known, so that a conflict can show what has changed since
 * @throws VaultError `already_exists`, `not_found`, `conflict`, `bad_encoding`, `bad_frontmatter`, `bad_argument`, and
 * what the edit itself throws
 */
export async function prepareEdit(
  { path, mode, expectedRevision, edit }: TextEdit,
  bytes: Uint8Array | null,
  recall: (revision: string) => Promise<Uint8Array | null>,
): Promise<PreparedEdit> {
  if (bytes === null && mode === 'replace') throw missing(path)
  if (bytes !== null && mode === 'create') throw taken(path)
  const proposal = () => edit(bytes === null ? null : readBefore(path, bytes)).text
  await requireExpected({ path, bytes, expected: expectedRevision, proposal }, recall)
  const before = bytes === null ? null : readBefore(path, bytes)
  const { text, warnings = [] } = edit(before)
  const after = encodeNote(text)
  const revision = revisionOf(after)
  const previous = before?.revision ?? null
  if (before !== null && revision === previous) return unchanged(path, before, warnings)
  requireSound(path, before?.text ?? null, text)
  const { diff, changedLines } = unifiedDiff(before?.text ?? '', text, { path })
  const answer: Change = {
    path,
    revision,
    previous_revision: previous,
    changed: true,
    changed_lines: changedLines,
    diff,
    warnings: [...warnings, ...pluginWarnings(before?.text ?? '', text)],
  }
  return { path, before: bytes, after, answer }
}

function unchanged(path: VaultPath, { bytes, revision }: Before, warnings: readonly string[]): PreparedEdit {
  const answer: Change = {
    path,
    revision,
    previous_revision: revision,
    changed: false,
    changed_lines: 0,
    diff: '',
    warnings: [...warnings],
  }
  return { path, before: bytes, after: bytes, answer }
}

function readBefore(path: VaultPath, bytes: Uint8Array): Before {
  const { text, valid } = decodeNote(bytes)
  if (!valid) {
    throw new VaultError('bad_encoding', `${path} is not UTF-8, so a change would damage it.`, {
      hint: 'Convert the file to UTF-8 first, or delete or move it as a whole.',
    })
  }
  return { text, bytes, revision: revisionOf(bytes) }
}

export interface Expectation {
  readonly path: VaultPath
  /** What is there now. */
  readonly bytes: Uint8Array | null
  readonly expected: string | undefined
  /** What the change would make of it. */
  readonly proposal?: (() => string) | undefined
}

/**
 * @throws VaultError `conflict` with the revision that is there now and a short diff: what has changed since the
 * expected revision, or where that is not known any more, what the change would do to the present text
 */
export async function requireExpected(
  { path, bytes, expected, proposal }: Expectation,
  recall: (revision: string) => Promise<Uint8Array | null>,
): Promise<void> {
  if (expected === undefined) return
  const revision = bytes === null ? null : revisionOf(bytes)
  if (revision === expected.toLowerCase()) return
  const now = bytes === null ? '' : decodeNote(bytes).text
  const old = await recall(expected.toLowerCase()).catch(() => null)
  const since = old === null ? null : unifiedDiff(decodeNote(old).text, now, { path })
  const shown = since === null ? proposedDiff(now, { path, proposal }) : since.diff
  const message = bytes === null ? 'it does not exist (any more)' : 'it changed since it was read'
  const tells = since === null ? 'what the change would do to the present text' : 'what has changed since'
  throw new VaultError('conflict', `${path} is not at the revision that was expected: ${message}.`, {
    hint: `Read it again and repeat the change with the new revision${shown === '' ? '' : `; diff shows ${tells}`}.`,
    details: { current_revision: revision, diff: shown },
  })
}

function proposedDiff(now: string, { path, proposal }: Pick<Expectation, 'path' | 'proposal'>): string {
  try {
    return proposal === undefined ? '' : unifiedDiff(now, proposal(), { path }).diff
  } catch {
    // The change does not fit the present text at all.
    return ''
  }
}

/** Refuses a text that the application could not read any more, where it could before. */
function requireSound(path: VaultPath, before: string | null, after: string): void {
  if (isNotePath(path)) {
    if (before === null) requireSoundFrontmatter(after)
    else keepFrontmatterSound(before, after)
  } else if (before === null || isSoundText(path, before)) {
    requireSoundText(path, after)
  }
}

function isSoundText(path: VaultPath, text: string): boolean {
  try {
    requireSoundText(path, text)
    return true
  } catch {
    return false
  }
}

function pluginWarnings(before: string, after: string): string[] {
  const kinds = pluginCodeAdded(before, after)
  if (kinds.length === 0) return []
  return [`The new text holds what plugins execute when the note is opened: ${kinds.join(', ')}.`]
}

export function missing(path: VaultPath): VaultError {
  return new VaultError('not_found', `${path} does not exist.`, { hint: 'Check the path with vault_list.' })
}

export function taken(path: VaultPath): VaultError {
  return new VaultError('already_exists', `${path} already exists.`, {
    hint: 'Read it and change it, or choose another name.',
  })
}
