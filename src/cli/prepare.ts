import { VaultError } from '../errors.ts'
import type { Vault } from '../vault/vault.ts'

/** How long (ms) a failing model is waited for. */
const PATIENCE_MS = 15_000
const LOOK_EVERY_MS = 200
const SAY_EVERY_MS = 2000

/**
 * Waits until every note has its vectors; one that the model refuses or does not speak is done too.
 * @param say takes a line about progress now and then
 * @param signal ends the waiting
 * @throws VaultError `unavailable` where the model keeps failing
 */
export async function prepareMeaning(
  vault: Vault,
  say: (line: string) => void,
  signal?: AbortSignal,
): Promise<void> {
  const { semantic } = vault
  if (semantic === null) return
  semantic.begin()
  let said = Date.now()
  let failingSince: number | null = null
  for (;;) {
    const {
      pending_notes: pending,
      indexed_notes: done,
      total_notes: total,
      last_error: error,
    } = semantic.status
    if (pending === 0 || signal?.aborted === true) return
    if (error === undefined) failingSince = null
    else failingSince ??= Date.now()
    if (failingSince !== null && Date.now() - failingSince > PATIENCE_MS) {
      throw new VaultError('unavailable', `Search by meaning cannot be prepared: ${error}`, {
        hint: 'Words are searchable; "knap config" shows the embedding settings.',
      })
    }
    if (Date.now() - said >= SAY_EVERY_MS) {
      said = Date.now()
      say(`${done} of ${total} notes are embedded`)
    }
    await Bun.sleep(LOOK_EVERY_MS)
  }
}
