import { VaultError } from '../errors.ts'
import { readable, setProperties } from './properties.ts'
import { readYaml, YAML_OPTIONS } from './yaml.ts'
import { yamlLibrary } from './yaml_library.ts'

/** The properties that the application keeps as lists, and in which a value stands once. */
const LIST_KEYS = new Set(['tags', 'tag', 'aliases', 'alias', 'cssclasses', 'cssclass'])

/**
 * Sets a property from YAML text: `42` is a number, `[x, y]` a list, `draft` a text, nothing is nothing.
 * A property that holds text takes `Fwd: Hints` as text and not as a map.
 * @throws VaultError as `setProperties`
 */
export function replaceProperty(text: string, key: string, content: string): string {
  const old = readable(text).data?.[key]
  const value = propertyValue(content)
  const asText = typeof old === 'string' && isMap(value) && !content.trimStart().startsWith('{')
  return setProperties(text, { [key]: asText ? content.trim() : value })
}

/**
 * Adds to the end of a property: a list gets one item more (or those of a list), text goes on directly, a map takes
 * further keys; one that is not there or empty is set. Tags and aliases that are there already change nothing.
 * @param content YAML text; what is joined to text is taken as it stands, blanks included, unless it is in quotes
 * @throws VaultError `bad_argument` (the property holds a number or truth value), and as `setProperties`
 */
export function appendToProperty(text: string, key: string, content: string): string {
  return grow(text, key, content, (old, added) => [...old, ...added])
}

/** As {@link appendToProperty}, at the beginning. */
export function prependToProperty(text: string, key: string, content: string): string {
  return grow(text, key, content, (old, added) => [...added, ...old])
}

/** What a YAML text says, as plain JSON; what is no YAML, or would lose a part as a comment, is text. */
export function propertyValue(content: string): unknown {
  const trimmed = content.trim()
  if (/^!?\[\[[^[\]\r\n]+\]\]$/.test(trimmed)) return trimmed
  const lines = content.replace(/\s+$/, '').split(/\r?\n/)
  const reading = readYaml(`v:\n  ${lines.join('\n  ')}\n`)
  const value =
    reading.kind === 'mapping' && Object.keys(reading.data).length === 1 ? reading.data.v : undefined
  if (value === undefined) return trimmed
  if (typeof value === 'object' && value !== null) return value
  return saysItAll(trimmed) ? value : trimmed
}

/**
 * Does a scalar take in the whole text, line for line? Plain text would fold its lines and drop what follows ` #`,
 * and a number would lose the zeros of `007` and `1.10`.
 */
function saysItAll(trimmed: string): boolean {
  const node = yamlLibrary().parseDocument(trimmed, YAML_OPTIONS).contents
  if (!yamlLibrary().isScalar(node)) return trimmed === ''
  if (typeof node.value === 'number') return String(node.value) === trimmed
  return node.type !== 'PLAIN' || (node.source === trimmed && !trimmed.includes('\n'))
}

type Join = <T>(old: readonly T[], added: readonly T[]) => T[]

function grow(text: string, key: string, content: string, join: Join): string {
  const old = readable(text).data?.[key] ?? null
  return setProperties(text, { [key]: grown(old, key, content, join) })
}

function grown(old: unknown, key: string, content: string, join: Join): unknown {
  const value = propertyValue(content)
  const isList = LIST_KEYS.has(key.toLowerCase())
  if (old === null) return isList && !Array.isArray(value) && value !== null ? [value] : value
  if (Array.isArray(old)) {
    const added = Array.isArray(value) ? value : [value]
    return join(old, isList ? added.filter((item) => !has(old, item)) : added)
  }
  if (typeof old === 'string') {
    if (isList) return joinWords(old, Array.isArray(value) ? value : [value], join)
    return join(
      [old],
      [typeof value === 'string' && /^\s*["']/.test(content) ? value : oneText(content)],
    ).join('')
  }
  if (isMap(old) && isMap(value)) return Object.fromEntries(join(Object.entries(old), Object.entries(value)))
  throw new VaultError(
    'bad_argument',
    `"${key}" holds ${typeof old === 'object' ? 'a map' : JSON.stringify(old)}, to which this cannot be added.`,
    {
      hint: 'Use operation replace with the whole new value.',
    },
  )
}

/** `a, b` and `a b` are lists as well where tags and aliases are concerned: they go on in their own manner. */
function joinWords(old: string, added: readonly unknown[], join: Join): unknown {
  const separator = old.includes(',') ? ',' : /\S\s+\S/.test(old) ? ' ' : null
  const words = (separator === null ? [old] : old.split(separator))
    .map((word) => word.trim())
    .filter((word) => word !== '')
  const fresh = added.filter((item) => !has(words, item))
  if (fresh.length === 0) return old
  if (separator === null) return join<unknown>(words, fresh)
  return join<unknown>(words, fresh).join(separator === ',' ? ', ' : ' ')
}

function has(list: readonly unknown[], item: unknown): boolean {
  const spelled = (x: unknown) => (typeof x === 'string' ? x.replace(/^#/, '').toLowerCase() : x)
  return list.some((other) => spelled(other) === spelled(item))
}

function oneText(content: string): string {
  return content.replace(/\r?\n$/, '')
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
