import { VaultError } from '../errors.ts'
import { kindOf } from '../note/kinds.ts'
import type { NoteFacts } from '../note/note.ts'
import type { VaultPath } from '../note/path.ts'
import type { Graph } from './graph.ts'
import { ingestNote, MAX_INDEXED_BYTES } from './ingest_note.ts'
import type { FileRewrite } from './moves.ts'
import type { Vault } from './vault.ts'

type Ruled = Pick<Vault, 'storage' | 'rules'>

/** Longest time (ms) that reading takes, and how many notes are read at once. */
const BUDGET_MS = 1500
const AT_ONCE = 16

/**
 * What notes say that rules hide. They are in no index: this reads them, for a change that has to tell how many of
 * them it leaves as they are. Dot-folders are not looked into; what cannot be read in time is left out.
 */
export async function readHiddenNotes(vault: Ruled): Promise<Map<VaultPath, NoteFacts>> {
  const found = new Map<VaultPath, NoteFacts>()
  if (!vault.rules.hidesSome) return found
  const ends = performance.now() + BUDGET_MS
  const paths = await hiddenPaths(vault)
  for (let i = 0; i < paths.length && performance.now() < ends; i += AT_ONCE) {
    await Promise.all(
      paths.slice(i, i + AT_ONCE).map(async (path) => {
        const facts = await factsAt(vault, path)
        if (facts !== null) found.set(path, facts)
      }),
    )
  }
  return found
}

async function hiddenPaths({ storage, rules }: Ruled): Promise<VaultPath[]> {
  const { entries } = await storage.list('', { recursive: true, enter: (folder) => !isDotted(folder) })
  return entries
    .filter(({ path, kind, size }) => kind === 'file' && kindOf(path) === 'note' && size <= MAX_INDEXED_BYTES)
    .map(({ path }) => path)
    .filter((path) => !isDotted(path) && rules.verdict(path) !== 'visible')
}

function isDotted(path: VaultPath): boolean {
  return path.startsWith('.') || path.includes('/.')
}

async function factsAt({ storage }: Ruled, path: VaultPath): Promise<NoteFacts | null> {
  try {
    return ingestNote(path, await storage.read(path), 0).ingested.facts
  } catch (error) {
    if (error instanceof VaultError) return null
    throw error
  }
}

/**
 * Plans a change as if the hidden notes were visible.
 * @returns the plan without them, and how many of them it would have rewritten
 */
export function planAround<Plan extends { readonly rewrites: readonly FileRewrite[] }>(
  graph: Graph,
  hidden: ReadonlyMap<VaultPath, NoteFacts>,
  plan: () => Plan,
): { readonly plan: Plan; readonly skipped: number } {
  if (hidden.size === 0) return { plan: plan(), skipped: 0 }
  const rewritten = withNodes(graph, hidden, () => plan().rewrites)
  return { plan: plan(), skipped: rewritten.filter(({ path }) => hidden.has(path)).length }
}

function withNodes<Result>(
  graph: Graph,
  nodes: ReadonlyMap<VaultPath, NoteFacts>,
  look: () => Result,
): Result {
  for (const [path, facts] of nodes) graph.set(path, facts)
  try {
    return look()
  } finally {
    for (const path of nodes.keys()) graph.delete(path)
  }
}
