import type { Vault } from '../vault/vault.ts'
import { prepareMeaning } from './prepare.ts'

export interface IndexFlags {
  /** Read every note anew. */
  readonly rebuild: boolean
  readonly json: boolean
}

/** What `knap index` prints when words and vectors are up to date. @throws VaultError see `prepareMeaning` */
export async function indexCommand(
  vault: Vault,
  { rebuild, json }: IndexFlags,
  say: (line: string) => void,
): Promise<string> {
  await vault.built()
  if (rebuild) await vault.rebuild()
  else await vault.sync.fullPass()
  const { indexed } = vault.indexState()
  say(`${indexed} notes are searchable by their words`)
  await prepareMeaning(vault, say)
  const unreadable = [...vault.sync.status.unreadable].map(([path, reason]) => ({ path, reason }))
  const embeddings = vault.embeddings()
  if (json) return `${JSON.stringify({ index: vault.indexState(), embeddings, unreadable }, null, 2)}\n`
  return [
    `Words: ${indexed} notes.`,
    `Meaning: ${meaningOf(embeddings)}`,
    ...(embeddings.hint === undefined ? [] : [embeddings.hint]),
    ...unreadable.map(({ path, reason }) => `Not readable: ${path} (${reason})`),
    '',
  ].join('\n')
}

function meaningOf({ status, model }: ReturnType<Vault['embeddings']>): string {
  if (status === undefined) return 'off.'
  const error = status.last_error === undefined ? '' : ` ${status.last_error}`
  return `${status.indexed_notes} notes${model === undefined ? '' : `, ${model}`}.${error}`
}
