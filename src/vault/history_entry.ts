import type { VaultPath } from '../note/path.ts'

/** What an operation did to one file or folder. */
export interface HistoryChange {
  /** Where it is after the change; where it was, for what was deleted. */
  readonly path: VaultPath
  /** Where it was moved from. */
  readonly from?: VaultPath
  /** Revision before; null where nothing stood there, or where the bytes did not matter (a moved attachment, a folder). */
  readonly before: string | null
  /** Revision after; null where nothing stands there any more. */
  readonly after: string | null
  /** A whole folder was moved. */
  readonly folder?: true
  /** Where in the vault's trash the deleted file lies. */
  readonly trashed?: VaultPath
}

export type HistoryAction = 'create' | 'change' | 'delete' | 'move' | 'restore' | 'conflict'

/** One operation, of one note or of many. */
export interface HistoryEntry {
  readonly id: string
  /** Milliseconds since 1970. */
  readonly time: number
  /** Name of the program that asked for it. */
  readonly client: string
  readonly tool: string
  /** `conflict`: another program's bytes that stood in the way of a change that was then not made (`before`). */
  readonly action: HistoryAction
  readonly changes: readonly HistoryChange[]
}

/** Where bytes lie in a segment's pack: offset, length, and 1 where they are compressed (zstd). */
export type Address = readonly [offset: number, length: number, zstd: 0 | 1]

/** A change as it is written: with the places of the bytes. */
export interface StoredChange extends HistoryChange {
  readonly beforeAt?: Address
  readonly afterAt?: Address
}

export interface StoredEntry extends HistoryEntry {
  readonly changes: readonly StoredChange[]
}

/** A line of a log: an operation, or word that one was not carried out. */
export type LogLine = StoredEntry | { readonly failed: string }

/** Reads the lines of a log. What is torn (a process killed while it wrote) or foreign is left out. */
export function readLog(text: string): { entries: StoredEntry[]; failed: string[] } {
  const entries: StoredEntry[] = []
  const failed: string[] = []
  for (const line of text.split('\n')) {
    if (line === '') continue
    const value = parseLine(line)
    if (value === null) continue
    if ('failed' in value) failed.push(value.failed)
    else entries.push(value)
  }
  return { entries, failed }
}

/** A line end before as well as after: the end of a torn line never runs into the next one. */
export function writeLine(line: LogLine): string {
  return `\n${JSON.stringify(line)}\n`
}

function parseLine(line: string): LogLine | null {
  try {
    const value = JSON.parse(line)
    if (typeof value?.failed === 'string') return value
    return typeof value?.id === 'string' && Array.isArray(value.changes) ? value : null
  } catch {
    return null
  }
}

/** Without the places of bytes: what callers see. */
export function publicEntry({ id, time, client, tool, action, changes }: StoredEntry): HistoryEntry {
  return {
    id,
    time,
    client,
    tool,
    action,
    changes: changes.map(({ beforeAt, afterAt, ...change }) => change),
  }
}

/**
 * Which of an operation's changes concern one of these names; a change that brought the name by a move adds the
 * name from before, so that a walk from new to old follows a note through its moves.
 */
export function changesOf<T extends HistoryChange>(changes: readonly T[], names: Set<VaultPath>): T[] {
  const found = changes.filter((c) => [...names].some((n) => touches(c, n)))
  for (const { from, path, folder } of found) {
    if (from === undefined) continue
    for (const name of [...names]) {
      if (name === path) names.add(from)
      else if (folder && name.startsWith(`${path}/`)) names.add(from + name.slice(path.length))
    }
  }
  return found
}

function touches({ path, from, folder }: HistoryChange, name: VaultPath): boolean {
  if (path === name || from === name) return true
  return folder === true && (name.startsWith(`${path}/`) || name.startsWith(`${from}/`))
}
