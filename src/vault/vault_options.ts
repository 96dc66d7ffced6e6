import type { Storage } from '../storage/storage.ts'
import type { PollTimes } from './poll.ts'
import type { Rules } from './rules.ts'
import type { SemanticOptions } from './semantic.ts'
import type { SystemTrash } from './trash.ts'

export interface VaultOptions {
  readonly name: string
  readonly storage: Storage
  /** The absolute folder (links resolved) of a vault on this machine, else null. */
  readonly root: string | null
  /** The same folder as the user named it, through links too: clients know it under this name. */
  readonly namedRoot?: string
  readonly rules: Rules
  /** The globs in force, for display. */
  readonly excludePatterns: readonly string[]
  /** Where history, journal and locks live. */
  readonly dataDir: string
  /** Where index snapshots live. */
  readonly cacheDir: string
  readonly watch: boolean
  /** When a remote vault is looked at. */
  readonly poll?: PollTimes
  /** How much of earlier texts is kept, and how long. */
  readonly history?: { readonly maxBytes: number; readonly maxAgeMs: number }
  /** Nothing is written, not even what an interrupted change has left is finished. */
  readonly readOnly?: boolean
  /** The trash of this system, where the application is set to use it. */
  readonly systemTrash?: SystemTrash | null
  readonly allowHidden: boolean
  /** @see TextIndex.languages */
  readonly languages?: number | null
  /** For names of months and days and the first day of the week, as the system spells locales. */
  readonly locale: string
  /** IANA name of the zone in which "today" is meant. */
  readonly timezone: string
  /** Search by meaning, or null where it is off. */
  readonly semantic?: VaultSemanticOptions | null
}

export interface VaultSemanticOptions extends Omit<SemanticOptions, 'file'> {
  /** Candidates that the keyword side brings into a blended search. */
  readonly prefetch: number
  /** Weight of keywords in it. */
  readonly alpha: number
}

/** How searchable the vault is at the moment. */
export interface IndexState {
  /** `warming`: of a remote vault is answered what was known at the last time. */
  readonly state: 'ready' | 'warming' | 'building' | 'degraded'
  readonly indexed: number
  readonly total: number
  readonly semantic: string
}
