/**
 * What a program can tell failures apart by. Part of the public contract: codes are never renamed.
 */
export const ERROR_CODES = [
  'not_found',
  'already_exists',
  'bad_path',
  'outside_vault',
  'excluded',
  'not_a_note',
  'conflict',
  'target_not_found',
  'ambiguous',
  'is_folder',
  'not_configured',
  'bad_encoding',
  'bad_argument',
  'bad_frontmatter',
  'too_large',
  'not_ready',
  'unavailable',
  'timeout',
  'read_only',
  'disk_full',
  'internal',
] as const

export type ErrorCode = (typeof ERROR_CODES)[number]

export interface VaultErrorOptions {
  /** What to do now, in one sentence. */
  hint: string
  /** Further facts for the caller (candidates, current revision, diff, …); plain JSON, vault-relative paths only. */
  details?: Record<string, unknown>
  cause?: unknown
}

/**
 * An expected failure, ready to be shown: `message` and `hint` name vault-relative paths only.
 * Any other error that reaches the protocol layer is a bug and is answered as `internal`.
 */
export class VaultError extends Error {
  readonly code: ErrorCode
  readonly hint: string
  readonly details: Record<string, unknown>

  constructor(code: ErrorCode, message: string, { hint, details = {}, cause }: VaultErrorOptions) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'VaultError'
    this.code = code
    this.hint = hint
    this.details = details
  }
}
