import { VaultError } from '../errors.ts'
import type { VaultPath } from '../note/path.ts'

/** @throws VaultError `conflict` when the file is not the one the caller read */
export function requireRevision(
  { path, revision }: { readonly path: VaultPath; readonly revision: string },
  expected: string | undefined,
): void {
  if (expected === undefined || expected.toLowerCase() === revision) return
  throw new VaultError(
    'conflict',
    `"${path}" is not at the revision that was expected: it changed since it was read.`,
    {
      hint: 'Read it again and repeat the call with the new revision.',
      details: { current_revision: revision },
    },
  )
}
