import { VaultError } from '../errors.ts'
import { scanFrontmatter } from './frontmatter.ts'
import { eolOf, withEol } from './lines.ts'
import type { Frontmatter } from './note.ts'
import { applySplices, type Splice } from './splice.ts'
import { sameValue, whyNotPlain } from './value.ts'
import { dropKey, setKey } from './yaml_edit.ts'

/**
 * Gives properties values, key by key; only the bytes of those pairs change. A key that is there keeps its place,
 * the style of its quotes, its list's layout and the comment behind it; a new one comes last; a note without a block
 * gets one. A value that is there already changes nothing.
 *
 * Text that YAML 1.1 or 1.2 would read as something else is quoted, dates and times included; where a plain date
 * stood, a date stays plain.
 * @param changes plain JSON values; dots in keys are literal
 * @throws VaultError `bad_frontmatter` (the block cannot be read, or the change would alter other properties),
 * `bad_argument` (a key or value that cannot be kept)
 */
export function setProperties(text: string, changes: Readonly<Record<string, unknown>>): string {
  let current = text
  for (const [key, value] of Object.entries(changes)) current = setProperty(current, key, value)
  return current
}

/**
 * Takes a property away with its line's comment. The last one leaves an empty block; a key that is not there changes
 * nothing.
 * @throws VaultError `bad_frontmatter` (the block cannot be read, or other properties lean on this one)
 */
export function removeProperty(text: string, key: string): string {
  const before = readable(text)
  if (before.data === null || !Object.hasOwn(before.data, key)) return text
  const expected = without(before.data, key)
  const result = tryEdits(text, before, expected, [(yaml) => dropKey(yaml, key)])
  if (result !== null) return result
  throw entangled(`Removing "${key}" would change other properties.`)
}

/**
 * The property block of a note that is about to be edited.
 * @throws VaultError `bad_frontmatter`
 */
export function readable(text: string): Frontmatter {
  const block = scanFrontmatter(text)
  if (block.kind !== 'broken' && block.kind !== 'other') return block
  const problem = block.problems[0]
  const line = problem?.line ?? 1
  throw new VaultError(
    'bad_frontmatter',
    `Line ${line}: ${problem?.message ?? 'the properties cannot be read'}`,
    {
      hint: 'Read the top of the note and mend the block as text (note_patch with target_type lines, or note_replace with scope whole), then repeat.',
      details: { line },
    },
  )
}

function setProperty(text: string, key: string, value: unknown): string {
  const before = readable(text)
  const data = before.data ?? {}
  const known = Object.hasOwn(data, key)
  const old = known ? data[key] : undefined
  if (!known) checkNewKey(key)
  const reason = whyNotPlain(value)
  if (reason !== null) {
    throw new VaultError('bad_argument', `The value of "${key}" cannot be kept: ${reason}.`, {
      hint: 'Send text, a number, true, false, null, a list or an object.',
    })
  }
  if (known && sameValue(old, value)) return text
  const expected = { ...data }
  define(expected, key, value)
  const result = tryEdits(text, before, expected, [
    (yaml) => setKey(yaml, key, value, { grain: 'fine', old }),
    (yaml) => setKey(yaml, key, value, { grain: 'whole', old }),
  ])
  if (result !== null) return result
  throw entangled(`Setting "${key}" would change other properties.`)
}

/** The first of several ways whose result, read again, says exactly what was meant. */
function tryEdits(
  text: string,
  before: Frontmatter,
  expected: Record<string, unknown>,
  ways: readonly ((yaml: string) => Splice[] | null)[],
): string | null {
  for (const way of ways) {
    const result = before.yaml === null ? withBlock(text, before, way) : editBlock(text, before.yaml, way)
    if (result === null) continue
    const after = scanFrontmatter(result)
    const sound = after.kind === 'mapping' || (after.kind === 'empty' && Object.keys(expected).length === 0)
    const sameBody = result.slice(after.bodyStart) === text.slice(before.bodyStart)
    if (sound && sameBody && sameValue(after.data, expected)) return result
  }
  return null
}

function withBlock(
  text: string,
  { bodyStart }: Frontmatter,
  way: (yaml: string) => Splice[] | null,
): string | null {
  const splices = way('')
  if (splices === null) return null
  const block = `---\n${applySplices('', splices)}---\n`
  return text.slice(0, bodyStart) + withEol(block, eolOf(text)) + text.slice(bodyStart)
}

/** YAML is edited with line feeds alone; what changes is carried over to the note's own line ends. */
function editBlock(
  text: string,
  range: { start: number; end: number },
  way: (yaml: string) => Splice[] | null,
): string | null {
  const source = text.slice(range.start, range.end)
  const eol = eolOf(text.slice(0, range.end))
  const { unix, original } = unixLines(source)
  const splices = way(unix)
  if (splices === null) return null
  const moved = splices.map((splice) => ({
    range: {
      start: range.start + original(splice.range.start),
      end: range.start + original(splice.range.end),
    },
    text: withEol(splice.text, eol),
  }))
  return applySplices(text, moved)
}

/** The text with LF alone, and the way from an offset in it to the offset in the text. */
function unixLines(source: string): { unix: string; original: (at: number) => number } {
  if (!source.includes('\r\n')) return { unix: source, original: (at) => at }
  const feeds: number[] = []
  for (let at = source.indexOf('\r\n'); at >= 0; at = source.indexOf('\r\n', at + 2))
    feeds.push(at - feeds.length)
  const original = (at: number) => {
    let low = 0
    let high = feeds.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (feeds[middle]! < at) low = middle + 1
      else high = middle
    }
    return at + low
  }
  return { unix: source.replaceAll('\r\n', '\n'), original }
}

function checkNewKey(key: string): void {
  if (key.trim() !== '' && key === key.trim() && !/[:\r\n]/.test(key) && key.length <= 256) return
  throw new VaultError('bad_argument', `${JSON.stringify(key.slice(0, 80))} is no name for a property.`, {
    hint: 'A key is one line without a colon: {"key": "status", "value": "done"}; for several keys at once use {"set": {"status": "done", "rank": 1}}.',
  })
}

function entangled(message: string): VaultError {
  return new VaultError('bad_frontmatter', message, {
    hint: 'The block uses anchors or a layout in which this pair does not stand alone: edit its lines as text (note_patch with target_type lines).',
  })
}

function without(data: Record<string, unknown>, key: string): Record<string, unknown> {
  const rest = { ...data }
  delete rest[key]
  return rest
}

/** Also for a key like `__proto__`, which an assignment would take for something else. */
function define(data: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(data, key, { value, writable: true, enumerable: true, configurable: true })
}
