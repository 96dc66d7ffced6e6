import { VaultError } from '../errors.ts'
import type { Block, Heading, ParsedNote } from './note.ts'
import type { PatchEdit } from './patch_request.ts'

/**
 * Holds a change to its word: outside the place that was edited every heading is the same, every block id leads to the
 * same block, and the property block is untouched.
 * @returns what is violated, in words, or null
 */
export function violation(before: ParsedNote, after: ParsedNote, edit: PatchEdit): string | null {
  return (
    headingViolation(before, after, edit) ??
    blockViolation(before, after, edit) ??
    blockStart(before, after, edit)
  )
}

/**
 * As {@link violation}, but throws.
 * @throws VaultError `bad_argument`
 */
export function requireUntouched(before: ParsedNote, after: ParsedNote, edit: PatchEdit): void {
  const found = violation(before, after, edit)
  if (found === null) return
  throw new VaultError('bad_argument', `The change would reach beyond its target: ${found}.`, {
    hint: 'Close every fence, comment and HTML block of the content, and leave ids and underlines of headings out of it.',
  })
}

function headingViolation(before: ParsedNote, after: ParsedNote, edit: PatchEdit): string | null {
  const { start, end } = edit.range
  const newEnd = start + edit.insert.length
  const shift = newEnd - end
  const outside = (headings: readonly Heading[], stop: number) =>
    headings.filter(({ range }) => range.end <= start || range.start >= stop)
  const old = outside(before.headings, end)
  const now = outside(after.headings, newEnd)
  const at = old.findIndex(
    (heading, i) => !sameHeading(heading, now[i], heading.range.start >= end ? shift : 0),
  )
  if (at >= 0) return `the heading "${old[at]!.text}" in line ${old[at]!.line} would change`
  if (now.length > old.length) return `"${now[old.length]!.text}" outside the target would become a heading`
  const touching = before.headings.filter(({ range }) => range.end > start && range.start < end)
  const reaching = after.headings.find(({ range }) => {
    if (range.end <= start || range.start >= newEnd) return false
    const fromOutside =
      range.start < start && !touching.some((heading) => heading.range.start === range.start)
    const toOutside =
      range.end > newEnd && !touching.some((heading) => heading.range.end + shift === range.end)
    return fromOutside || toOutside
  })
  return reaching === undefined
    ? null
    : `"${reaching.text}" would become a heading together with text outside`
}

function sameHeading(a: Heading, b: Heading | undefined, shift: number): boolean {
  return (
    b !== undefined &&
    a.level === b.level &&
    a.raw === b.raw &&
    a.setext === b.setext &&
    a.range.start + shift === b.range.start
  )
}

function blockViolation(before: ParsedNote, after: ParsedNote, edit: PatchEdit): string | null {
  const { start, end } = edit.range
  const shift = start + edit.insert.length - end
  const old = byId(before.blocks)
  const now = byId(after.blocks)
  for (const block of before.blocks) {
    if (block.idRange.end > start && block.idRange.start < end) continue
    const found = now.get(block.id.toLowerCase()) ?? []
    const moved = block.idRange.start >= end ? shift : 0
    const same = found.find(
      ({ idRange, kind }) => idRange.start === block.idRange.start + moved && kind === block.kind,
    )
    const where = `^${block.id} in line ${block.line}`
    if (same === undefined) return `the block ${where} would be lost`
    // Ids that stood twice before are no fault of this change.
    if (found.length > 1 && old.get(block.id.toLowerCase())!.length === 1)
      return `the id ${where} would stand twice`
    if (mayGrow(block, edit)) continue
    const keptRange =
      same.range.start === block.range.start + moved && same.range.end === block.range.end + moved
    if (!keptRange) return `the block ${where} would become longer or shorter`
  }
  for (const [id, found] of now) {
    if (found.length > 1 && !old.has(id)) return `the content has the id ^${id} twice`
  }
  return null
}

function byId(blocks: readonly Block[]): Map<string, Block[]> {
  const map = new Map<string, Block[]>()
  for (const block of blocks) {
    const key = block.id.toLowerCase()
    const known = map.get(key)
    if (known === undefined) map.set(key, [block])
    else known.push(block)
  }
  return map
}

/** Does the block hold the place that is edited, or what may grow by it? */
function mayGrow({ range }: Block, { range: { start, end }, grows }: PatchEdit): boolean {
  const holds = grows !== undefined && range.start <= grows.start && range.end >= grows.end
  return holds || (range.end > start && range.start < end)
}

function blockStart(before: ParsedNote, after: ParsedNote, { range, insert }: PatchEdit): string | null {
  if (range.start < before.frontmatter.bodyStart) return null
  if (
    after.frontmatter.kind === before.frontmatter.kind &&
    after.frontmatter.bodyStart === before.frontmatter.bodyStart
  )
    return null
  // A note that ended with its closing fence gets the fence's line end.
  const added = after.frontmatter.bodyStart - before.frontmatter.bodyStart
  if (
    after.frontmatter.kind === before.frontmatter.kind &&
    added > 0 &&
    /^\r?\n$/.test(insert.slice(0, added))
  )
    return null
  return 'the properties at the top would begin or end elsewhere'
}
