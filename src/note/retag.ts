import { VaultError } from '../errors.ts'
import { nextLine } from './lines.ts'
import { tagAt } from './markdown/tag.ts'
import type { TagUse } from './note.ts'
import { parseNote } from './parse.ts'
import { readable, setProperties } from './properties.ts'
import { appendToProperty } from './property_content.ts'
import { applySplices, type Splice } from './splice.ts'
import { sameValue } from './value.ts'

export interface TagChange {
  readonly text: string
  /** Uses of the tag that changed. */
  readonly count: number
}

/**
 * Renames a tag and those below it (`from/child` → `to/child`), whatever their case, in the properties and in the body,
 * outside code. A list that would hold the new tag twice holds it once.
 * @param from with or without `#`
 * @throws VaultError `bad_argument` (no tag by the application's rules), `bad_frontmatter`
 */
export function renameTag(text: string, from: string, to: string): TagChange {
  const old = tagName(from)
  const now = tagName(to)
  const uses = parseNote(text).tags.filter(({ tag }) => isBelow(tag, old) && renamed(tag, old, now) !== tag)
  const inBody = uses.filter((use) => !use.inFrontmatter)
  const body = applySplices(
    text,
    inBody.map(({ range, tag }) => ({ range, text: renamed(tag, old, now) })),
  )
  if (inBody.length === uses.length) return { text: body, count: uses.length }
  return { text: renameInProperties(body, old, now), count: uses.length }
}

/**
 * Adds a tag to the `tags` property, which is made where there is none. One that is there already, in any case and in
 * either spelling, changes nothing.
 * @throws VaultError `bad_argument`, `bad_frontmatter`
 */
export function addTag(text: string, tag: string): TagChange {
  const name = tagName(tag)
  const data = readable(text).data ?? {}
  const key = tagKeys(data)[0] ?? 'tags'
  const result = appendToProperty(text, key, JSON.stringify(name))
  return { text: result, count: result === text ? 0 : 1 }
}

/**
 * Takes a tag out of the properties and out of the body (with the blank in front of it), outside code; tags below it
 * stay.
 * @throws VaultError `bad_argument`, `bad_frontmatter`
 */
export function removeTag(text: string, tag: string): TagChange {
  const name = tagName(tag).toLowerCase()
  const uses = parseNote(text).tags.filter((use) => use.tag.toLowerCase() === name)
  const inBody = uses.filter((use) => !use.inFrontmatter)
  const body = applySplices(
    text,
    inBody.map((use) => removal(text, use)),
  )
  if (inBody.length === uses.length) return { text: body, count: uses.length }
  const kept = changeTags(body, (spelled) => (bare(spelled).toLowerCase() === name ? null : spelled))
  return { text: kept, count: uses.length }
}

function removal(text: string, { range }: TagUse): Splice {
  let start = range.start - 1
  let end = range.end
  const before = text[start - 1] ?? '\n'
  const after = text[end] ?? '\n'
  if (before === '\n' && (after === '\n' || after === '\r')) end = nextLine(text, end)
  else if (before === ' ' && /[\s.,;:!?)]/.test(after)) start--
  else if (after === ' ' && before === '\n') end++
  return { range: { start, end }, text: '' }
}

function renameInProperties(text: string, old: string, now: string): string {
  return changeTags(text, (spelled) => {
    const tag = bare(spelled)
    return isBelow(tag, old)
      ? spelled.slice(0, spelled.length - tag.length) + renamed(tag, old, now)
      : spelled
  })
}

/** Passes each tag of the tag properties (as spelled, a `#` perhaps in front) through `change`; null drops it. */
function changeTags(text: string, change: (spelled: string) => string | null): string {
  const data = readable(text).data ?? {}
  const changes: Record<string, unknown> = {}
  for (const key of tagKeys(data)) {
    const value = changedTags(data[key], change)
    if (!sameValue(value, data[key])) changes[key] = value
  }
  return setProperties(text, changes)
}

function changedTags(value: unknown, change: (spelled: string) => string | null): unknown {
  if (typeof value === 'string') return changedWords(value, change)
  if (!Array.isArray(value)) return value
  const items = value.map((item) => (typeof item === 'string' ? changedWords(item, change) : item))
  const fresh = items.filter((item, i) => item !== value[i])
  if (fresh.length === 0) return value
  return items.filter((item, i) => {
    if (item === value[i]) return true
    if (item === null) return false
    const others = [
      ...items.slice(0, i),
      ...items.slice(i + 1).filter((other, j) => other === value[i + 1 + j]),
    ]
    return !others.some((other) => sameTag(other, item))
  })
}

/** `a, b` and `a b` hold several tags; what stands between them stays, a dropped one takes its separator along. */
function changedWords(value: string, change: (spelled: string) => string | null): string | null {
  const parts = value.split(/([\s,]+)/)
  let dropped = false
  for (let i = 0; i < parts.length; i += 2) {
    if (parts[i] === '') continue
    const now = change(parts[i]!)
    if (now !== null) parts[i] = now
    else {
      parts.splice(i > 0 ? i - 1 : 0, 2)
      dropped = true
      i -= 2
    }
  }
  const result = parts.join('')
  return dropped && result.trim() === '' ? null : result
}

function tagKeys(data: Record<string, unknown>): string[] {
  return Object.keys(data).filter((key) => /^tags?$/i.test(key))
}

function sameTag(a: unknown, b: unknown): boolean {
  return typeof a === 'string' && typeof b === 'string' && bare(a).toLowerCase() === bare(b).toLowerCase()
}

function bare(spelled: string): string {
  return spelled.replace(/^#/, '')
}

function isBelow(tag: string, root: string): boolean {
  const lower = tag.toLowerCase()
  const wanted = root.toLowerCase()
  return lower === wanted || lower.startsWith(`${wanted}/`)
}

/** The rest of the tag keeps its spelling; lower and upper case of a letter may differ in length, so it is counted in parts. */
function renamed(tag: string, old: string, now: string): string {
  const depth = old.split('/').length
  return [now, ...tag.split('/').slice(depth)].join('/')
}

function tagName(written: string): string {
  const name = written.trim().replace(/^#/, '')
  if (
    name !== '' &&
    tagAt(name, 0) === name &&
    !name.endsWith('/') &&
    !name.startsWith('/') &&
    !name.includes('//')
  )
    return name
  throw new VaultError('bad_argument', `${JSON.stringify(written)} is no tag.`, {
    hint: 'A tag has letters, digits, _, - and / (nesting), no blanks, and at least one character that is no digit.',
  })
}
