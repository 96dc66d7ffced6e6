import type { VaultPath } from '../note/path.ts'
import type { Entry } from '../storage/storage.ts'

/** Who asked for a change, for the history. */
export interface Actor {
  /** Name of the program at the other end. */
  readonly client: string
  readonly tool: string
}

/** A file as it stands when the edit is made. */
export interface Before {
  readonly text: string
  readonly bytes: Uint8Array
  readonly revision: string
}

/** A file as it shall be. */
export interface Edited {
  readonly text: string
  readonly warnings?: readonly string[] | undefined
}

/**
 * - `create`: nothing may stand there (`already_exists`)
 * - `replace`: a file must stand there (`not_found`)
 * - `upsert`: either
 */
export type EditMode = 'create' | 'replace' | 'upsert'

/** A change of one text. */
export interface TextEdit {
  /** As spelled on disk, `.md` included. */
  readonly path: VaultPath
  readonly mode: EditMode
  /** What the caller read last; anything else there is a `conflict`. */
  readonly expectedRevision?: string | undefined
  /** Called with the file as it is now, null where there is none; a throw leaves everything as it was. */
  readonly edit: (before: Before | null) => Edited
}

export interface ChangeRequest extends TextEdit, Actor {
  /** The same answer, and nothing is written. */
  readonly dryRun?: boolean | undefined
}

export interface BytesRequest extends Actor {
  readonly path: VaultPath
  readonly mode: EditMode
  readonly bytes: Uint8Array
  readonly expectedRevision?: string | undefined
  readonly dryRun?: boolean | undefined
}

/** What was done to one file. */
export interface Change {
  readonly path: VaultPath
  /** Of what is on disk now; null where nothing is. */
  readonly revision: string | null
  /** Null where nothing stood there. */
  readonly previous_revision: string | null
  /** False: the bytes would have been the same, so nothing was written. */
  readonly changed: boolean
  readonly changed_lines: number
  /** Unified, at most 40 lines. */
  readonly diff: string
  readonly warnings: readonly string[]
}

export interface MoveRequest extends Actor {
  /** A file or a folder. */
  readonly from: VaultPath
  readonly to: VaultPath
  /** Changes of notes that go with the move; each `path` is the one before the move. */
  readonly edits: readonly TextEdit[]
  /** Where a file stands at `to`, it is replaced (and kept in the history). */
  readonly overwrite?: boolean | undefined
  readonly expectedRevision?: string | undefined
  readonly dryRun?: boolean | undefined
}

export interface Moved {
  readonly kind: 'file' | 'folder'
  readonly from: VaultPath
  readonly to: VaultPath
  /** Of the moved file; null for a folder. */
  readonly revision: string | null
  readonly previous_revision: string | null
  /** Files that were edited, under their paths after the move. */
  readonly changes: readonly Change[]
}

export interface RemoveRequest extends Actor {
  readonly path: VaultPath
  /** Really delete, instead of putting it into the trash. */
  readonly permanent?: boolean | undefined
  /** The application's setting `trashOption`. */
  readonly trash?: 'system' | 'local' | 'none' | undefined
  readonly expectedRevision?: string | undefined
  readonly dryRun?: boolean | undefined
}

export interface Removed extends Change {
  /** Where it lies in the vault's trash; null where it went to the system's or nowhere. */
  readonly trashed_to: VaultPath | null
}

/** What undoing or bringing back did to one file or folder. */
export interface Restored extends Change {
  /** Where it was moved back from. */
  readonly moved_from?: VaultPath
}

/** What listeners are told after every file that changed, in the same moment. */
export interface ChangeEvent {
  readonly path: VaultPath
  readonly before: Uint8Array | null
  /** Null: gone. For a moved file that is no text the bytes are not looked at and this is empty. */
  readonly after: Uint8Array | null
  /** Null: gone. */
  readonly entry: Entry | null
}
