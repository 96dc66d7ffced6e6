import { folderOf, pathKey } from '../note/path.ts'
import { byCodePoint } from '../text/order.ts'
import { countTags } from '../vault/tag_counts.ts'
import type { Vault } from '../vault/vault.ts'
import { readNoteUri } from './note_uri.ts'
import { offersResources, type ResourceView } from './resources.ts'

export interface CompletionQuestion {
  /** Of the template or prompt; tells among several vaults which is meant. */
  readonly uri: string | null
  readonly argument: string
  /** What was typed so far. */
  readonly value: string
  /** What the other arguments are. */
  readonly others: Readonly<Record<string, string>>
}

/** The protocol's limit. */
const MOST = 100

/** What a value may go on as, the likeliest first: by its beginning, then by what stands in it. */
export async function complete(view: ResourceView, question: CompletionQuestion) {
  const vaults = vaultsOf(view.vaults, question)
  await Promise.all(vaults.map((vault) => vault.named()))
  const known = (await Promise.all(vaults.map((vault) => candidates(view, vault, question)))).flat()
  const found = fitting([...new Set(known)], question.value.replace(/^#/, ''))
  return {
    completion: { values: found.slice(0, MOST), total: found.length, hasMore: found.length > MOST },
  }
}

function vaultsOf(vaults: readonly Vault[], { uri, others }: CompletionQuestion): readonly Vault[] {
  const name = others.vault ?? (uri === null ? '' : (readNoteUri(uri)[0]?.vault ?? ''))
  const named = vaults.filter((vault) => vault.name === name)
  return named.length > 0 ? named : vaults
}

async function candidates(
  view: ResourceView,
  vault: Vault,
  { argument, others }: CompletionQuestion,
): Promise<string[]> {
  const { tools, vaults } = view
  if (argument === 'vault') return vaults.map(({ name }) => name)
  if (argument === 'date') return [0, 1, 2, 3, 4, 5, 6].map((days) => dayOf(vault, days))
  // Names are told where notes may be read, and nowhere else.
  if (!offersResources(view)) return []
  const { catalogue } = vault
  const facts = () => catalogue.notes().flatMap((file) => (file.facts === null ? [] : [file.facts]))
  switch (argument) {
    case 'path': {
      const isOpen = tools.find('attachments') !== undefined
      return catalogue.files().flatMap(({ path, kind }) => (kind !== 'attachment' || isOpen ? [path] : []))
    }
    case 'folder':
      return [...new Set(catalogue.notes().flatMap(({ path }) => above(path)))].sort(byCodePoint)
    case 'tag':
      return countTags(catalogue.notes(), {}).map(({ tag }) => tag)
    case 'heading':
      return (await noteMeant(vault, others.path))?.headings.map(({ text }) => text) ?? []
    case 'property': {
      const note = await noteMeant(vault, others.path)
      const blocks = others.path === undefined ? facts() : note === null ? [] : [note]
      return mostUsed(blocks.flatMap(({ frontmatter }) => Object.keys(frontmatter ?? {})))
    }
    default:
      return []
  }
}

async function noteMeant(vault: Vault, path: string | undefined) {
  if (path === undefined) return null
  try {
    return vault.file((await vault.locate(path)).path)?.facts ?? null
  } catch {
    // A note that is not there has nothing to offer.
    return null
  }
}

/** `'a/b/c.md'` → `['a', 'a/b']` */
function above(path: string): string[] {
  const out: string[] = []
  for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder)) out.push(folder)
  return out
}

function mostUsed(names: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1] || byCodePoint(a[0], b[0])).map(([name]) => name)
}

function dayOf(vault: Vault, daysAgo: number): string {
  const at = new Date(Date.now() - daysAgo * 86_400_000)
  return new Intl.DateTimeFormat('en-CA', { timeZone: vault.options.timezone }).format(at)
}

function fitting(known: readonly string[], typed: string): string[] {
  const wanted = pathKey(typed)
  if (wanted === '') return [...known]
  const rankOf = (text: string): number => {
    const key = pathKey(text)
    if (key.startsWith(wanted)) return 0
    if (key.slice(key.lastIndexOf('/') + 1).startsWith(wanted)) return 1
    return key.includes(wanted) ? 2 : 3
  }
  const ranked: string[][] = [[], [], [], []]
  for (const text of known) ranked[rankOf(text)]?.push(text)
  return ranked.slice(0, 3).flat()
}
