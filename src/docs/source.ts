/** A documentation corpus as the settings name it. */
export interface CorpusSource {
  /** Letters, digits, `.`, `_` and `-`; a file is named by it. */
  readonly name: string
  readonly place: CorpusPlace
  /** Only these folders from its root (`en`, `Plugins/Guides`); empty: everything. */
  readonly folders: readonly string[]
  /** A file made by `knap docs export`, tried first where nothing is indexed: an address or an absolute path. */
  readonly prebuilt: string | null
}

/** A folder of this machine (absolute path), or a ZIP archive behind an address. */
export type CorpusPlace =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'zip'; readonly url: string }

/** Manuals that a name alone stands for. */
export const PRESETS: ReadonlyMap<string, CorpusPlace> = new Map([
  ['obsidian-help', { kind: 'zip', url: 'https://github.com/obsidianmd/obsidian-help/archive/HEAD.zip' }],
  [
    'obsidian-developer-docs',
    { kind: 'zip', url: 'https://github.com/obsidianmd/obsidian-developer-docs/archive/HEAD.zip' },
  ],
])

/** What a corpus was made from; another one makes it anew. */
export function identityOf({ place, folders }: Pick<CorpusSource, 'place' | 'folders'>): string {
  return JSON.stringify([place.kind === 'zip' ? place.url : place.path, [...folders].sort()])
}

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/i

/** Can a corpus be called so? */
export function isCorpusName(name: string): boolean {
  return NAME.test(name)
}

/**
 * May this address be fetched? Plain HTTP could be changed on its way, so it is for this machine alone.
 * @param from the address that leads here: the outside world never leads into this machine
 */
export function isFetchable(url: URL, from?: URL): boolean {
  if (from !== undefined && isLoopback(url) && !isLoopback(from)) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))
}

/** `localhost`, `127.0.0.0/8` and `::1`. */
function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/i.test(hostname)
}
