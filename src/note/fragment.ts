import type { NoteFacts } from './note.ts'

/** What fragments of links to one note are checked against. */
export interface FragmentTable {
  readonly headings: readonly { readonly keys: readonly string[]; readonly level: number }[]
  readonly blocks: ReadonlySet<string>
}

export type FragmentTarget =
  /** Indexes into the note's headings: for `A#B` the heading A, then B below it. */
  { readonly headings: readonly number[] } | { readonly block: string }

/** A link's fragment taken apart: `A#B` is a heading (path), `^id` and `A#^id` are a block. */
export function splitFragment(fragment: string | null): { heading: string | null; block: string | null } {
  if (fragment === null || fragment === '') return { heading: null, block: null }
  const last = fragment.slice(fragment.lastIndexOf('#') + 1)
  if (last.startsWith('^')) return { heading: null, block: last.slice(1) }
  return { heading: fragment, block: null }
}

export function fragmentTable(facts: Pick<NoteFacts, 'headings' | 'blocks'>): FragmentTable {
  return {
    headings: facts.headings.map(({ text, raw, level }) => ({
      keys: raw === undefined ? [headingKey(text)] : [headingKey(text), headingKey(raw)],
      level,
    })),
    blocks: new Set(facts.blocks.map((block) => block.id.toLowerCase())),
  }
}

/**
 * Where a fragment leads inside its note, or null where nothing fits. A chain `A#B` wants B anywhere below A; the first
 * heading that fits is meant, as in the application.
 */
export function findFragment(table: FragmentTable, fragment: string): FragmentTarget | null {
  const { heading, block } = splitFragment(fragment)
  if (block !== null) return table.blocks.has(block.toLowerCase()) ? { block } : null
  const wanted = chainOf(heading ?? '').map(headingKey)
  if (wanted.length === 0) return { headings: [] }
  const headings = descend(table, wanted, 0, table.headings.length, 0)
  return headings === null ? null : { headings }
}

/** The texts of a heading path: `A#B` → `['A', 'B']`. */
export function chainOf(fragment: string): string[] {
  return fragment.split('#').filter((part) => part.trim() !== '')
}

/**
 * What the application compares of a heading: punctuation that a link cannot carry counts as a blank, runs of blanks
 * as one, case and Unicode form for nothing.
 */
export function headingKey(text: string): string {
  const plain = text.normalize('NFC').toLowerCase()
  const key = plain.replace(/[\s!"#$%&()*+,./:;<=>?@[\\\]^`{|}~]+/g, ' ').trim()
  return key === '' ? plain.trim() : key
}

function descend(
  table: FragmentTable,
  wanted: readonly string[],
  from: number,
  to: number,
  above: number,
): number[] | null {
  const [key, ...rest] = wanted
  if (key === undefined) return []
  for (let i = from; i < to; i++) {
    const heading = table.headings[i]!
    if (heading.level <= above || !heading.keys.includes(key)) continue
    const below = rest.length === 0 ? [] : descend(table, rest, i + 1, sectionEnd(table, i), heading.level)
    if (below !== null) return [i, ...below]
  }
  return null
}

function sectionEnd(table: FragmentTable, at: number): number {
  const level = table.headings[at]!.level
  let end = at + 1
  while (end < table.headings.length && table.headings[end]!.level > level) end++
  return end
}
