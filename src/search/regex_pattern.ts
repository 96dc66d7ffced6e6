import { VaultError } from '../errors.ts'

/** Longest pattern in UTF-8 bytes. */
const MAX_PATTERN_BYTES = 1000

/**
 * Checks a pattern and puts the flags in front of it, where the engine reads them.
 * @param flags any of `i` (case ignored), `m` (`^` and `$` at lines), `s` (`.` matches line ends), `U` (lazy);
 * `g` and `u` are what is done anyway
 * @throws VaultError `bad_argument` with the engine's reason
 */
export async function checkedPattern(pattern: string, flags = ''): Promise<string> {
  const bytes = Buffer.byteLength(pattern)
  if (bytes > MAX_PATTERN_BYTES) {
    throw new VaultError('bad_argument', `pattern: ${bytes} bytes, at most ${MAX_PATTERN_BYTES} are taken.`, {
      hint: 'Search for a shorter, more telling part.',
    })
  }
  const unknown = /[^imsUgu]/.exec(flags)
  if (unknown !== null) {
    throw new VaultError('bad_argument', `flags: "${unknown[0]}" is no flag.`, {
      hint: 'Flags are i (case ignored), m (^ and $ at each line) and s (. matches line ends).',
    })
  }
  const inline = [...'imsU'].filter((flag) => flags.includes(flag)).join('')
  const whole = inline === '' ? pattern : `(?${inline})${pattern}`
  const { RE2JS } = await import('re2js')
  try {
    RE2JS.compile(whole)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new VaultError('bad_argument', `pattern: ${reason}.`, { hint: hintFor(pattern), cause: error })
  }
  return whole
}

function hintFor(pattern: string): string {
  if (/\(\?<?[=!]/.test(pattern)) {
    return 'The syntax is RE2, which has no look-ahead and look-behind: match the surroundings too.'
  }
  if (/\\[1-9]|\\k</.test(pattern)) return 'The syntax is RE2, which has no backreferences.'
  return 'The syntax is RE2: escape characters that are meant literally with a backslash.'
}
