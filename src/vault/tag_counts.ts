import { byCodePoint } from '../text/order.ts'
import type { FileRecord } from './catalogue.ts'
import { compileFilters } from './filters.ts'

export interface TagCount {
  /** Without `#`, as first spelled. */
  readonly tag: string
  /** Notes that have exactly this tag. */
  readonly count: number
  /** Notes that have it or one below it. */
  readonly total: number
}

/**
 * The tags of some notes, parents of nested ones included, most used first, then by name. Case makes no other tag.
 * @param options.below only this tag and those below it
 */
export function countTags(
  notes: readonly FileRecord[],
  { below, path }: { readonly below?: string | undefined; readonly path?: string | undefined },
): TagCount[] {
  const fits = compileFilters({ path }) ?? (() => true)
  const found = new Map<string, { tag: string; count: number; total: number }>()
  for (const note of notes) {
    if (!fits(note)) continue
    const counted = new Set<string>()
    for (const tag of note.facts?.tags ?? []) {
      rowOf(found, tag).count++
      for (const upTo of withParents(tag)) {
        const key = upTo.toLowerCase()
        if (counted.has(key)) continue
        counted.add(key)
        rowOf(found, upTo).total++
      }
    }
  }
  const top = below?.replace(/^#/, '').replace(/\/+$/, '').toLowerCase()
  const rows = [...found.entries()].filter(
    ([key]) => top === undefined || key === top || key.startsWith(`${top}/`),
  )
  return rows.map(([, row]) => row).sort((a, b) => b.total - a.total || byCodePoint(a.tag, b.tag))
}

function rowOf(found: Map<string, { tag: string; count: number; total: number }>, tag: string) {
  const key = tag.toLowerCase()
  let row = found.get(key)
  if (row === undefined) {
    row = { tag, count: 0, total: 0 }
    found.set(key, row)
  }
  return row
}

/** `a/b/c` → `a`, `a/b`, `a/b/c`. */
function withParents(tag: string): string[] {
  const segments = tag.split('/')
  return segments.map((_, i) => segments.slice(0, i + 1).join('/'))
}
