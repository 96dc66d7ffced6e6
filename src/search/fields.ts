import type { NoteFacts } from '../note/note.ts'
import { baseName, extensionOf, folderOf, pathKey, stemOf, type VaultPath } from '../note/path.ts'
import { compareValues } from './values.ts'

/** What the file system says of a note. */
export interface FileInfo {
  readonly path: VaultPath
  /** Bytes. */
  readonly size: number
  /** Milliseconds since 1970. */
  readonly mtimeMs: number
  readonly ctimeMs: number
}

export interface Described {
  readonly facts: NoteFacts
  readonly file: FileInfo
}

/** A field's value; `there` tells a property that is null from one that the note does not have. */
export interface FieldValue {
  readonly there: boolean
  readonly value: unknown
}

/**
 * The value of a property, or of what is known of every file: `file.path`, `file.name`, `file.folder`, `file.ext`,
 * `file.size`, `file.modified`, `file.created` (ISO 8601, UTC), `file.title`, `file.words`, `file.tags` (those of the
 * text included) and `file.aliases`. A key that holds dots comes before a path into a mapping; a path goes through
 * lists (`people.name` is the list of their names, `people.0` the first). Another case of the key is the same property.
 */
export function readField({ facts, file }: Described, field: string): FieldValue {
  const property = descend(facts.frontmatter, field)
  if (property.there) return property
  const read = FILE_FIELDS.get(field.toLowerCase())
  return read === undefined ? ABSENT : { there: true, value: read(facts, file) }
}

/** The values of the fields asked for (see {@link compileSort}), null where the note has none. */
export function selectFields(described: Described, fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field, readShown(described, field)]))
}

/**
 * An order by fields: `status`, `-date` (descending), several separated by commas. Notes without the field come last
 * either way, those that are equal in all fields are in order of their paths. `title`, `path`, `modified` and the like
 * mean the file's where the note has no such property.
 */
export function compileSort(spec: string): (a: Described, b: Described) => number {
  const keys = spec
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(sortKey)
  return (a, b) => {
    for (const { field, sign } of keys) {
      const order = compareField(readShown(a, field), readShown(b, field), sign)
      if (order !== 0) return order
    }
    return a.file.path < b.file.path ? -1 : a.file.path > b.file.path ? 1 : 0
  }
}

function readShown(described: Described, field: string): unknown {
  const found = readField(described, field)
  return (found.there ? found.value : readField(described, `file.${field}`).value) ?? null
}

const ABSENT: FieldValue = { there: false, value: undefined }

const FILE_FIELDS = new Map<string, (facts: NoteFacts, file: FileInfo) => unknown>([
  ['file.path', (_, file) => file.path],
  ['file.name', (_, file) => baseName(file.path)],
  ['file.stem', (_, file) => stemOf(file.path)],
  ['file.folder', (_, file) => folderOf(file.path)],
  ['file.ext', (_, file) => extensionOf(file.path)],
  ['file.size', (_, file) => file.size],
  ['file.modified', (_, file) => new Date(file.mtimeMs).toISOString()],
  ['file.created', (_, file) => new Date(file.ctimeMs).toISOString()],
  ['file.title', (facts) => facts.title],
  ['file.words', (facts) => facts.words],
  ['file.tags', (facts) => facts.tags],
  ['file.aliases', (facts) => facts.aliases],
])

function descend(holder: unknown, field: string): FieldValue {
  if (holder === null || typeof holder !== 'object') return ABSENT
  if (Array.isArray(holder)) return descendList(holder, field)
  const whole = own(holder, field)
  if (whole.there) return whole
  for (let dot = field.indexOf('.'); dot > 0; dot = field.indexOf('.', dot + 1)) {
    const head = own(holder, field.slice(0, dot))
    const found = head.there ? descend(head.value, field.slice(dot + 1)) : ABSENT
    if (found.there) return found
  }
  return ABSENT
}

function descendList(list: readonly unknown[], field: string): FieldValue {
  const [head, rest] = cut(field)
  if (/^\d+$/.test(head) && Number(head) < list.length) {
    const value = list[Number(head)]
    return rest === null ? { there: true, value } : descend(value, rest)
  }
  const values = list.map((element) => descend(element, field)).filter((found) => found.there)
  return values.length === 0 ? ABSENT : { there: true, value: values.map((found) => found.value) }
}

function own(holder: object, key: string): FieldValue {
  const values = holder as Record<string, unknown>
  if (Object.hasOwn(holder, key)) return { there: true, value: values[key] }
  const wanted = pathKey(key)
  const twin = Object.keys(holder).find((other) => pathKey(other) === wanted)
  return twin === undefined ? ABSENT : { there: true, value: values[twin] }
}

function cut(field: string): [string, string | null] {
  const dot = field.indexOf('.')
  return dot < 0 ? [field, null] : [field.slice(0, dot), field.slice(dot + 1)]
}

function sortKey(part: string): { field: string; sign: 1 | -1 } {
  const worded = /^(.*\S)[\s:]+(asc|desc)$/i.exec(part)
  if (worded) return { field: worded[1]!, sign: worded[2]!.toLowerCase() === 'desc' ? -1 : 1 }
  return part.startsWith('-') ? { field: part.slice(1), sign: -1 } : { field: part, sign: 1 }
}

function compareField(a: unknown, b: unknown, sign: 1 | -1): number {
  const [first, second] = [Array.isArray(a) ? (a[0] ?? null) : a, Array.isArray(b) ? (b[0] ?? null) : b]
  if (first === null || second === null) return Number(first === null) - Number(second === null)
  return sign * (compareValues(first, second) ?? rank(first) - rank(second))
}

/** Values of different types stand in groups: numbers, texts, booleans, the rest. */
function rank(value: unknown): number {
  return ['number', 'string', 'boolean'].indexOf(typeof value) + 1 || 4
}
