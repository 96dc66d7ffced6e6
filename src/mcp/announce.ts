import type { InMemoryServerEventBus, Server } from '@modelcontextprotocol/server'
import { log } from '../logger.ts'
import { pathKey } from '../note/path.ts'
import type { Vault } from '../vault/vault.ts'
import { noteUri, plainNoteUri } from './note_uri.ts'
import type { ToolSet } from './registry.ts'
import { offersResources, placeOf } from './resources.ts'
import { followVault } from './vault_news.ts'

export interface AnnounceOptions {
  readonly vaults: readonly Vault[]
  readonly tools: ToolSet
  /** 2026-07-28: what is told goes through the filters of `subscriptions/listen`. */
  readonly isModern: boolean
}

/** What a 2025 client has subscribed to: addresses as it wrote them. */
export class Subscriptions {
  readonly #vaults: readonly Vault[]
  readonly #open = new Map<string, { readonly vault: Vault; readonly key: string }>()

  constructor(vaults: readonly Vault[]) {
    this.#vaults = vaults
  }

  /** @returns false for an address that is none of a note */
  add(uri: string): boolean {
    const place = placeOf(this.#vaults, uri)
    if (place === null) return false
    this.#open.set(uri, { vault: place.vault, key: pathKey(place.path) })
    return true
  }

  remove(uri: string): void {
    this.#open.delete(uri)
  }

  /** The addresses among them that lead to this file. */
  of(vault: Vault, path: string): string[] {
    const key = pathKey(path)
    return [...this.#open]
      .filter(([, at]) => at.vault === vault && (at.key === key || `${at.key}.md` === key))
      .map(([uri]) => uri)
  }
}

/** Tells the client of a lasting connection what changes. @returns what ends it */
export function announce(
  server: Server,
  subscriptions: Subscriptions,
  { vaults, tools, isModern }: AnnounceOptions,
): () => void {
  const send = (sent: Promise<void>) => sent.catch((error) => log.debug('a client could not be told', error))
  const ends: (() => void)[] = []
  const toolsChange = tools.onChange?.(() => void send(server.sendToolListChanged()))
  if (toolsChange) ends.push(toolsChange)
  if (offersResources({ vaults, tools })) {
    for (const vault of vaults) {
      const name = vaults.length === 1 ? '' : vault.name
      const changed = (paths: readonly string[]) => {
        for (const path of paths) {
          const uris = isModern ? spellings(path, name) : subscriptions.of(vault, path)
          for (const uri of uris) void send(server.sendResourceUpdated({ uri }))
        }
      }
      const listChanged = () => void send(server.sendResourceListChanged())
      ends.push(followVault(vault, { changed, listChanged }))
    }
  }
  return () => {
    for (const end of ends.splice(0)) end()
  }
}

/** Publishes what changes to the streams of `subscriptions/listen` over HTTP. @returns what ends it */
export function publishNews(
  bus: InMemoryServerEventBus,
  vaults: readonly Vault[],
  tools: ToolSet,
): () => void {
  const ends = vaults.map((vault) =>
    followVault(vault, {
      changed: (paths) => {
        if (bus.listenerCount === 0) return
        const name = vaults.length === 1 ? '' : vault.name
        for (const path of paths)
          for (const uri of spellings(path, name)) bus.publish({ kind: 'resource_updated', uri })
      },
      listChanged: () => bus.publish({ kind: 'resources_list_changed' }),
    }),
  )
  const toolsChange = tools.onChange?.(() => bus.publish({ kind: 'tools_list_changed' }))
  if (toolsChange) ends.push(toolsChange)
  return () => {
    for (const end of ends) end()
  }
}

/** A stream is told what it asked for to the letter, and letters may be encoded or not, the extension left out. */
function spellings(path: string, vault: string): string[] {
  const names = [path, ...(/\.md$/i.test(path) ? [path.slice(0, -3)] : [])]
  return [...new Set(names.flatMap((name) => [noteUri(name, vault), plainNoteUri(name, vault)]))]
}
