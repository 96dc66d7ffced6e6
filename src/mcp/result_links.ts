import { stemOf } from '../note/path.ts'
import { noteUri } from './note_uri.ts'
import type { CallResult } from './result.ts'

/** Links cost their reader words: only the best hits have one, and each as little as the protocol lets it have. */
const MOST_LINKS = 5

/**
 * A search's answer with links to the notes that it found, for clients that open resources.
 * @param vault that all hits lie in, where several are served and the hits do not name theirs
 */
export function withLinks(result: CallResult, vault: string): CallResult {
  const hits = result.structuredContent?.results
  if (!Array.isArray(hits)) return result
  const links = new Map<string, string>()
  for (const hit of hits as { path?: unknown; vault?: unknown }[]) {
    if (typeof hit.path !== 'string' || links.size >= MOST_LINKS) continue
    links.set(noteUri(hit.path, typeof hit.vault === 'string' ? hit.vault : vault), stemOf(hit.path))
  }
  const blocks = [...links].map(([uri, name]) => ({ type: 'resource_link' as const, uri, name }))
  return { ...result, content: [...result.content, ...blocks] }
}
